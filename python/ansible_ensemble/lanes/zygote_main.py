"""The zygote's program: a small warm process that runs each local Ansible module in a child forked from itself.

It knows `ansible.module_utils` and nothing of the controller, so a fork is cheap and a module finds its imports ready.
It is started as `python zygote_main.py REDIRECTIONS [collection path ...]` with a control socket as standard input; the
redirections are those of core's imports, as JSON. A request is one byte on that socket with three descriptors: a
connection, and the write ends of the module's output and error pipes. On the connection the client sends the request as
a frame (four bytes of length, JSON), and the zygote answers `s` before the module starts and its exit code as a line
when it ended. A client that closes its connection ends its module. When the control socket is closed, every module is
ended and the zygote with them.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from types import CodeType, ModuleType
from typing import Any

_GUARD = re.compile(rb"""^if\s+__name__\s*==\s*['"]__main__['"]""", re.MULTILINE)


class WarmModule(importlib.abc.InspectLoader):
    """Loader of a module whose code is compiled already."""

    def __init__(self, code: CodeType) -> None:
        self._code = code

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - importlib's signature
        """The code compiled when the module was first asked for."""
        return self._code

    def get_source(self, fullname: str) -> None:  # noqa: ARG002 - importlib's signature
        """The source; not kept."""
        return


class WarmModules(importlib.abc.MetaPathFinder):
    """Finder of the Ansible modules seen so far, so that a collection's module is compiled once."""

    def __init__(self) -> None:
        self._specs: dict[str, tuple[importlib.machinery.ModuleSpec, tuple[int, int]]] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a warm module, None for any other."""
        found = self._specs.get(fullname)
        return found[0] if found else None

    def warm(self, name: str) -> None:
        """Compile a module and import what it imports; a module that changed on disk is compiled again.

        A module without the `__main__` guard would run if it was imported: only its code is kept. A module that
        can't be imported is left alone: the child meets the same error where Ansible would show it.
        """
        spec = self._specs[name][0] if name in self._specs else importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            return
        state = os.stat(spec.origin)  # noqa: PTH116 - pathlib costs an import
        stamp = (state.st_mtime_ns, state.st_size)
        if name in self._specs and self._specs[name][1] == stamp:
            return
        self._specs.pop(name, None)
        spec = importlib.util.find_spec(name)
        if spec is None or not isinstance(spec.loader, importlib.abc.InspectLoader):
            return
        code = spec.loader.get_code(name)
        if code is None:
            return
        with open(spec.origin or "", "rb") as source:  # noqa: PTH123
            guarded = _GUARD.search(source.read())
        if guarded:
            importlib.import_module(name)
            sys.modules.pop(name, None)
        warm = importlib.machinery.ModuleSpec(name, WarmModule(code), origin=spec.origin)
        warm.has_location = True
        self._specs[name] = (warm, stamp)
        gc.collect()
        gc.freeze()


class Run:
    """A module that runs: its process, and the client that waits for it."""

    __slots__ = ("client", "pid")

    def __init__(self, pid: int, client: socket.socket) -> None:
        self.pid = pid
        self.client = client


class Zygote:
    """Takes requests, forks, reports exit codes."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.modules = WarmModules()
        self.runs: dict[int, Run] = {}
        self.selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Serve until the control socket is closed."""
        wake, alarm = socket.socketpair()
        alarm.setblocking(False)
        wake.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_arguments: None)
        signal.set_wakeup_fd(alarm.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.control, selectors.EVENT_READ, "control")
        self.selector.register(wake, selectors.EVENT_READ, "child")
        while True:
            for key, _events in self.selector.select():
                if key.data == "control":
                    if not self.accept():
                        return
                elif key.data == "child":
                    with contextlib.suppress(BlockingIOError):
                        wake.recv(4096)
                    self.reap()
                elif key.data in self.runs:
                    self.client_left(self.runs[key.data])

    def accept(self) -> bool:
        """Take one request; False when no sender is left."""
        mark, descriptors, _other, _other = socket.recv_fds(self.control, 1, 3)
        if not mark:
            return False
        connection, out, err = descriptors
        client = socket.socket(fileno=connection)
        try:
            request = read_request(client)
        except (OSError, ValueError):
            client.close()
            os.close(out)
            os.close(err)
            return True
        with contextlib.suppress(BaseException):
            self.modules.warm(request["module"])
        # before the fork: should the zygote be killed in between, a module that runs is not taken for one that does not
        with contextlib.suppress(OSError):
            client.send(b"s")
        pid = os.fork()
        if pid == 0:
            run_module(request, out, err)
        os.close(out)
        os.close(err)
        self.runs[pid] = Run(pid, client)
        self.selector.register(client, selectors.EVENT_READ, pid)
        return True

    def client_left(self, run: Run) -> None:
        """End the module of a client that closed its connection."""
        self.selector.unregister(run.client)
        kill_session(run.pid)

    def reap(self) -> None:
        """Report each module that ended."""
        while self.runs:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            run = self.runs.pop(pid, None)
            if run is None:
                continue
            with contextlib.suppress(KeyError, ValueError):
                self.selector.unregister(run.client)
            with contextlib.suppress(OSError):
                run.client.send(b"%d\n" % os.waitstatus_to_exitcode(status))
            run.client.close()

    def end(self) -> None:
        """End every module that still runs."""
        for pid in self.runs:
            kill_session(pid)


def kill_session(pid: int) -> None:
    """Kill a module and what it started in its session."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def read_request(client: socket.socket) -> dict[str, Any]:
    """Read a request's frame.

    Raises:
        ValueError: the client closed its connection in the middle.
    """
    size = int.from_bytes(read_exactly(client, 4), "big")
    request: dict[str, Any] = json.loads(read_exactly(client, size))
    return request


