"""Run this project's commands in forks of an interpreter that has loaded their modules already.

Most of what a test of a command takes is the start of Python and the import of modules. So a server imports what
commands import, and forks for each command that a test runs: `run` is like `subprocess.run`, with the same
streams, environment, working folder and exit code.

Nothing that depends on the environment is preloaded: not Ansible's configuration, nor what imports it. When a command
starts `ansible-playbook` on a terminal of its own, as ansible-runner does, the child that would execute that program
continues as it, with the modules of this project as they were when the server started. A job's zygote is a fork of
another server, which knows nothing of commands. Whatever else is started is a process as usual. Tests of the start
itself run real processes (`run_fresh`).
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import ctypes.util
import functools
import gc
import importlib.util
import json
import logging
import os
import pickle
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

PROGRAMS = Path(sys.executable).parent
_KEPT = Path(__file__).parent.parent / ".build" / "preloaded"
#: Programs that a fork of the server can be, beside scripts of Python.
_KNOWN = {str(PROGRAMS / f"ansible-{name}") for name in ("ensemble", "playbook", "inventory", "vault", "doc", "galaxy")}
#: What the interpreter and its libraries read when they start, so that a fork cannot heed it, but for some.
_OF_THE_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "OPENSSL_", "SSL_", "GIT_PYTHON_")
#: The size of a request, in bytes, that is a message of its own: several processes may send some.
_LONGEST = 1 << 18
_WITHOUT_EFFECT = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str],
    input: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in a fork of the server if that is the same as a new process.

    Args:
        command: the path of a program and its arguments.
        cwd: its working folder, that of this process if left out.
        env: its whole environment.
        input: what it reads from its standard input.
    """
    words = [os.fspath(word) for word in command]
    if _is_script(words):
        words = words[1:]
    elif words[0] not in _KNOWN:
        return run_fresh(words, cwd=cwd, env=env, input=input)
    if _of_the_start(env) != _of_the_start(_plain(os.environ)) or _has_site(env):
        return run_fresh(command, cwd=cwd, env=env, input=input)
    return _SERVER.run(words, cwd or Path.cwd(), env, input)


def run_fresh(
    command: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str], input: str = ""
) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    return subprocess.run(command, cwd=cwd, env=env, input=input, capture_output=True, text=True, check=False)


def _is_script(words: Sequence[str]) -> bool:
    return words[0] == sys.executable and len(words) > 1 and words[1].endswith(".py")


def _plain(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without settings of Python and Ansible, as users mostly have it."""
    return {name: value for name, value in environment.items() if not name.startswith(("ANSIBLE_", "PYTHON"))}


def _of_the_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_OF_THE_START) and name not in _WITHOUT_EFFECT
    }


def _has_site(environment: Mapping[str, str]) -> bool:
    """Whether Python runs a module of the environment when it starts."""
    folders = environment.get("PYTHONPATH", "").split(os.pathsep)
    return any((Path(folder) / "sitecustomize.py").exists() for folder in folders if folder)


class _Server:
    """The client of a server, which is started when it is first needed, and ends with this process.

    Args:
        environment: what it is started with; that of this process if left out.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment
        self._connection: socket.socket | None = None

    def run(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], given: str
    ) -> subprocess.CompletedProcess[str]:
        request = {"argv": words, "cwd": str(cwd), "environment": dict(env), "umask": _umask()}
        with contextlib.ExitStack() as opened:
            stdin = opened.enter_context(tempfile.TemporaryFile())
            stdin.write(given.encode())
            stdin.seek(0)
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            opened.enter_context(ours)
            reading, writing = zip(os.pipe(), os.pipe(), strict=True)
            with theirs:
                _send(self.connected(), request, [theirs.fileno(), stdin.fileno(), *writing])
            for descriptor in writing:
                os.close(descriptor)
            streams = [opened.enter_context(os.fdopen(descriptor, "rb", buffering=0)) for descriptor in reading]
            stdout, stderr = _read(streams)
            ours.recv(100)  # its process
            code = json.loads(ours.recv(100))
        return subprocess.CompletedProcess(list(words), code, stdout, stderr)

    def connected(self) -> socket.socket:
        if self._connection is None:
            self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, __file__, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                    env=_plain(self._environment or os.environ),
                )
            atexit.register(self._end)
        return self._connection

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._process.kill()  # what a shell started in the background may hold a copy of the connection
            self._process.wait()


