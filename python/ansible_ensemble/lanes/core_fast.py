"""The fast lane inside core: local new-style Python modules go to the zygote instead of through AnsiballZ.

Core's own `_execute_module` stays in charge: it updates the arguments, parses what the module printed, and makes the
result. Only its three steps that build, send and start the payload are replaced, and only while it runs such a module.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.module_source import runs_in_a_fork
from ansible_ensemble.lanes.zygote import Zygote

# they make or read the files of a job in the background, and expect to be a program of their own
ALWAYS_STOCK = frozenset({"ansible.builtin.async_wrapper", "ansible.builtin.async_status"})


@dataclass(frozen=True, slots=True)
class FastModule:
    """A module that the zygote can run: its Python name and its file."""

    name: str
    path: str


class FastLane:
    """Takes modules to the zygote wherever that gives the same result.

    Args:
        zygote: the running zygote.
        deny: names of modules that must not take this lane; one without dots is core's own.

    Attributes:
        enabled: whether the order that runs now may take it.
        fast: modules run by the zygote since the last `begin`.
        stock: modules run by core's own way since then.
    """

    def __init__(self, zygote: Zygote, deny: frozenset[str]) -> None:
        self._zygote = zygote
        self._deny = ALWAYS_STOCK | {name if "." in name else f"ansible.builtin.{name}" for name in deny}
        self._seen: dict[str, FastModule | None] = {}
        self._gone = False
        self.enabled = True
        self.fast = 0
        self.stock = 0

    def begin(self, enabled: bool) -> None:
        """Start counting for an order."""
        self.enabled, self.fast, self.stock = enabled and not self._gone, 0, 0

    def gone(self) -> None:
        """Use core's own way from here on: the zygote did not take the module that was to run."""
        self.enabled, self._gone = False, True
        self.fast, self.stock = self.fast - 1, self.stock + 1

    @property
    def lane(self) -> str:
        """`fast` if every module since `begin` was run by the zygote, else `stock`."""
        return "fast" if self.fast and not self.stock else "stock"

    def install(self) -> bool:
        """Put this lane into the action plugins of this process; it must be a private, forked one.

        Returns:
            False if this core's `_execute_module` is not the known one: then nothing is changed.
        """
        from ansible.plugins.action import ActionBase

        if not known_shape():
            return False
        stock: Callable[..., Any] = ActionBase._execute_module
        signature = inspect.signature(stock)
        lane = self

        @functools.wraps(stock)
        def execute_module(action: Any, *args: Any, **kwargs: Any) -> Any:
            given = signature.bind(action, *args, **kwargs).arguments
            name = given.get("module_name") or action._task.action
            wrapped = bool(given.get("wrap_async") or action._task.async_val)
            module = lane.module_for(action, name, given.get("task_vars") or {}) if not wrapped else None
            if module is None:
                lane.stock += 1
                return stock(action, *args, **kwargs)
            lane.fast += 1
            try:
                with _Substituted(action, module, lane):
                    return stock(action, *args, **kwargs)
            except _NoZygote:
                lane.gone()
                return stock(action, *args, **kwargs)

        ActionBase._execute_module = execute_module
        return True

    def module_for(self, action: Any, name: str, task_vars: dict[str, Any]) -> FastModule | None:
        """The module to run by the zygote, None if it must go core's own way."""
        connection = action._connection
        if not self.enabled or connection.transport not in ("local", "ansible.builtin.local") or connection.become:
            return None
        module = self._find(action, name)
        return module if module is not None and _runs_with_our_interpreter(action, task_vars) else None

    def _find(self, action: Any, name: str) -> FastModule | None:
        key = f"{name} {action._task.collections}"
        if key not in self._seen:
            loader = action._shared_loader_obj.module_loader
            self._seen[key] = suitable(
                loader.find_plugin_with_context(name, ".py", collection_list=action._task.collections), self._deny
            )
        return self._seen[key]

    def run(
        self, module: FastModule, arguments: str, environment: dict[str, str], folder: str
    ) -> tuple[int, bytes, bytes]:
        """Run a module by the zygote, and give what a connection's `exec_command` gives."""
        import ansible

        run = self._zygote.run(
            {
                "module": module.name,
                "path": module.path,
                "arguments": arguments,
                "profile": "legacy",
                "secrets": core.secrets_in(arguments),
                "modlib_path": str(Path(ansible.__file__).parent.parent),
                "folder": folder,
                "environment": {**os.environ, **environment},
            }
        )
        if run is None:
            raise _NoZygote
        return run.code, run.stdout, run.stderr


