"""Processes that do not outlive the job that started them."""

from __future__ import annotations

import contextlib
import os
import signal

from ansible_ensemble.core.parent import end_group


def kill(pid: int) -> None:
    """Kill a child with its group, which it may not have made yet."""
    end_group(pid)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def detach_stdio() -> None:
    """Point the standard streams of this process at /dev/null, as Ansible's own workers do."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    if null > 2:
        os.close(null)