_SERVER = _Server()


@functools.cache
def _server_for(environment: str) -> _Server:
    """A server for shells whose environment, as JSON, differs in what counts when Python starts."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_START)}
    return _Server({**kept, **json.loads(environment)})


@contextlib.contextmanager
def stand_ins(environment: Mapping[str, str]) -> Iterator[tuple[dict[str, str], list[int]]]:
    """Let a shell's commands be forks of a server as well; gives the shell's environment, and its descriptors."""
    started = _of_the_start(environment)
    is_as_here = started == _of_the_start(_plain(os.environ))
    server = _SERVER if is_as_here else _server_for(json.dumps(started, sort_keys=True))
    with tempfile.TemporaryDirectory() as folder:
        text = Path(__file__).with_name("preloaded_client.py").read_text()
        for program in ("ansible-ensemble", "ansible-playbook"):
            file = Path(folder, program)
            file.write_text(f"#!{sys.executable} -IS\n{text}")
            file.chmod(0o755)
        number = server.connected().fileno()
        path = f"{folder}{os.pathsep}{environment['PATH']}"
        yield {**environment, "PATH": path, "PRELOADED_CONNECTION": str(number)}, [number]


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _read(streams: Sequence[Any]) -> list[str]:
    """All that comes out of some pipes, as text."""
    found: dict[Any, list[bytes]] = {stream: [] for stream in streams}
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                part = os.read(key.fd, 1 << 16)
                found[key.fileobj].append(part)
                if not part:
                    selector.unregister(key.fileobj)
    return [b"".join(parts).decode().replace("\r\n", "\n") for parts in found.values()]


def _send(connection: socket.socket, request: dict[str, Any], descriptors: list[int]) -> None:
    passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    connection.sendmsg([json.dumps(request).encode()], passed)


# --- the server -------------------------------------------------------------------------------------------------------


def serve(connection: socket.socket) -> None:
    """Fork for each request, until there can be no more; the fork returns when its command is to be run."""
    ended: dict[int, socket.socket] = {}
    waking = _child_signals()
    with selectors.DefaultSelector() as selector:
        selector.register(connection, selectors.EVENT_READ)
        selector.register(waking, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not connection:
                    os.read(waking, 1 << 12)
                    _tell_ends(ended)
                elif (received := _receive(connection)) is None:
                    os._exit(0)
                else:
                    request, (telling, *streams) = received
                    pid = os.fork()
                    if pid == 0:
                        selector.close()
                        _begin(request, streams, [connection.fileno(), telling, waking])
                        return
                    ended[pid] = socket.socket(fileno=telling)
                    with contextlib.suppress(OSError):
                        ended[pid].send(json.dumps(pid).encode())
                    for descriptor in streams:
                        os.close(descriptor)


def _child_signals() -> int:
    """A pipe that can be read when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def _tell_ends(ended: dict[int, socket.socket]) -> None:
    while ended:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with ended.pop(pid) as telling, contextlib.suppress(OSError):
            telling.send(json.dumps(os.waitstatus_to_exitcode(status)).encode())


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    text, passed, _, _ = connection.recvmsg(_LONGEST, socket.CMSG_SPACE(16 * 4))
    if not text:
        return None
    descriptors = array.array("i")
    for _, _, data in passed:
        descriptors.frombytes(data[: len(data) // descriptors.itemsize * descriptors.itemsize])
    return json.loads(text), list(descriptors)


def _begin(request: dict[str, Any], streams: list[int], closed: list[int]) -> None:
    """Let this fork be what a new process is."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    _end_with_parent()  # the server, which ends with the tests
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    for descriptor in {*streams, *closed}:
        if descriptor > 2:
            os.close(descriptor)
    _open_streams()
    os.umask(request["umask"])
    os.chdir(request["cwd"])
    _set_environment(request["environment"])
    _set_arguments(request["argv"])


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _open_streams() -> None:
    """Make the standard streams of the interpreter anew: what they are differs for a pipe, a terminal and a file."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        buffering = 1 if name == "stderr" or os.isatty(number) else -1
        stream = open(number, mode, buffering, errors=getattr(sys, name).errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _set_environment(environment: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    time.tzset()
    for folder in filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)):
        sys.path.insert(1, folder)
        tops = {name for name in sys.modules if "." not in name and (Path(folder) / name).is_dir()}
        others = {top for top in tops if not str(sys.modules[top].__file__).startswith(str(Path(folder) / top))}
        for name in [name for name in sys.modules if name.partition(".")[0] in others]:
            del sys.modules[name]


def _set_arguments(argv: list[str]) -> None:
    sys.argv = list(argv)
    sys.orig_argv = [sys.executable, *argv]
    if not sys.flags.safe_path:
        sys.path[0] = str(Path(argv[0]).parent)


# --- what is loaded before --------------------------------------------------------------------------------------------


def preload() -> None:
    """Import what commands import, and of Ansible what does not depend on the environment."""
    import ansible_ensemble

    _read_documents_of_ansible()
    _read_compiled_files_of_ansible()
    _send_compiled_modules()
    _find_the_c_library()
    with _without("ansible.constants"):
        for found in pkgutil.walk_packages(ansible_ensemble.__path__, "ansible_ensemble."):
            if not found.name.endswith("__main__"):
                _import(found.name)
        for name in _modules_of_playbook():
            if name.partition(".")[0] != "__main__" and not name.startswith("ansible.cli"):
                _import(name)
        for name in ("ansible_runner.interface", "pexpect", "ruamel.yaml", "toscaparser", "git", "xml.dom.minidom"):
            _import(name)
        importlib.import_module("ansible_ensemble.language.normative").normative_types()
    _read_modules_of_ansible()
    importlib.import_module("ansible_ensemble.lanes.zygote").subprocess = _Zygotes()


def _modules_of_playbook() -> list[str]:
    """What ansible-playbook imports; this is found once for a version of Ansible, and of Python."""
    release = importlib.import_module("ansible.release")
    file = _KEPT / f"{release.__version__}-{sys.version_info[0]}.{sys.version_info[1]}"
    if not file.exists():
        with tempfile.TemporaryDirectory() as home:
            listing = "import sys, ansible.cli.playbook; print(*sys.modules)"
            found = subprocess.check_output(
                [sys.executable, "-c", listing], text=True, env={**os.environ, "HOME": home}
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_text(found)
        partial.replace(file)
    return file.read_text().split()


def _import(name: str) -> None:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def _read_documents_of_ansible() -> None:
    """Read the two large documents that Ansible reads at each start, and give those who read them again a copy."""
    import yaml

    folder = Path(str(importlib.import_module("ansible").__file__)).parent / "config"
    read = {
        (loader, (folder / name).read_bytes()): b""
        for name, loader in (("base.yml", yaml.CSafeLoader), ("ansible_builtin_runtime.yml", yaml.CBaseLoader))
    }
    load = yaml.load
    for loader, text in read:
        read[loader, text] = pickle.dumps(load(text, loader))

    def load_again(stream: Any, Loader: Any) -> Any:  # its name in PyYAML
        text = stream
        if getattr(stream, "name", None) == os.fsencode(folder / "base.yml"):
            text = stream.read()
        known = read.get((Loader, text)) if isinstance(text, bytes) else None
        return load(text, Loader) if known is None else pickle.loads(known)

    yaml.load = load_again


def _read_compiled_files_of_ansible() -> None:
    """Read what Ansible's own files were compiled to once; each start would find and read hundreds of files."""
    folder = Path(str(importlib.import_module("ansible").__file__)).parent
    modules = folder / "modules"
    get_code = SourceFileLoader.get_code
    read = {
        str(file): get_code(SourceFileLoader(file.stem, str(file)), file.stem)
        for file in folder.rglob("*.py")
        if modules not in file.parents
    }

    def get_again(self: SourceFileLoader, name: str) -> Any:
        return read.get(self.path) or get_code(self, name)

    SourceFileLoader.get_code = get_again  # type: ignore[method-assign]


def _send_compiled_modules() -> None:
    """Let Ansible's own files travel with what they were compiled to, or each run of a module compiles dozens of them.

    The Python of a host that cannot use that reads the source beside it, as it does where there is none.
    """
    write = zipfile.ZipFile.writestr
    packages = Path(str(importlib.import_module("ansible").__file__)).parent.parent

    def write_both(self: zipfile.ZipFile, told: Any, data: Any, *others: Any, **named: Any) -> None:
        write(self, told, data, *others, **named)
        name = getattr(told, "filename", told)
        source = packages / name
        if not name.startswith("ansible/") or source.suffix != ".py" or not source.is_file():
            return
        if source.read_bytes() == data:
            SourceFileLoader(source.stem, str(source)).get_code(source.stem)  # it compiles what is not, or is no more
            compiled = Path(importlib.util.cache_from_source(source)).read_bytes()[16:]
            # a flag in place of the time of the source: nothing is compared
            header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(data)
            write(self, f"{name}c", header + compiled, self.compression)

    zipfile.ZipFile.writestr = write_both  # type: ignore[method-assign]


def _read_modules_of_ansible() -> None:
    """Read what plans say of the modules that tests use most: where they are, and which arguments are secret."""
    importlib.import_module("ansible_ensemble.configurators.module_names").builtin_routes("modules")
    module_spec = importlib.import_module("ansible_ensemble.configurators.module_spec")
    for name in ("command", "copy", "file", "lineinfile", "template"):
        module_spec.secret_arguments(f"ansible.builtin.{name}", ())


def _find_the_c_library() -> None:
    """Look it up once; each start of Ansible would run a program for that."""
    find = ctypes.util.find_library
    found = find("c")
    ctypes.util.find_library = lambda name: found if name == "c" else find(name)


@contextlib.contextmanager
def _without(name: str) -> Iterator[None]:
    """Let a module, and all that needs it, fail to import."""

    class Refused(MetaPathFinder):
        def find_spec(self, wanted: str, _path: Any = None, _target: Any = None) -> None:
            if wanted == name:
                raise ImportError(name)

    refused = Refused()
    sys.meta_path.insert(0, refused)
    try:
        yield
    finally:
        sys.meta_path.remove(refused)


# --- zygotes of jobs --------------------------------------------------------------------------------------------------


class _Zygotes:
    """Takes the place of `subprocess` where a job starts its zygote: a fork of a server that has its imports."""

    DEVNULL = subprocess.DEVNULL

    def __init__(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiving:
            receiving.bind("")  # a job finds it by its name: ansible-runner closes what it would inherit
            self._address = receiving.getsockname()
            self._server = subprocess.Popen(
                # as a job starts a zygote
                [sys.executable, "-P", __file__, str(receiving.fileno()), "zygote"],
                pass_fds=[receiving.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    def Popen(self, words: Sequence[str], *, stdin: int, **others: Any) -> Any:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        request = {"argv": words[2:], "cwd": str(Path.cwd()), "environment": dict(os.environ), "umask": _umask()}
        with theirs, Path(os.devnull).open("wb") as null, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
            sending.connect(self._address)
            _send(sending, request, [theirs.fileno(), stdin, null.fileno(), null.fileno()])
        return _Zygote(ours)


class _Zygote:
    """What a job knows of its zygote."""

    def __init__(self, telling: socket.socket) -> None:
        self._telling = telling
        self.pid = json.loads(telling.recv(100))

    def wait(self) -> None:
        self._telling.recv(100)


def preload_zygote() -> None:
    """Import what a zygote does, of Ansible; end with the server that started this one."""
    _end_with_parent()
    _read_documents_of_ansible()
    _import("ansible.module_utils.basic")
    _import("ansible.module_utils._internal._ansiballz._loader")
    _import("ansible.module_utils._internal._json._profiles._module_legacy_c2m")
    _import("ansible.module_utils._internal._json._profiles._module_legacy_m2c")
    _import("ansible.utils.collection_loader._collection_finder")


# --- ansible-playbook -------------------------------------------------------------------------------------------------


class Snapshot:
    """The modules as they are before a command runs, so that another can begin with the same."""

    def __init__(self) -> None:
        self._modules = dict(sys.modules)
        self._paths = (list(sys.path), list(sys.meta_path), list(sys.path_hooks))
        self._names = {
            module: {name: (value, _contents(value)) for name, value in vars(module).items()}
            for name, module in self._modules.items()
            if name.partition(".")[0] == "ansible_ensemble" and isinstance(module, ModuleType)
        }
        self._caches = [found for found in gc.get_objects() if isinstance(found, functools._lru_cache_wrapper)]

    def restore(self) -> None:
        added = [name for name in sys.modules if name not in self._modules]
        modules = self._modules
        if any(name.startswith("ansible.") for name in added):
            # it holds types that can be defined only once; no other module that was loaded before refers to it
            modules = {name: module for name, module in modules.items() if name.partition(".")[0] != "ansible"}
        sys.modules.clear()
        sys.modules.update(modules)
        sys.path[:], sys.meta_path[:], sys.path_hooks[:] = self._paths
        sys.path_importer_cache.clear()
        for module, names in self._names.items():
            for name in vars(module).keys() - names.keys():
                del vars(module)[name]
            for name, (value, contents) in names.items():
                vars(module)[name] = value
                if contents is not None and contents != value:
                    value.clear()
                    (value.extend if isinstance(value, list) else value.update)(contents)
        for cache in self._caches:
            cache.cache_clear()


def _contents(value: Any) -> Any:
    return value.copy() if type(value) in (dict, list, set) else None


def go_on_as_playbook(execute: Callable[..., NoReturn], snapshot: Snapshot) -> Callable[..., NoReturn]:
    """Take the place of `os.execvpe`: a fork that would execute ansible-playbook goes on as it."""
    started = _of_the_start(os.environ)

    def go_on(program: str, argv: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
        if os.fsdecode(program) != str(PROGRAMS / "ansible-playbook") or _of_the_start(environment) != started:
            execute(program, argv, environment)
        try:
            _as_after_execution()
            snapshot.restore()
            _set_environment(environment)
            _set_arguments([os.fsdecode(word) for word in argv])
        except BaseException:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            os._exit(1)
        _run_to_the_end()

    return go_on


def _as_after_execution() -> None:
    """Undo what does not survive the execution of another program."""
    gc.freeze()  # what the command holds is not to be collected: it would close descriptors that others have by then
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    for descriptor in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
        with contextlib.suppress(OSError):
            if descriptor > 2 and not os.get_inheritable(descriptor):
                os.close(descriptor)
    atexit._clear()
    for logger in (logging.root, *logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):
            logger.handlers = []
            logger.setLevel(logging.WARNING if logger is logging.root else logging.NOTSET)
            logger.propagate = True
    _open_streams()


# --- programs ---------------------------------------------------------------------------------------------------------


def _run_to_the_end() -> NoReturn:
    """Run what the arguments name, and end as an interpreter does, but let what it holds go with the process.

    To take down the modules one by one takes longer than most commands.
    """
    code = 1
    try:
        code = _exit_code(_run_named)
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stderr.flush()
        sys.stdout.flush()
    except OSError:  # nobody reads it any more
        code = 120
    finally:
        os._exit(code)


def _exit_code(program: Callable[[], object]) -> int:
    try:
        code = program()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        return 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        return 1
    return int(code or 0) & 0xFF


def _run_named() -> object:
    """Run the program or the script that the arguments name."""
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
        return None
    name = Path(sys.argv[0]).name.removeprefix("ansible-")
    module = "ansible_ensemble.cli.main" if name == "ensemble" else f"ansible.cli.{name}"
    return importlib.import_module(module).main()


if __name__ == "__main__":
    if sys.argv[2:] == ["zygote"]:
        preload_zygote()
    else:
        preload()
        os.execvpe = go_on_as_playbook(os.execvpe, Snapshot())
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    _run_to_the_end()
