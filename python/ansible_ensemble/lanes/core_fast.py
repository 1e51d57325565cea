"""The fast and the remote lane inside core: new-style Python modules run in forks instead of through AnsiballZ.

Core's own `_execute_module` stays in charge: it updates the arguments, parses what the module printed, and makes the
result. Only its three steps that build, send and start the payload are replaced, and only while it runs such a module.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.core_remote import RemoteLane, environment_of, used_variables
from ansible_ensemble.lanes.module_files import SoughtModule
from ansible_ensemble.lanes.module_source import runs_in_a_fork
from ansible_ensemble.lanes.remote_hosts import NotHere
from ansible_ensemble.lanes.zygote import ModuleRun, Zygote

# they make or read the files of a job in the background, and expect to be a program of their own
ALWAYS_STOCK = frozenset({"ansible.builtin.async_wrapper", "ansible.builtin.async_status"})


class FastModule(Struct, frozen=True):
    """A module that the zygote can run: its Python name and its file."""

    name: str
    path: str


class FastLane:
    """Takes modules to the zygote, or to kept processes on hosts, wherever that gives the same result.

    Args:
        zygote: the running zygote.
        deny: names of modules that must not take this lane; one without dots is core's own.
        remote: the lane of hosts, or None.

    Attributes:
        enabled: whether the order that runs now may take it.
        ran: how many modules each lane has run since the last `begin`.
    """

    def __init__(self, zygote: Zygote, deny: frozenset[str], remote: RemoteLane | None = None) -> None:
        self._zygote = zygote
        self._deny = ALWAYS_STOCK | {name if "." in name else f"ansible.builtin.{name}" for name in deny}
        self._remote = remote
        self._seen: dict[str, FastModule | None] = {}
        self._gone = False
        self.enabled = True
        self.ran: Counter[str] = Counter()

    def begin(self, enabled: bool) -> None:
        """Start counting for an order."""
        self.enabled = enabled
        self.ran.clear()
        if self._remote:
            self._remote.enabled, self._remote.broken = enabled, False

    @property
    def broken(self) -> bool:
        """Whether a connection to a host broke since `begin` while a module ran there."""
        return bool(self._remote and self._remote.broken)

    @property
    def lane(self) -> str:
        """`stock` if a module since `begin` ran by core's own way or none ran, else `remote` if one ran on a host."""
        if not self.ran.total() or self.ran["stock"]:
            return "stock"
        return "remote" if self.ran["remote"] else "fast"

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
            way = lane.way_for(action, name, given.get("task_vars") or {}) if not wrapped else None
            if way is not None:
                lane.ran[way.lane] += 1
                try:
                    with substituted(action, way):
                        return stock(action, *args, **kwargs)
                except NotHere as reason:
                    lane.ran[way.lane] -= 1
                    way.refused(reason)
            lane.ran["stock"] += 1
            return stock(action, *args, **kwargs)

        ActionBase._execute_module = execute_module
        if self._remote:
            self._remote.install()
        return True

    def way_for(self, action: Any, name: str, task_vars: dict[str, Any]) -> Way | None:
        """How a module is run instead of core's own way; None if it must go that."""
        connection = action._connection
        if not self.enabled:
            return None
        local = connection.transport in ("local", "ansible.builtin.local") and not connection.become
        if (local and self._gone) or not (local or (self._remote and self._remote.takes(connection))):
            return None
        module = self._find(action, name)
        if module is None or not _takes_a_fork(action, task_vars, local=local):
            return None
        if local:
            return Here(action, module, self)
        assert self._remote is not None
        return There(action, module, self._remote)

    def _find(self, action: Any, name: str) -> FastModule | None:
        key = f"{name} {action._task.collections}"
        if key not in self._seen:
            loader = action._shared_loader_obj.module_loader
            self._seen[key] = suitable(
                loader.find_plugin_with_context(name, ".py", collection_list=action._task.collections), self._deny
            )
        return self._seen[key]

    def gone(self) -> None:
        """Use core's own way from here on: the zygote did not take the module that was to run."""
        self._gone = True

    def run(self, module: FastModule, arguments: str, environment: dict[str, str], folder: str) -> ModuleRun:
        """Run a module by the zygote.

        Raises:
            NotHere: the zygote is gone, and has run nothing.
        """
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
            raise NotHere("the zygote is gone")
        return run


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


