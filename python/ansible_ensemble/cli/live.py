"""The live view of a job that runs in another process: its journal is read as it grows."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.execution.journal_tail import JournalTail
from ansible_ensemble.reports.live import LiveView
from ansible_ensemble.reports.progress import Progress
from ansible_ensemble.reports.remaining import Remaining

#: Seconds between two looks at the journal.
_INTERVAL = 0.5


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
