"""Processes that run on in the background, each with a folder that holds its id and what it prints."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

PATIENCE = 60  # seconds that a process may take to be ready, or to end


def start(folder: Path, command: Sequence[str], **variables: str) -> None:
    """Start a process that outlives this one, unless it runs."""
    if is_running(folder):
        return
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (folder / "pid").write_text(f"{process.pid} {_began(process.pid)}", encoding="ascii")


def stop(folder: Path) -> None:
    """End the process and those that it started, if it runs."""
    if is_running(folder):
        process = int((folder / "pid").read_text(encoding="ascii").split()[0])
        _signal(process, signal.SIGTERM)
        if not until(lambda: not is_running(folder)):
            _signal(process, signal.SIGKILL)
            until(lambda: not is_running(folder))
    (folder / "pid").unlink(missing_ok=True)


def is_running(folder: Path) -> bool:
    """Whether the process runs; another one that got its id since does not count."""
    try:
        process, began = (folder / "pid").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False
    return _began(int(process)) == began


def until(condition: Callable[[], bool]) -> bool:
    """Wait until a condition holds; whether it did in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def last_line(folder: Path) -> str:
    """What the process printed last."""
    lines = (folder / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "it printed nothing"


def _began(process: int) -> str:
    """When a process began, in the kernel's ticks; empty of one that has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def _signal(process: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process, number)
