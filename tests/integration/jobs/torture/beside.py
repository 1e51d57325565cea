"""Plans and looks that are made while a job runs, which take no lock and must be no matter to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.jobs.commands import make_plan, status
from tests.integration.jobs.torture.folding import recorded


@contextmanager
def plans_beside(folder: Path) -> Iterator[list[str]]:
    """Plan and look in a loop while the block runs; gives what went wrong, which is to be nothing."""
    wrong: list[str] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.1):
            try:
                recorded(folder)  # it parses at every moment
                argument = str(folder if (folder / "ensemble.yaml").exists() else folder / "service.yaml")
                for workflow in ("undeploy", "deploy", "check"):
                    make_plan(argument, workflow, {"force": True})
                status(argument, {})
            except EnsembleError as error:
                wrong.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield wrong
    finally:
        over.set()
        thread.join()