def read_exactly(client: socket.socket, size: int) -> bytes:
    """Read so many bytes.

    Raises:
        ValueError: there are fewer.
    """
    data = bytearray()
    while len(data) < size:
        chunk = client.recv(min(size - len(data), 1 << 20))
        if not chunk:
            raise ValueError("the request is cut off")
        data += chunk
    return bytes(data)


def run_module(request: dict[str, Any], out: int, err: int) -> None:
    """Run a module in this forked child the way Ansible's own wrapper runs it, and end the process."""
    code: object = 1
    try:
        prepare_child(request, out, err)
        load_module(
            request["module"],
            request["arguments"].encode("utf-8", "surrogateescape"),
            profile=request["profile"],
            modlib_path=request["modlib_path"],
            secrets=request["secrets"],
        )
    except SystemExit as ending:
        code = ending.code if ending.code is not None else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def load_module(name: str, arguments: bytes, *, profile: str, modlib_path: str, secrets: Sequence[str]) -> None:
    """Run a module by Ansible's own runner of modules.

    Raises:
        SystemExit: always, for a module ends so.
    """
    from ansible.module_utils._internal._ansiballz import _loader

    _loader.run_module(
        json_params=arguments,
        profile=profile,
        module_fqn=name,
        modlib_path=modlib_path,
        extensions={},
        **({"secrets": frozenset(secrets)} if "secrets" in loader_parameters(_loader) else {}),
    )


def rehearse(rounds: int = 10) -> None:
    """Run a module that does nothing in this process, before any other is run.

    What a module's first run leaves in memory (code that is specialised, types and symbols that are looked up) is then
    shared by all forks, and not created in each fork's own pages.
    """
    from ansible.module_utils import basic

    before = dict(vars(basic))
    # no_log keeps it out of the system's log
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {"_ansible_no_log": True}}).encode()
    for _turn in range(rounds):
        with contextlib.suppress(Exception, SystemExit):
            load_module("ansible.modules.ping", arguments, profile="legacy", modlib_path="", secrets=())
    vars(basic).update(before)
    sys.stdout.flush()  # else each fork would print it once more


def prepare_child(request: dict[str, Any], out: int, err: int) -> None:
    """Give the child the session, streams, signals, folder and environment that a fresh process would have."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.closerange(3, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 4096))
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, buffering=1)  # noqa: SIM115
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    set_environment(request["environment"])
    if request["folder"]:
        os.chdir(request["folder"])
    sys.argv = [request["path"]]


def set_environment(wanted: dict[str, str]) -> None:
    """Make the environment this one; nearly all of it is so already."""
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def prepare(redirections: dict[str, Any], collection_paths: list[str]) -> WarmModules | None:
    """Import what every module needs; None if this ansible-core runs modules in a way that is not known here."""
    try:
        from ansible.module_utils._internal._ansiballz import _loader
        from ansible.utils.collection_loader import _collection_finder

        know_redirections(_collection_finder, redirections)
        _collection_finder._AnsibleCollectionFinder(paths=collection_paths)._install()
        parameters = loader_parameters(_loader)
    except (ImportError, AttributeError):
        return None
    given = {"json_params", "profile", "module_fqn", "modlib_path", "extensions"}
    # init_globals is optional; secrets came with 2.22
    if not given <= parameters <= given | {"init_globals", "secrets"}:
        return None
    for name in (
        "ansible_collections.ansible.builtin",
        "ansible.module_utils._internal._json._profiles._module_legacy_c2m",
        "ansible.module_utils._internal._json._profiles._module_legacy_m2c",
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    modules = WarmModules()
    sys.meta_path.insert(0, modules)
    rehearse()
    return modules


def know_redirections(finder: Any, redirections: dict[str, Any]) -> None:
    """Have core's finder take these of its own imports: they are all that it asks its file for, which is large."""
    parse = finder._meta_yml_to_dict

    def parsed(text: bytes, identity: Any) -> Any:
        own = identity == ("ansible.builtin", "runtime.yml")
        return {"import_redirection": redirections} if own else parse(text, identity)

    finder._meta_yml_to_dict = parsed


def loader_parameters(loader: Any) -> set[str]:
    """The names of the arguments that Ansible's module runner takes."""
    code = loader.run_module.__code__
    return set(code.co_varnames[: code.co_kwonlyargcount])


def main(arguments: list[str]) -> int:
    """Serve on standard input, with these redirections and collection paths."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    modules = prepare(json.loads(arguments[0]), arguments[1:])
    if modules is None:
        return 1
    gc.collect()
    gc.freeze()
    zygote = Zygote(socket.socket(fileno=os.dup(0)))
    zygote.modules = modules
    try:
        zygote.serve()
    finally:
        zygote.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