def known_shape() -> bool:
    """Whether this core runs modules the way that the fast lane knows."""
    try:
        from ansible.executor.module_common import NEW_STYLE_PYTHON_MODULE_RE, _BuiltModule, _get_shebang
        from ansible.module_utils.common.json import Direction, get_module_encoder
        from ansible.plugins.action import ActionBase
    except ImportError:
        return False
    wanted = {
        _BuiltModule: {"b_module_data", "module_style", "shebang", "serialization_profile"},
        _get_shebang: {"interpreter", "task_vars", "templar", "remote_is_local"},
        ActionBase._execute_module: {"module_name", "module_args", "task_vars", "wrap_async"},
        ActionBase._configure_module: {"module_name", "module_args", "task_vars"},
        ActionBase._is_pipelining_enabled: {"module_style", "wrap_async"},
        ActionBase._compute_environment_string: {"raw_environment_out"},
        get_module_encoder: {"name", "direction"},
    }
    known = all(names <= set(inspect.signature(thing).parameters) for thing, names in wanted.items())
    return known and hasattr(Direction, "CONTROLLER_TO_MODULE") and hasattr(NEW_STYLE_PYTHON_MODULE_RE, "search")


def suitable(found: Any, deny: frozenset[str]) -> FastModule | None:
    """Whether a module that the loader found is a new-style Python module that can be run by a fork."""
    from ansible.executor.module_common import NEW_STYLE_PYTHON_MODULE_RE

    path = found.plugin_resolved_path if found.resolved else None
    if not path or not path.endswith(".py"):
        return None
    fqcn, name = python_name(found.plugin_resolved_name, path)
    if name is None or fqcn in deny:
        return None
    source = Path(path).read_bytes()
    interpreter = source.split(b"\n", 1)[0].split() if source.startswith(b"#!") else [b"#!/usr/bin/python"]
    if interpreter != [b"#!/usr/bin/python"] or not NEW_STYLE_PYTHON_MODULE_RE.search(source):
        return None
    return FastModule(name, path) if runs_in_a_fork(name, path) else None


def python_name(resolved: str, path: str) -> tuple[str, str | None]:
    """The FQCN of a module and the name that Python imports it by, None if it has none (a `library` folder)."""
    import ansible.modules

    stem = Path(path).stem
    if Path(path).parent == Path(ansible.modules.__file__).parent:
        return f"ansible.builtin.{stem}", f"ansible.modules.{stem}"
    parts = resolved.split(".")
    if parts[0] == "ansible_collections":
        if parts[3:5] != ["plugins", "modules"]:
            return resolved, None
        return ".".join((*parts[1:3], *parts[5:])), resolved
    if len(parts) < 3 or parts[:2] in (["ansible", "builtin"], ["ansible", "legacy"]):
        return resolved, None
    return resolved, ".".join(("ansible_collections", *parts[:2], "plugins", "modules", *parts[2:]))


def _runs_with_our_interpreter(action: Any, task_vars: dict[str, Any]) -> bool:
    """Whether core would start the module by the Python that we run with, and with no limit of its own."""
    import sys

    from ansible import constants
    from ansible.executor.interpreter_discovery import InterpreterDiscoveryRequiredError
    from ansible.executor.module_common import _get_shebang

    used = task_vars
    if action._task.delegate_to:
        used = task_vars.get("ansible_delegated_vars", {}).get(action._task.delegate_to, {})
    try:
        _other, interpreter = _get_shebang("/usr/bin/python", used, action._templar)
    except (InterpreterDiscoveryRequiredError, KeyError):
        return False
    limit = constants.config.get_config_value("PYTHON_MODULE_RLIMIT_NOFILE", variables=task_vars)
    return bool(interpreter == sys.executable and not limit)


class _NoZygote(Exception):
    """The zygote is gone and has run nothing."""


class _Substituted:
    """For the length of one `_execute_module`: the payload is the arguments, and starting it is the zygote's."""

    def __init__(self, action: Any, module: FastModule, lane: FastLane) -> None:
        self._action = action
        self._module = module
        self._lane = lane
        self._arguments = ""
        self._environment: dict[str, str] = {}

    def __enter__(self) -> None:
        self._action._configure_module = self._configure
        self._action._is_pipelining_enabled = lambda *_args, **_kwargs: True
        self._action._connection.exec_command = self._exec_command

    def __exit__(self, *_arguments: object) -> None:
        del self._action._configure_module
        del self._action._is_pipelining_enabled
        del self._action._connection.exec_command

    def _configure(self, module_args: dict[str, Any], **_options: Any) -> tuple[Any, str]:
        import sys

        from ansible.executor.module_common import _BuiltModule
        from ansible.module_utils.common.json import Direction, get_module_encoder

        environment: dict[str, Any] = {}
        self._action._compute_environment_string(environment)
        self._environment = {str(key): str(value) for key, value in environment.items()}
        encoder = get_module_encoder("legacy", Direction.CONTROLLER_TO_MODULE)
        self._arguments = json.dumps({"ANSIBLE_MODULE_ARGS": module_args}, cls=encoder)
        built = _BuiltModule(
            b_module_data=b"", module_style="new", shebang=f"#!{sys.executable}", serialization_profile="legacy"
        )
        return built, self._module.path

    def _exec_command(self, *_args: Any, **_kwargs: Any) -> tuple[int, bytes, bytes]:
        folder = self._action._loader.get_basedir()
        return self._lane.run(self._module, self._arguments, self._environment, folder)
