"""The remote lane inside core: modules for hosts behind SSH run in a kept process there, also by `become`.

As in the fast lane, core's own `_execute_module` stays in charge. What a connection is opened with is composed by core
as well: the command line by its connection plugin, what becomes another user by its become plugin, prompts and
passwords by the plugin that would answer them. Only the command that is started is ours, and that it stays.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.chores import chore
from ansible_ensemble.lanes.module_files import ModuleFiles, SoughtModule, module_files
from ansible_ensemble.lanes.remote_hosts import Broken, NotHere, Order, RemoteHosts
from ansible_ensemble.lanes.remote_hub import BOOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ansible_ensemble.core.orders import Host
    from ansible_ensemble.lanes.session import AnsibleSession
    from ansible_ensemble.lanes.zygote import ModuleRun

#: Become plugins that start a command on the pipes that it is given, by the last part of their names.
_BECOME = frozenset({"sudo", "su", "doas", "dzdo", "pfexec"})
#: Files go through the kept connection in parts of so many bytes, for others use it in between.
_PART = 1 << 20
#: Options of ssh that may ask for a terminal.
_ARGUMENTS = ("ssh_args", "ssh_common_args", "ssh_extra_args")
_PROMPT = "privilege escalation prompt"
_UNCOMPRESSED = {"ansible_module_compression": "ZIP_STORED"}


class Opened(BaseException):
    """A connection is up, and whoever started it must not go on with it: descriptors to keep. No error at all."""

    def __init__(self, descriptors: list[int]) -> None:
        super().__init__()
        self.descriptors = descriptors


class RemoteLane:
    """Takes modules, small files and what prepares them to kept processes on hosts, where that gives the same result.

    Args:
        hosts: the kept connections.

    Attributes:
        enabled: whether the order that runs now may take it.
        broken: whether a connection broke while something of that order ran: then nobody knows what it has changed.
    """

    def __init__(self, hosts: RemoteHosts) -> None:
        self._hosts = hosts
        self._interpreters: dict[str, str] = {}
        self._discovering = False
        self._told: set[str] = set()
        self._terminals: dict[tuple[Any, ...], bool] = {}
        self._acting: tuple[Any, dict[str, Any]] | None = None
        self.enabled = True
        self.broken = False

    def install(self) -> None:
        """Put this lane into the actions and connections of this process; it must be a private, forked one."""
        from ansible.plugins.action import ActionBase
        from ansible.plugins.connection.ssh import Connection

        lane = self
        run, execute, put, reset = ActionBase.run, Connection.exec_command, Connection.put_file, Connection.reset

        @functools.wraps(run)
        def acting(action: Any, tmp: Any = None, task_vars: Any = None) -> Any:
            lane._acting = (action, task_vars or {})
            return run(action, tmp, task_vars)

        @functools.wraps(execute)
        def executed(connection: Any, cmd: str, in_data: Any = None, sudoable: bool = True) -> Any:
            if in_data is None and not sudoable:
                done = lane._beside(connection, Order({"command": cmd} | chore(connection._shell, cmd)))
                if done is not None:
                    return done.code, done.stdout, done.stderr
            return execute(connection, cmd, in_data=in_data, sudoable=sudoable)

        @functools.wraps(put)
        def put_file(connection: Any, in_path: str, out_path: str) -> Any:
            try:
                if all(lane._puts(connection, order) for order in parts(os.fsdecode(in_path), out_path)):
                    return 0, b"", b""
            except OSError:
                pass  # core says so
            return put(connection, in_path, out_path)

        @functools.wraps(reset)
        def reset_too(connection: Any) -> Any:
            lane._hosts.reset(connection_key(connection))
            return reset(connection)

        ActionBase.run, Connection.exec_command = acting, executed
        Connection.put_file, Connection.reset = put_file, reset_too

    def takes(self, connection: Any) -> bool:
        """Whether modules may run by a kept process behind this connection."""
        from ansible import constants
        from ansible.plugins.connection.ssh import Connection

        if not self.enabled or connection.__class__ is not Connection or constants.DEFAULT_KEEP_REMOTE_FILES:
            return False
        become = connection.become
        if become is not None and str(become._load_name).rpartition(".")[2] not in _BECOME:
            return False
        return getattr(connection._shell, "SHELL_FAMILY", "") == "sh" and not self._wants_terminal(connection)

    def _wants_terminal(self, connection: Any) -> bool:
        """Whether arguments of ssh ask for a terminal; core takes them apart for a millisecond."""
        arguments = tuple(connection.get_option(name) for name in _ARGUMENTS)
        if arguments not in self._terminals:
            self._terminals[arguments] = connection._is_tty_requested()
        return self._terminals[arguments]

    def configure(self, action: Any, path: str, options: dict[str, Any]) -> tuple[str, SoughtModule]:
        """The line of the host's Python, which core discovers if it has to, and a module."""
        from ansible.plugins.action import ActionBase

        state = os.stat(path)  # noqa: PTH116 - pathlib costs an import
        variables = {**options["task_vars"], **_UNCOMPRESSED}  # it is taken apart at once
        build = functools.partial(ActionBase._configure_module, action, **{**options, "task_vars": variables})
        shebang = self._shebang(action, options["task_vars"])
        if shebang is None:
            raise NotHere("its Python is not known")
        source = digest(path, state.st_mtime_ns, state.st_size)
        return shebang, SoughtModule(source, lambda: made_files(build))

    def run(
        self, action: Any, shebang: str, module: SoughtModule, arguments: str, environment: dict[str, str]
    ) -> ModuleRun:
        """Run a module on the action's host, as the user that it becomes.

        Raises:
            NotHere: nothing was run.
            AnsibleError: what core raises if it cannot connect or become the user, or the connection broke.
        """
        header = {
            "profile": "legacy",
            "secrets": core.secrets_in(arguments),
            "environment": environment,
        }
        order = Order(header, arguments.encode("utf-8", "surrogateescape"), module)
        return self._order(action, shebang, order, beside=False)

    def tell(self, connection: Any, reason: NotHere) -> None:
        """Tell once at -vv why a host's modules run by core's own way."""
        from ansible.utils.display import Display

        text = f"modules run in the stock lane: {reason}"
        if f"{connection.host} {text}" not in self._told:
            self._told.add(f"{connection.host} {text}")
            Display().vv(text, host=connection.host)

    def _puts(self, connection: Any, order: Order) -> bool:
        done = self._beside(connection, order)
        return done is not None and done.code == 0

    def run_first(self, action: Any, command: Sequence[str]) -> ModuleRun | None:
        """Run a command that changes nothing as the user that an action becomes; None if it cannot."""
        broken, header = self.broken, {"argv": [*command], "environment": environment_of(action)}
        try:
            return self._around(action._connection, Order(header), beside=False)
        finally:
            self.broken = broken

    def _beside(self, connection: Any, order: Order) -> ModuleRun | None:
        """Carry out what prepares a module or cleans up after it, as the user of the connection; None if it cannot."""
        return self._around(connection, order, beside=True)

    def _around(self, connection: Any, order: Order, *, beside: bool) -> ModuleRun | None:
        action, variables = self._acting or (None, {})
        if action is None or action._connection is not connection or not self.takes(connection):
            return None
        try:
            shebang = self._shebang(action, variables)
            return self._order(action, shebang, order, beside=beside) if shebang else None
        except NotHere as reason:
            self.tell(connection, reason)
            return None

    def _order(self, action: Any, shebang: str, order: Order, *, beside: bool) -> ModuleRun:
        from ansible.errors import AnsibleConnectionFailure

        connection = action._connection
        become = None if beside else connection.become
        with becoming(connection, become):
            key = connection_key(connection) + digest(
                become and [become._load_name, become.get_options()], action._play_context.executable, shebang
            )
            try:
                return self._hosts.run(key, lambda: opened(action, shebang), order)
            except Broken as reason:
                self.broken = True
                raise AnsibleConnectionFailure(f"the connection broke while it ran on the host: {reason}") from None

    def _shebang(self, action: Any, variables: dict[str, Any]) -> str | None:
        """The line by which core would start a module; None if it looks for the host's Python at the moment."""
        from ansible.executor.interpreter_discovery import InterpreterDiscoveryRequiredError
        from ansible.executor.module_common import _get_shebang

        try:
            used = used_variables(action, variables)
            try:
                line = _get_shebang("/usr/bin/python", used, action._templar)[0]
            except InterpreterDiscoveryRequiredError as required:
                if self._discovering:
                    return None
                self._discover(action, required, used)
                line = _get_shebang("/usr/bin/python", used, action._templar)[0]
        except KeyError:
            return None
        return str(line)

    def _discover(self, action: Any, required: Any, variables: dict[str, Any]) -> None:
        """Have core look for a host's Python, once for all executors, and make it the fact that core would make."""
        from ansible.executor.interpreter_discovery import discover_interpreter

        def discover() -> Any:
            self._discovering = True
            try:
                with substituting(action._connection, {}):
                    return discover_interpreter(
                        action=action,
                        interpreter_name=required.interpreter_name,
                        discovery_mode=required.discovery_mode,
                        task_vars=variables,
                    )
            finally:
                self._discovering = False

        key = connection_key(action._connection)
        if key not in self._interpreters:
            self._interpreters[key] = self._hosts.find(key, discover)
        fact = f"discovered_interpreter_{required.interpreter_name}"
        variables.setdefault("ansible_facts", {})[fact] = self._interpreters[key]
        if not action._task.delegate_to or action._task.delegate_facts:
            action._discovered_interpreter_key, action._discovered_interpreter = fact, self._interpreters[key]


