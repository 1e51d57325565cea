"""The program on a host, of one user: runs Ansible modules in children forked from itself, as the zygote does here.

It comes through the connection and is never a file. Frames on its standard input order runs of modules, commands and
small files; what they print and how they end are frames on its standard output. When its input ends, the connection is
gone: every child is killed, what it has made for modules is removed, and the program ends. It runs on each Python that
Ansible supports on hosts.

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
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType
from typing import Any

from ansible_ensemble.lanes.remote_folders import Folders, write
from ansible_ensemble.lanes.remote_wire import Unpacker, pack
from ansible_ensemble.lanes.zygote_main import kill_session, run_module

OLDEST_PYTHON = (3, 8)  #: that this program runs with
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
        self._is_left = False
        self._folders = Folders()
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
        """Kill every child, and remove what was made for modules, unless another process goes on with it."""
        for pid in self._runs:
            kill_session(pid)
        if not self._is_left:
            self._folders.end()

    def _take(self, header: dict[str, Any], body: bytes) -> None:
        if "files" in header:
            self._sources.add(header["files"], zlib.decompress(body))
        elif "kill" in header:
            for pid, run in self._runs.items():
                if run.number == header["kill"]:
                    kill_session(pid)
        elif "leave" in header:
            self._is_left = True
        elif world() != self._world:
            self._is_left = True
            self._send(pack({"id": header["id"], "stale": True}))
        elif not self._does_here(header, body):
            try:
                self._begin(header, body)
            except OSError:  # there is no room for another process
                self._is_left = True
                self._send(pack({"id": header["id"], "stale": True}))

    def _does_here(self, header: dict[str, Any], body: bytes) -> bool:
        """Do what needs no process of its own; False of anything else, or if it fails."""
        printed: bytes | None = None
        if "chore" in header:
            printed = self._folders.carry_out(*header["chore"])
        elif "path" in header and self._folders.put(header["path"], header["at"], body, header["mode"]):
            printed = b""
        if printed is None:
            return False
        if printed:
            self._send(pack({"id": header["id"], "stream": 1}, printed))
        self._send(pack({"id": header["id"], "code": 0}))
        return True

    def _begin(self, header: dict[str, Any], body: bytes) -> None:
        """Start what has a process of its own."""
        if "command" in header or "argv" in header:
            argv = header.get("argv") or [login_shell(), "-c", header["command"]]
            environment = {**self._environment, **header.get("environment", {})}
            self._watch(header["id"], lambda out, err: start_program(argv, environment, out, err))
            return
        if "path" in header:
            path, start, mode = header["path"], header["at"], header["mode"]
            self._watch(header["id"], forked(lambda _out, err: put_file(path, start, body, mode, err)))
            return
        self._prepare(header["compile"])
        request = {
            **header,
            "arguments": body.decode("utf-8", "surrogateescape"),
            "modlib_path": _ROOT,
            "path": header["module"],
            "folder": None,
            "environment": {**os.environ, **header["environment"]},
        }
        self._watch(header["id"], forked(lambda out, err: run_module(request, out, err)))

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

    def _watch(self, number: int, start: Callable[[int, int], int]) -> None:
        """Start a process, given its output and error pipes, and forward what it prints."""
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        try:
            pid = start(out_end, err_end)
        except OSError:
            os.close(out)
            os.close(err)
            raise
        finally:
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


def forked(work: Callable[[int, int], None]) -> Callable[[int, int], int]:
    """Start a child that does some work, which ends it."""

    def start(out: int, err: int) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                signal.signal(signal.SIGHUP, signal.SIG_DFL)
                settle_in_folder()
                importlib.invalidate_caches()
                work(out, err)
            finally:
                os._exit(1)
        return pid

    return start


def login_shell() -> str:
    """The user's shell, by which the server for SSH starts commands."""
    return pwd.getpwuid(os.getuid()).pw_shell or "/bin/sh"


def start_program(argv: list[str], environment: dict[str, str], out: int, err: int) -> int:
    """Start a program."""
    settle_in_folder()
    process = subprocess.Popen(
        [os.path.basename(argv[0]), *argv[1:]],
        executable=argv[0],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        env=environment,
        start_new_session=True,
    )
    process.returncode = 0  # its end is the server's to see
    return process.pid


def put_file(path: str, start: int, content: bytes, mode: int, err: int) -> None:
    """Write a part of a file in this child."""
    try:
        write(path, start, content, mode)
        os._exit(0)
    except OSError as error:
        os.write(err, str(error).encode("utf-8", "replace"))
        os._exit(1)


def main(oldest: tuple[int, int]) -> None:
    """Serve on the standard streams, which then are nobody else's; modules need the oldest Python, or a newer one."""
    if sys.platform == "darwin":
        sys.exit("forks of its Python may break")
    if sys.version_info < max(oldest, OLDEST_PYTHON):
        sys.exit(f"modules need Python {oldest[0]}.{oldest[1]} or newer")
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
