"""The program of the watchdog. It imports nothing of the package, so that it starts fast and stays small."""

# pathlib alone would double the time it takes to start
# ruff: noqa: PTH115, PTH208
from __future__ import annotations

import os
import select
import signal
import sys
import time

#: Seconds between SIGTERM and SIGKILL.
GRACE = 2.0
#: Seconds in which a process that was about to begin is waited for.
BEGIN = 0.5
#: Seconds between two looks.
PAUSE = 0.02


def main(parent: int) -> None:
    """Follow the parent's messages on standard input; when the parent dies or hangs up, end what it left.

    Lines are `?INODE` (a process group that holds this pipe is about to begin), `+GROUP` (it has begun), `-GROUP` (it
    has ended) and `.` (that was all).
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    pipe = rest = b""
    heard = [0]
    dead = False
    try:
        heard.append(os.pidfd_open(parent))
    except ProcessLookupError:
        dead = True
    except (AttributeError, OSError):  # no pidfd on this system: the end of standard input has to do
        pass
    while True:
        readable, _writable, _failed = select.select(heard, [], [], 0 if dead else None)
        if 0 not in readable:
            break
        chunk = os.read(0, 65536)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            pipe = line[1:] if line.startswith(b"?") else b""
            if line.startswith(b"+"):
                groups.add(int(line[1:]))
            elif line.startswith(b"-"):
                groups.discard(int(line[1:]))
        if not chunk or b"." in lines:
            break
    left = {group for group in groups if send(group, signal.SIGTERM)}
    if pipe:
        left |= {group for group in expected(f"pipe:[{pipe.decode()}]") if send(group, signal.SIGTERM)}
    kill(left)


def expected(pipe: str) -> set[int]:
    """The process group that was about to begin when the parent died, if it did: whose leader holds the pipe."""
    deadline = time.monotonic() + BEGIN
    while time.monotonic() < deadline:
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                if any(os.readlink(f"/proc/{name}/fd/{fd}") == pipe for fd in os.listdir(f"/proc/{name}/fd")):
                    group = os.getpgid(int(name))
                    if group == int(name):
                        return {group}
            except OSError:  # it ended meanwhile, or is not ours
                continue
        time.sleep(PAUSE)
    return set()


def kill(groups: set[int]) -> None:
    """Send SIGKILL to process groups that are still there after the grace."""
    deadline = time.monotonic() + GRACE
    while groups and time.monotonic() < deadline:
        time.sleep(PAUSE)
        groups = {group for group in groups if send(group, 0)}
    for group in groups:
        send(group, signal.SIGKILL)


def send(group: int, number: int) -> bool:
    """Signal a process group; False if it is gone."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    main(int(sys.argv[1]))
