"""The one place that touches ansible-core's internals to run a task: which shapes this core has, and how to use them.

ansible-core has no public way to run a task, so each internal is looked at before it is used, and what is not
found as it is known here is replaced by a slower way with the same results: no known `TaskExecutor`, then a one-task
play; no known `_execute_module`, then no fast lane. `core_fast` and `core_plays` hold the internals of those two.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.orders import Host, ModuleCall
from ansible_ensemble.core.sensitive import secrets_of_urls
from ansible_ensemble.lanes.decrypted import secret_register
from ansible_ensemble.lanes.expressions import trusted
from ansible_ensemble.lanes.outcomes import items_of

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

# keywords and arguments that are Jinja expressions by nature; every other value is data, and data is never rendered
_EXPRESSIONS = ("until", "when", "changed_when", "failed_when")
_EXPRESSION_ARGUMENTS = {"assert": "that", "debug": "var"}
_PLAY_ACTIONS = ("include_role", "import_role", "include_tasks", "import_tasks", "meta")

#: Of a result, what callbacks are told by their method.
_STATES = ("failed", "skipped", "unreachable")


class TaskResult(Struct, frozen=True):
    """A task's result as plain data.

    Attributes:
        shown: as callbacks see it: `no_log` results are censored, vaulted values hidden.
        hidden: as `register` would see it, if that is another one; else None.
    """

    shown: dict[str, Any]
    hidden: dict[str, Any] | None = None


class Relay(Protocol):
    """Takes what a task wants displayed; replaces core's queue to the main process."""

    def send_display(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Display something."""

    def send_callback(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Tell callbacks of an item or a retry."""

    def send_prompt(self, **kwargs: Any) -> None:
        """Ask the user; refused, because there is no terminal."""


def task_shape() -> str | None:
    """How this core's `TaskExecutor` is called: `ambient` (2.21 and newer), `explicit` (2.19, 2.20), or None."""
    try:
        from ansible._internal._task import TaskContext
        from ansible.executor.task_executor import TaskExecutor
    except ImportError:
        return None
    names = list(inspect.signature(TaskExecutor.__init__).parameters)[1:]
    common = ["play_context", "loader", "shared_loader_obj", "final_q", "variable_manager"]
    if names == ["host", *common] and list(inspect.signature(TaskContext.create).parameters) == [
        "task",
        "task_vars",
        "host_name",
    ]:
        return "ambient"
    if names == ["host", "task", "job_vars", *common] and list(inspect.signature(TaskContext).parameters) == ["task"]:
        return "explicit"
    return None


def needs_play(module: str) -> bool:
    """Whether core's strategies execute this action, not its TaskExecutor: then it needs a play around it."""
    space, _separator, name = module.rpartition(".")
    return space in ("", "ansible.builtin", "ansible.legacy") and name in _PLAY_ACTIONS


def task_data(call: ModuleCall, *, modes: bool = True) -> dict[str, Any]:
    """The call as a task of a playbook would be written; includes don't take the modes (check, diff)."""
    data: dict[str, Any] = {"name": call.module}
    if modes:
        data.update(check_mode=call.check, diff=call.diff)
    for name, value in call.keywords.items():
        data[name] = trusted(value) if name in _EXPRESSIONS else value
    expression = _EXPRESSION_ARGUMENTS.get(call.module.rpartition(".")[2])
    data[call.module] = {name: trusted(value) if name == expression else value for name, value in call.args.items()}
    return data


def run_task(session: AnsibleSession, call: ModuleCall, relay: Relay, shape: str) -> TaskResult:
    """Run a call through core's `TaskExecutor` of this shape, in this process; its host is in the inventory."""
    from ansible._internal._task import TaskContext
    from ansible.executor.task_executor import TaskExecutor
    from ansible.playbook.block import Block
    from ansible.playbook.task import Task
    from ansible.plugins.loader import get_plugin_loader_namespace

    host = session.inventory.get_host(call.host.name)
    manager, loader = session.variable_manager, session.loader
    block = Block(play=session.play)
    task = Task.load(task_data(call), block=block, variable_manager=manager, loader=loader)
    variables = manager.get_vars(play=session.play, host=host, task=task)
    rest = (session.play_context.copy(), loader, get_plugin_loader_namespace(), relay, manager)
    if shape == "ambient":
        with session.based(call.base), TaskContext.create(task=task, task_vars=variables, host_name=host.name):
            task.squash()
            return _plain_unified(TaskExecutor(host, *rest).run())
    with session.based(call.base), TaskContext(task):
        return _plain_mapping(host, task, TaskExecutor(host, task, variables, *rest).run())


def _plain_unified(result: Any) -> TaskResult:
    real = jsonable(result.as_result_dict())
    shown = result.as_result_dict(for_callback=True, censor_callback_result=bool(result.no_log))
    return _task_result(shown, real, lambda: real)


def _plain_mapping(host: Any, task: Any, result: dict[str, Any]) -> TaskResult:
    from ansible.executor.task_result import _RawTaskResult
    from ansible.vars.clean import module_response_deepcopy, strip_internal_keys

    raw = _RawTaskResult(host=host, task=task, return_data=result, task_fields={})
    shown = raw.as_callback_task_result().result
    known = {**shown, **{key: jsonable(result[key]) for key in _STATES if key in result}}
    return _task_result(shown, known, lambda: jsonable(strip_internal_keys(module_response_deepcopy(result))))


def _task_result(shown: dict[str, Any], known: dict[str, Any], real: Callable[[], dict[str, Any]]) -> TaskResult:
    """Join what core shows with what it knows, and add the whole result where callbacks see less than is known.

    Core takes `failed` and `skipped` out of what callbacks see, since each has a separate method.
    """
    shown = masked(without_internals({**shown, **{key: known[key] for key in _STATES if key in known}}))
    return TaskResult(shown, real() if is_hidden(shown, known) else None)


def without_internals(result: dict[str, Any]) -> dict[str, Any]:
    """A result without what core keeps in it for its callbacks."""
    return {key: value for key, value in result.items() if not key.startswith("_ansible_")}


def is_hidden(shown: dict[str, Any], real: dict[str, Any]) -> bool:
    """Whether callbacks see less than there is: something is censored, or a value is another one."""
    if any("censored" in part for part in (shown, *items_of(shown))):
        return True
    return any(_differ(real[key], value) for key, value in shown.items() if key in real and key != "results")


def _differ(one: Any, other: Any) -> bool:
    """Whether two values of plain data are not the same; NaN, which is unlike itself, is the same as NaN."""
    if one == other:
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() != other.keys() or any(_differ(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) != len(other) or any(map(_differ, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return not math.isnan(other)
    return True


def plain_display(method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, list[Any], dict[str, Any]]:
    """A display call with plain arguments that the `Display` of another process takes.

    Warnings, deprecations and errors travel as objects inside core; they become the line that would be shown.
    """
    colours = {
        "_warning": ("WARNING", "warn"),
        "_deprecated": ("DEPRECATION WARNING", "deprecate"),
        "_error": ("ERROR", "error"),
    }
    if method in colours and args:
        from ansible import constants
        from ansible._internal._display_utils import format_message

        title, colour = colours[method]
        text = format_message(args[0], include_traceback=False)
        shown = constants.config.get_config_value(f"COLOR_{colour.upper()}")
        return "display", [f"[{title}]: {text}"], {"color": shown, "stderr": True}
    if method == "_verbose_display":
        method = "verbose"
    return method, [_plain(arg) for arg in args], {key: _plain(value) for key, value in kwargs.items()}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def jsonable(value: Any) -> Any:
    """The value as plain data that JSON can carry, without core's tags."""
    from ansible.utils.vars import transform_to_native_types

    return transform_to_native_types(value, redact=False)


def is_vaulted(value: Any) -> bool:
    """Whether a variable's value is encrypted by Ansible Vault, or was."""
    from ansible._internal._datatag._tags import VaultedValue
    from ansible.parsing.vault import EncryptedString

    return isinstance(value, EncryptedString) or VaultedValue.is_tagged_on(value)


def source_of(value: Any) -> str | None:
    """The file that a variable's value was read from; None where core did not keep it."""
    from ansible._internal._datatag._tags import Origin

    origin = Origin.get_tag(value)
    return origin.path if origin else None


def describe(error: BaseException) -> str:
    """An exception in words: Ansible's own errors by their message and place, any other with its kind."""
    from ansible.errors import AnsibleError

    if not isinstance(error, AnsibleError):
        last = traceback.extract_tb(error.__traceback__)[-1:]
        where = f" (at {last[0].filename}:{last[0].lineno})" if last else ""
        return f"{type(error).__name__}: {error}{where}"
    try:
        from ansible._internal._datatag._tags import Origin
    except ImportError:
        return str(error)
    origin = error.obj if isinstance(error.obj, Origin) else Origin.get_tag(error.obj)
    return f"{origin}: {error}" if origin and origin.path else str(error)


def secrets_in(text: str) -> list[str]:
    """The secrets that core masks and that a JSON text holds."""
    masker = secret_register()
    return sorted(masker.secrets_in_json(text))


def track_secrets() -> Callable[[], list[str]]:
    """Begin to note the secrets that core learns in this process; each call of what is returned gives the new ones."""
    masker = secret_register()
    tracker = masker.track_new_secrets()
    return lambda: sorted(tracker.flush())


def masked(value: Any) -> Any:
    """The value with every secret that core knows of masked, as core masks what it shows, and those of URLs."""
    masker = secret_register()
    masker.register_secret_texts(secrets_of_urls(value))
    return _masked(value, masker.mask_string) if masker._secrets else value


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {_masked(key, mask): _masked(item, mask) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(item, mask) for item in value]
    return value


def register_secrets(secrets: list[str]) -> None:
    """Have core mask secrets that another process learnt."""
    masker = secret_register()
    masker.register_secret_texts(secrets)


def warm_up(session: AnsibleSession) -> None:
    """Do once what every task does first, so that the executors and their children inherit it by their fork.

    A task that does nothing is run in a play of its own. It loads the vars plugins, the local connection and its shell
    with their documented options, and the code itself.
    """
    from ansible.playbook.play import Play
    from ansible.plugins import loader

    for name in (
        "ansible.module_utils._internal._json._profiles._module_legacy_c2m",
        "ansible.module_utils._internal._json._profiles._module_legacy_m2c",
        "ansible.playbook.handler_task_include",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name in ("ansible.legacy.normal", "ansible.builtin.command", "ansible.builtin.set_fact"):
        loader.action_loader.get(name, class_only=True)
    for suffix in ("", ".py"):
        loader.module_loader.find_plugin("ansible.legacy.command", suffix)
    host = Host("localhost", {"ansible_connection": "local"})
    play = Play.load({"hosts": host.name}, variable_manager=session.variable_manager, loader=session.loader)
    with contextlib.suppress(Exception), session.knowing(host):
        if shape := task_shape():
            run_task(replace(session, play=play), ModuleCall("ansible.builtin.debug", host=host), Nobody(), shape)


class Nobody:
    """A relay to nobody."""

    def send_display(self, method: str, *args: Any, **kwargs: Any) -> None:
        """Show nothing."""

    send_callback = send_display

    def send_prompt(self, **kwargs: Any) -> None:
        """Answer nothing."""


def own_temporary_files(loader: Any) -> None:
    """Forget the temporary files of the process that this one is a fork of: they are not ours to delete."""
    loader._tempfiles = set()
