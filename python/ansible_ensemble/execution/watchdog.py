"""The watchdog: ends the commands of a process that is killed with SIGKILL, which can't do it any more.

PR_SET_PDEATHSIG would need code between fork and exec (slow: no vfork), follows the thread that forked, not the
process, and does not reach grandchildren. So a small process of its own watches us through a pidfd, and is sent the
process groups that run. Between a fork and its report we may be killed as well; so it is sent the pipe beforehand
that the new process will hold.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path


class Watchdog:
    """Ends the watched process groups when this process dies. Started when it is first needed; `close` it.

    Args:
        held: a file with a lock, which it holds until what this process has left is ended.
    """

    def __init__(self, held: int | None = None) -> None:
        self._held = () if held is None else (held,)
        self._process: subprocess.Popen[bytes] | None = None
        self._watched: set[int] = set()

    def expect(self, pipe: int) -> None:
        """Announce a process group that is about to begin, and that will hold this pipe; `watch` is to follow."""
        self._tell(f"?{os.fstat(pipe).st_ino}\n")

    def watch(self, group: int) -> None:
        """Watch over a process group."""
        self._watched.add(group)
        self._tell(f"+{group}\n")

    def release(self, group: int) -> None:
        """Let go of a process group. To be called before its leader is reaped: then its id may be another's."""
        self._watched.discard(group)
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """End the watchdog."""
        if self._process is not None:
            assert self._process.stdin is not None
            # sent explicitly, because a process forked from ours may hold the pipe open
            with contextlib.suppress(BrokenPipeError):
                os.write(self._process.stdin.fileno(), b".\n")
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _tell(self, message: str) -> None:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), message.encode())
        except BrokenPipeError:  # it was ended
            self.close()
            self._start()

    def _start(self) -> None:
        script = Path(__file__).with_name("watchdog_main.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script), str(os.getpid())],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            pass_fds=self._held,
        )
        assert self._process.stdin is not None
        for group in self._watched:
            os.write(self._process.stdin.fileno(), f"+{group}\n".encode())
