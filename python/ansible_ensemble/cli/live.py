"""The live view of a job that runs in another process: its journal is read as it grows."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ansible_ensemble.cli.console import Console
from ansible_ensemble.reports.live import LiveView
from ansible_ensemble.reports.progress import Progress
from ansible_ensemble.reports.remaining import Remaining

#: Seconds between two looks at the journal.
_INTERVAL = 0.5


class JournalTail:
    """The events of a journal that were not read yet. It stays with the file when that is renamed.

    Args:
        path: the journal, which need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._rest = b""

    def events(self) -> list[dict[str, Any]]:
        """The events of the lines that were completed since the last call."""
        if self._stream is None:
            try:
                self._stream = self._path.open("rb")
            except OSError:
                return []
        complete, newline, self._rest = (self._rest + self._stream.read()).rpartition(b"\n")
        return [event for line in (complete + newline).splitlines() for event in _event(line)]

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()


def _event(line: bytes) -> Iterator[dict[str, Any]]:
    try:
        event = json.loads(line)
    except ValueError:
        return
    if isinstance(event, dict) and "event" in event:
        yield event


@contextmanager
def live_lines(
    console: Console, plan: dict[str, Any], journal: Path, *, verbosity: int = 0, remaining: Remaining | None = None
) -> Iterator[Callable[[str], None]]:
    """Show a job as its journal grows, and give a function that writes further lines.

    Args:
        console: where the lines go.
        plan: the JSON document of the plan that is executed.
        journal: the job's journal.
        verbosity: 1 also shows where operations run, 2 what waits for what.
        remaining: tells the time to go, if that is to be shown.
    """
    columns = (lambda: shutil.get_terminal_size().columns) if console.is_terminal else None
    view = LiveView(console.for_people, Progress.of_plan(plan, console.style, verbosity=verbosity), columns, remaining)
    tail, over = JournalTail(journal), threading.Event()

    def follow() -> None:
        last = False
        while not last:
            last = over.wait(_INTERVAL)
            for event in tail.events():
                view.event(event, time.monotonic())
            view.refresh(time.monotonic())

    thread = threading.Thread(target=follow, name="live view", daemon=True)
    thread.start()
    try:
        yield view.line
    finally:
        over.set()
        thread.join()
        tail.close()
        view.close()