def known_shape() -> bool:
    """Whether this core's connections by SSH are as the remote lane knows them."""
    try:
        from ansible.executor.interpreter_discovery import discover_interpreter
        from ansible.plugins.action import ActionBase
        from ansible.plugins.become import BecomeBase
        from ansible.plugins.connection.ssh import Connection
    except ImportError:
        return False
    wanted: list[tuple[Callable[..., Any], set[str]]] = [
        (Connection._run, {"cmd", "in_data", "sudoable", "checkrc"}),
        (Connection._send_initial_data, {"fh", "in_data", "ssh_process"}),
        (Connection._init_shm, {"self"}),
        (Connection.exec_command, {"cmd", "in_data", "sudoable"}),
        (Connection.put_file, {"in_path", "out_path"}),
        (Connection._is_tty_requested, {"self"}),
        (discover_interpreter, {"action", "interpreter_name", "discovery_mode", "task_vars"}),
        (BecomeBase._build_success_command, {"cmd", "shell"}),
        (ActionBase.run, {"tmp", "task_vars"}),
        (ActionBase._low_level_execute_command, {"cmd", "sudoable", "in_data"}),
    ]
    return all(names <= set(inspect.signature(thing).parameters) for thing, names in wanted)


def read_module_utils() -> None:
    """Have core take apart the files that every module needs, once for all processes that are forked from this one."""
    from ansible.executor import module_common
    from ansible.parsing.dataloader import DataLoader
    from ansible.plugins.loader import module_loader
    from ansible.template import Templar

    with contextlib.suppress(Exception):  # then each takes them apart itself
        module_common._compile_module_ast = functools.cache(module_common._compile_module_ast)
        for look in (module_common.ModuleDepFinder, module_common.LegacyModuleUtilLocator):
            remember(look)
        module_common.modify_module(
            module_name="ping",
            module_path=module_loader.find_plugin("ansible.builtin.ping", ".py"),
            module_args={},
            templar=Templar(DataLoader()),
            task_vars={"ansible_python_interpreter": "/usr/bin/python"},
            module_compression="ZIP_STORED",
            async_timeout=0,
            become_plugin=None,
            environment={},
        )


