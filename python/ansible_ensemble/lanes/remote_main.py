"""The program on a host, of one user: runs Ansible modules in children forked from itself, as the zygote does here.

It comes through the connection and is never a file. Frames on its standard input order runs of modules, commands and
small files; what they print and how they end are frames on its standard output. When its input ends, the connection is
gone: every child is killed, and the program ends. It runs on each Python that Ansible supports on hosts.

Modules' files are kept in memory. This process itself imports only what every module needs of ansible-core: what else a
module imports, its own process reads from the host's disk, for an operation before it may have changed that.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pwd
import selectors
import signal
import site
import socket
import sys
import zlib
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType
from typing import Any

from ansible_ensemble.lanes.remote_wire import Unpacker, pack
from ansible_ensemble.lanes.zygote_main import kill_session, prepare_child, run_module

#: Before the first frame; what login scripts print comes before it.
HELLO = b"\0ansible-ensemble\0"
#: Where tracebacks say that a module's files are.
_ROOT = "/ansible-ensemble.zip"
_CHUNK = 1 << 16
#: What every module imports.
_COMMON = (
    "ansible.module_utils._internal._ansiballz._loader",
    "ansible.module_utils._internal._json._profiles._module_legacy_c2m",
    "ansible.module_utils._internal._json._profiles._module_legacy_m2c",
)
#: A new login or a new Python would find another world if one of these has changed: users, groups, limits, variables.
_WORLD = (
    *("/etc/passwd", "/etc/group", "/etc/sudoers", "/etc/sudoers.d", "/etc/doas.conf", "/etc/nsswitch.conf"),
    *("/etc/environment", "/etc/security/limits.conf", "/etc/security/limits.d", "/etc/security/pam_env.conf"),
    *("/etc/localtime", "/etc/timezone", "/etc/locale.conf", "/etc/default/locale", "/etc/login.defs", "/etc/pam.d"),
    *("~/.bashrc", "~/.zshenv", "~/.ssh/environment", "~/.ssh/rc", "/etc/bash.bashrc", "/etc/ssh/sshrc"),
)


class Source(importlib.abc.InspectLoader):
    """Loader of one of the files in memory, which is compiled once."""

    def __init__(self, name: str, text: bytes) -> None:
        self.name = name
        self._text = text
        self._code: CodeType | None = None

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - importlib's signature
        """The compiled file."""
        if self._code is None:
            self._code = self.source_to_code(self._text, f"{_ROOT}/{self.name}")
        return self._code

    def get_source(self, fullname: str) -> str:  # noqa: ARG002 - importlib's signature
        """Its text, for tracebacks."""
        return importlib.util.decode_source(self._text)

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002 - importlib's signature
        """Whether other files lie below it."""
        return self.name.endswith("/__init__.py")


class Sources(importlib.abc.MetaPathFinder):
    """Finder of the files that came through the connection."""

    def __init__(self) -> None:
        self._files: dict[str, Source] = {}

    def add(self, files: list[list[Any]], texts: bytes) -> None:
        """Take in files: their names and sizes, and their texts one after the other."""
        position = 0
        for name, size in files:
            self._files[name] = Source(name, texts[position : position + size])
            position += size

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a file in memory, None for any other module."""
        base = fullname.replace(".", "/")
        source = self._files.get(f"{base}/__init__.py") or self._files.get(f"{base}.py")
        if source is None:
            return None
        package = source.is_package(fullname)
        spec = importlib.machinery.ModuleSpec(fullname, source, origin=f"{_ROOT}/{source.name}", is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [f"{_ROOT}/{base}"]
        return spec

    def compile(self, names: list[str]) -> None:
        """Compile files before the fork, so that each child finds them so; one with an error is left to the child."""
        for name in names:
            with contextlib.suppress(Exception):
                self._files[name].get_code(name)


class Run:
    """A child: its number in frames, and its output and error pipes that are still open, by what they are."""

    def __init__(self, number: int, streams: dict[int, int]) -> None:
        self.number = number
        self.streams = streams


class Server:
    """Serves one connection.

    Args:
        source, sink: descriptors of frames that come and go.
    """

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._frames = Unpacker()
        self._sources = Sources()
        self._selector = selectors.DefaultSelector()
        self._runs: dict[int, Run] = {}
        self._ready = False
        self._environment = login_environment()
        self._world = world()
        sys.meta_path.insert(0, self._sources)

    def serve(self) -> None:
        """Serve until the connection is gone."""
        wake, alarm = socket.socketpair()
        for end in (wake, alarm):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_arguments: None)
        signal.set_wakeup_fd(alarm.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._source, selectors.EVENT_READ, "source")
        self._selector.register(wake, selectors.EVENT_READ, "child")
        self._send(HELLO + pack({"hello": list(sys.version_info[:3])}))
        while True:
            for key, _events in self._selector.select():
                if key.data == "source":
                    data = os.read(self._source, _CHUNK)
                    if not data:
                        return
                    for header, body in self._frames.add(data):
                        self._take(header, body)
                elif key.data == "child":
                    with contextlib.suppress(BlockingIOError):
                        wake.recv(4096)
                    self._reap()
                elif key.fd in key.data.streams:
                    self._forward(key.data, key.fd)

    def end(self) -> None:
        """Kill every child."""
        for pid in self._runs:
            kill_session(pid)

    def _take(self, header: dict[str, Any], body: bytes) -> None:
        if "files" in header:
            self._sources.add(header["files"], zlib.decompress(body))
        elif "kill" in header:
            for pid, run in self._runs.items():
                if run.number == header["kill"]:
                    kill_session(pid)
        elif world() != self._world:
            self._send(pack({"id": header["id"], "stale": True}))
        else:
            self._start(header["id"], self._work(header, body))

    def _work(self, header: dict[str, Any], body: bytes) -> Callable[[int, int], None]:
        """What a child does, given its output and error pipes; it ends the process."""
        if "module" in header:
            self._prepare(header["compile"])
            request = {
                **header,
                "arguments": body.decode("utf-8", "surrogateescape"),
                "modlib_path": _ROOT,
                "path": header["module"],
                "folder": None,
                "environment": {**os.environ, **header["environment"]},
            }
            return lambda out, err: run_module(request, out, err)
        request = {"folder": None, "environment": self._environment, "path": ""}
        if "command" in header:
            return lambda out, err: run_command(request, header["command"], out, err)
        return lambda _out, err: put_file(header["path"], header["mode"], body, err)

    def _prepare(self, names: list[str]) -> None:
        self._sources.compile(names)
        if not self._ready:
            self._ready = True
            for name in _COMMON:
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
        if names:
            gc.collect()
            gc.freeze()

    def _start(self, number: int, work: Callable[[int, int], None]) -> None:
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGHUP, signal.SIG_DFL)
                settle_in_folder()
                importlib.invalidate_caches()
                work(out_end, err_end)
            finally:
                os._exit(1)
        os.close(out_end)
        os.close(err_end)
        run = self._runs[pid] = Run(number, {out: 1, err: 2})
        for stream in run.streams:
            os.set_blocking(stream, False)
            self._selector.register(stream, selectors.EVENT_READ, run)

    def _forward(self, run: Run, stream: int) -> bool:
        """Send on what a child printed; False if there is nothing at the moment, or nothing more."""
        try:
            data = os.read(stream, _CHUNK)
        except BlockingIOError:
            return False
        if data:
            self._send(pack({"id": run.number, "stream": run.streams[stream]}, data))
            return True
        self._selector.unregister(stream)
        os.close(stream)
        del run.streams[stream]
        return False

    def _reap(self) -> None:
        """Report each child that ended, after what it printed."""
        while self._runs:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            run = self._runs.pop(pid, None)
            if run is None:
                continue
            for stream in list(run.streams):
                while self._forward(run, stream):
                    pass
                if stream in run.streams:  # a process that goes on has it as well
                    self._selector.unregister(stream)
                    os.close(stream)
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self._send(pack({"id": run.number, "code": code}))

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._sink, view) :]