def _takes_a_fork(action: Any, task_vars: dict[str, Any], *, local: bool) -> bool:
    """Whether core would start the module with no limit of its own, and here by the Python that we run with."""
    from ansible import constants
    from ansible.executor.interpreter_discovery import InterpreterDiscoveryRequiredError
    from ansible.executor.module_common import _get_shebang

    if constants.config.get_config_value("PYTHON_MODULE_RLIMIT_NOFILE", variables=task_vars):
        return False
    if not local:
        return True
    try:
        _other, interpreter = _get_shebang("/usr/bin/python", used_variables(action, task_vars), action._templar)
    except (InterpreterDiscoveryRequiredError, KeyError):
        return False
    return bool(interpreter == sys.executable)


class Way(ABC):
    """How one call of a module is run instead of core's own way: what is built of it, and what starts that.

    Attributes:
        lane: the name of the lane.
    """

    lane: str

    def __init__(self, action: Any, module: FastModule) -> None:
        self._action = action
        self._module = module
        self._arguments = ""
        self._environment: dict[str, str] = {}

    def configure(self, **options: Any) -> tuple[Any, str]:
        """What core takes for the built module, and the file that it tells of; takes core's own arguments."""
        from ansible.executor.module_common import _BuiltModule
        from ansible.module_utils.common.json import Direction, get_module_encoder

        shebang = self._prepare(options)
        self._environment = environment_of(self._action)
        encoder = get_module_encoder("legacy", Direction.CONTROLLER_TO_MODULE)
        self._arguments = json.dumps({"ANSIBLE_MODULE_ARGS": options["module_args"]}, cls=encoder)
        built = _BuiltModule(b_module_data=b"", module_style="new", shebang=shebang, serialization_profile="legacy")
        return built, self._module.path

    def exec_command(self, *_args: Any, **_options: Any) -> tuple[int, bytes, bytes]:
        """Run the module, and give what a connection's `exec_command` gives."""
        run = self._run()
        return run.code, run.stdout, run.stderr

    @abstractmethod
    def _prepare(self, options: dict[str, Any]) -> str:
        """The first line of the module, and whatever it takes to run it."""

    @abstractmethod
    def _run(self) -> ModuleRun:
        """Run the module."""

    @abstractmethod
    def refused(self, reason: NotHere) -> None:
        """Take note that it was not run, and is going core's own way."""


class Here(Way):
    """By the zygote."""

    lane = "fast"

    def __init__(self, action: Any, module: FastModule, fast: FastLane) -> None:
        super().__init__(action, module)
        self._fast = fast

    def _prepare(self, options: dict[str, Any]) -> str:  # noqa: ARG002
        return f"#!{sys.executable}"

    def _run(self) -> ModuleRun:
        return self._fast.run(self._module, self._arguments, self._environment, self._action._loader.get_basedir())

    def refused(self, reason: NotHere) -> None:  # noqa: ARG002
        """The zygote runs nothing any more."""
        self._fast.gone()


class There(Way):
    """By a kept process on a host."""

    lane = "remote"

    def __init__(self, action: Any, module: FastModule, remote: RemoteLane) -> None:
        super().__init__(action, module)
        self._remote = remote
        self._shebang = ""
        self._sought: SoughtModule

    def _prepare(self, options: dict[str, Any]) -> str:
        self._shebang, self._sought = self._remote.configure(self._action, self._module.path, options)
        return self._shebang

    def _run(self) -> ModuleRun:
        return self._remote.run(self._action, self._shebang, self._sought, self._arguments, self._environment)

    def refused(self, reason: NotHere) -> None:
        """The host is told of."""
        self._remote.tell(self._action._connection, reason)


@contextmanager
def substituted(action: Any, way: Way) -> Iterator[None]:
    """For the length of one `_execute_module`: the payload is the arguments, and starting it is the way's."""
    action._configure_module = way.configure
    action._is_pipelining_enabled = lambda *_args, **_kwargs: True
    action._connection.exec_command = way.exec_command
    try:
        yield
    finally:
        del action._configure_module
        del action._is_pipelining_enabled
        del action._connection.exec_command
