"""Run Ansible's modules in forks of an interpreter that has imported what they import.

Of a module of awx.awx, most of the time goes into the start of Python and into imports. `interpreter` makes a program
that stands for the Python of modules: it hands its streams, its environment and its working folder to a server, which
forks, and reads the module from the standard input as Python does.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_IMPORTED = ("ansible.module_utils.basic", "ansible_collections.awx.awx.plugins.module_utils.controller_api")
_CLIENT = """\
#!{python} -IS
import array, json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    told = json.dumps([os.getcwd(), dict(os.environ)]).encode()
    streams = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    server.sendmsg([len(told).to_bytes(4, "big")], [streams])
    server.sendall(told)
    sys.exit(int(server.recv(10) or 1))
"""


@contextmanager
def interpreter(folder: Path, collections: Path) -> Iterator[Path]:
    """The path of the program, for `ansible_python_interpreter`.

    Args:
        folder: where it may be.
        collections: where awx.awx is.
    """
    program, address = folder / "python", folder / "modules"
    program.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(address))
        listening.listen(64)
        command = [sys.executable, __file__, str(listening.fileno())]
        environment = {**os.environ, "PYTHONPATH": str(collections)}
        server = subprocess.Popen(command, pass_fds=[listening.fileno()], env=environment, start_new_session=True)
        try:
            yield program
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def serve(listening: socket.socket) -> None:
    """Fork for each module."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for name in _IMPORTED:
        importlib.import_module(name)
    while True:
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            code = _run(connection)
            connection.sendall(str(code).encode())
            os._exit(0)
        connection.close()


def _run(connection: socket.socket) -> int:
    length, streams, *_ = socket.recv_fds(connection, 4, 3)
    told = b""
    while len(told) < int.from_bytes(length, "big"):
        told += connection.recv(1 << 16)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    folder, environment = json.loads(told)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [""]
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 0
    try:
        exec(compile(sys.stdin.read(), "module", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        code = 1
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