def world() -> list[tuple[int, int, int] | None]:
    """What tells whether a process that began now would find what this one found."""
    libraries = [*getattr(site, "getsitepackages", list)(), getattr(site, "getusersitepackages", str)()]
    names = (*_WORLD, *libraries, os.path.realpath(sys.executable), os.__file__)
    return [_stamp(os.path.expanduser(name)) for name in names]


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size, state.st_ino


def login_environment() -> dict[str, str]:
    """The environment that this program was started with: Python may have added a locale for itself."""
    found = dict(os.environ)
    with contextlib.suppress(OSError):
        with open("/proc/self/environ", "rb") as file:
            given = {entry.split(b"=", 1)[0] for entry in file.read().split(b"\0")}
        if b"LC_CTYPE" not in given:
            found.pop("LC_CTYPE", None)
    return found


def settle_in_folder() -> None:
    """Go home, or to the root, where this process's folder may not be looked at, as Ansible's own wrapper does."""
    try:
        os.getcwd()
    except OSError:
        try:
            os.chdir(os.path.expanduser("~"))
        except OSError:
            os.chdir("/")


def run_command(request: dict[str, Any], command: str, out: int, err: int) -> None:
    """Run a command in this child as the server for SSH would: by the user's shell."""
    prepare_child(request, out, err)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    shell = pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"
    os.execv(shell, [os.path.basename(shell), "-c", command])


def put_file(path: str, mode: int, content: bytes, err: int) -> None:
    """Write a file in this child."""
    try:
        target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with open(target, "wb") as file:
            file.write(content)
        os._exit(0)
    except OSError as error:
        os.write(err, str(error).encode("utf-8", "replace"))
        os._exit(1)


def main() -> None:
    """Serve on the standard streams, which then are nobody else's."""
    if sys.platform == "darwin":
        sys.exit("forks of its Python may break")
    if sys.version_info < (3, 8):
        sys.exit("modules need Python 3.8 or newer")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_arguments: sys.exit())
    sys.path = [entry for entry in sys.path if entry not in ("", ".")]
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    server = Server(source, sink)
    try:
        server.serve()
    except OSError:
        pass  # nobody reads any more
    finally:
        server.end()
        os._exit(0)