def remember(look: Any) -> None:
    """Have a class of core look once at what it is given: imports in a syntax tree, the file of a name.

    Most modules import the same files.
    """
    begin: Callable[..., None] = look.__init__
    found: dict[tuple[Any, ...], dict[str, Any]] = {}

    @functools.wraps(begin)
    def remembering(self: Any, *given: Any, **named: Any) -> None:
        key = (given, *((name, tuple(one) if isinstance(one, list) else one) for name, one in named.items()))
        if key not in found:
            begin(self, *given, **named)
            found[key] = vars(self)
        vars(self).update(found[key])

    look.__init__ = remembering


def is_elsewhere(session: AnsibleSession, host: Host) -> bool:
    """Whether a host's modules seem to be for this lane."""
    from ansible import constants

    try:
        with session.knowing(host):
            known = session.inventory.get_host(host.name)
            variables = session.variable_manager.get_vars(play=session.play, host=known, include_hostvars=False)
    except Exception:
        return False  # the operation meets it as well
    connection = variables.get("ansible_connection") or constants.config.get_config_value("DEFAULT_TRANSPORT")
    return str(connection).rpartition(".")[2] in ("ssh", "smart")


def environment_of(action: Any) -> dict[str, str]:
    """The variables that a task adds to the environment of its module."""
    found: dict[str, Any] = {}
    action._compute_environment_string(found)
    return {str(key): str(value) for key, value in found.items()}


