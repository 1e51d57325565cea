"""The processes of a job: found as a tree, told apart by what they are, and killed."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Process:
    """A process; the time it started tells it apart from a later one with its id."""

    pid: int
    parent: int
    started: int
    command: str

    @property
    def lives(self) -> bool:
        now = read(self.pid)
        return now is not None and now.started == self.started

    def kill(self) -> None:
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def read(pid: int) -> Process | None:
    """A process that runs; None if there is none, or it is dead and only waits for its parent."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return None
    return None if stat[0] in "ZX" else Process(pid, int(stat[1]), int(stat[19]), command)


def all_processes() -> Iterator[Process]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (process := read(int(entry.name))) is not None:
            yield process


def tree(root: int) -> list[Process]:
    """A process and all that come from it, parents first."""
    children: dict[int, list[Process]] = {}
    for process in all_processes():
        children.setdefault(process.parent, []).append(process)
    top = read(root)
    found = [top] if top else []
    for process in found:
        found += children.get(process.pid, [])
    return found


def working_in(folder: Path) -> list[int]:
    """Processes whose working directory is a folder."""
    found = []
    for process in all_processes():
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process.pid}/cwd").readlink() == folder:
                found.append(process.pid)
    return found


def kill_all(folder: Path) -> None:
    """Kill all that works in a folder."""
    for pid in working_in(folder):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def roles(root: int) -> dict[str, list[Process]]:
    """The processes of a job by what they are."""
    found: dict[str, list[Process]] = {}
    known: dict[int, str] = {}
    for process in tree(root):
        known[process.pid] = name = _role(process, known.get(process.parent))
        found.setdefault(name, []).append(process)
    return found


def _role(process: Process, parent: str | None) -> str:
    if parent is None:
        return "command line"
    if "watchdog_main.py" in process.command:
        return "watchdog"
    if "zygote_main.py" in process.command:
        return "zygote" if parent == "worker" else "module"
    if "ansible-playbook" in process.command:
        return {"command line": "playbook", "playbook": "worker"}.get(parent, "executor")
    return "operation"


def wait_for(condition: Callable[[], Any], what: str, seconds: float = 1500.0) -> Any:
    """Wait until the condition holds; its value is returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.01)
    return pytest.fail(f"waited in vain for {what}")
