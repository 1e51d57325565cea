"""Stand in for a program in a shell's PATH: let it run in a fork of the server of preloaded.py, on this one's streams.

It is started by its path with `python -I -S`, and imports little, so that it takes no time. Its name is the program's.
"""

# It does without pathlib, whose import takes longer than all of this.
# ruff: noqa: PTH109, PTH118, PTH120
import array
import json
import os
import signal
import socket
import sys


def main() -> int:
    folder, program = os.path.split(sys.argv[0])
    environment = dict(os.environ)
    paths = [path for path in environment["PATH"].split(os.pathsep) if path != folder]
    environment["PATH"] = os.pathsep.join(paths)
    connection = environment.pop("PRELOADED_CONNECTION", None)
    real = os.path.join(os.path.dirname(sys.executable), program)
    # it is started by what one of them started, or is found by its environment, which a fork does not show in /proc
    if connection is None or "TO_BE_KILLED" in environment:
        os.execve(real, [real, *sys.argv[1:]], environment)
    mask = os.umask(0o022)
    request = {"argv": [real, *sys.argv[1:]], "cwd": os.getcwd(), "environment": environment, "umask": mask}
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno(), 0, 1, 2]))]
    with socket.socket(fileno=int(connection)) as server:
        server.sendmsg([json.dumps(request).encode()], passed)
    theirs.close()
    fork = int(ours.recv(100))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: os.kill(fork, received))
    code = int(ours.recv(100))
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