def used_variables(action: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """The variables of the host that an action runs a module on."""
    if not action._task.delegate_to:
        return variables
    delegated: dict[str, Any] = variables["ansible_delegated_vars"][action._task.delegate_to]
    return delegated


def connection_key(connection: Any) -> str:
    """What a connection is made with, as a digest; its passwords are not to be had of it."""
    context = connection._play_context
    return digest(connection.transport, context.remote_addr, connection.get_options(), context.password)


def digest(*parts: Any) -> str:
    """A digest of some data."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def made_files(build: Callable[[], tuple[Any, str]]) -> ModuleFiles:
    """The files of a module that core builds.

    Raises:
        NotHere: core cannot build it, or makes something else of it.
    """
    from ansible.errors import AnsibleError

    try:
        files = module_files(build()[0].b_module_data)
    except AnsibleError as error:
        raise NotHere(str(error)) from None
    if files is None:
        raise NotHere("it is packed in a way that is not known")
    return files


def parts(path: str, target: str) -> Iterator[Order]:
    """Orders that write a file on the host, part by part.

    Raises:
        OSError: it cannot be read.
    """
    with Path(path).open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode & 0o777
        start, part = 0, file.read(_PART)
        yield Order({"path": target, "at": start, "mode": mode}, part)
        while part:
            start, part = start + len(part), file.read(_PART)
            if part:
                yield Order({"path": target, "at": start, "mode": mode}, part)


@contextlib.contextmanager
def becoming(connection: Any, become: Any) -> Iterator[None]:
    """Have a connection become a user by this plugin for a while; None is nobody else than it is."""
    before, connection.become = connection.become, become
    try:
        yield
    finally:
        connection.become = before


@contextlib.contextmanager
def substituting(connection: Any, methods: dict[str, Any]) -> Iterator[None]:
    """Have a connection use these methods for a while, and else its class's own."""
    before = {name: vars(connection).pop(name) for name in ("exec_command", *methods) if name in vars(connection)}
    vars(connection).update(methods)
    try:
        yield
    finally:
        for name in methods:
            vars(connection).pop(name, None)
        vars(connection).update(before)


def opened(action: Any, shebang: str) -> list[int]:
    """Have core connect and become the user, and start the host's Python; descriptors of its input, output and errors.

    Raises:
        NotHere: the host does not do this, or not on pipes.
        AnsibleError: what core raises where the host is not reached, or a password is wrong.
    """
    from ansible.errors import AnsibleConnectionFailure, AnsibleError

    connection = action._connection
    become = connection.become
    command = f"{connection._shell.build_module_command('', shebang, '')} -c {shlex.quote(BOOT)}"
    substitutes: dict[str, Any] = {
        "exec_command": lambda cmd, in_data=None, sudoable=True: type(connection).exec_command(
            connection, cmd, in_data=in_data, sudoable=sudoable
        ),
        "_send_initial_data": _take,
        "_init_shm": lambda: {**type(connection)._init_shm(connection), "start_new_session": True},
        "_run": functools.partial(type(connection)._run, connection, checkrc=False),
    }
    try:
        with substituting(connection, substitutes), becoming(connection, become or _nobody_else()):
            result = action._low_level_execute_command(command, sudoable=True, in_data=b"\n")
    except Opened as opening:
        return opening.descriptors
    except AnsibleConnectionFailure as error:
        if become is None and _PROMPT not in str(error):
            raise
        raise NotHere(str(error)) from None
    except AnsibleError as error:
        if become is not None and become.pipelining:
            raise
        raise NotHere(str(error)) from None
    said = (result["stderr"] or result["stdout"]).strip()
    raise NotHere(f"no program stays there: {said}")


def _take(_handle: Any, _data: bytes, process: Any) -> None:
    """Take the descriptors of a connection that is up, instead of sending something and waiting for its end."""
    streams = (process.stdin, process.stdout, process.stderr)
    descriptors = [os.dup(stream.fileno()) for stream in streams]
    raise Opened(descriptors)


def _nobody_else() -> Any:
    """A become plugin that becomes nobody else: core then tells when the host's shell has begun."""
    from ansible.plugins.become import BecomeBase

    class Nobody(BecomeBase):  # type: ignore[misc]
        name = "nobody"

        def build_become_command(self, cmd: str, shell: Any) -> Any:
            super().build_become_command(cmd, shell)
            return self._build_success_command(cmd, shell)

    return Nobody()
