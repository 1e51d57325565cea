"""What goes on beside a job that is killed: plans and looks, which take no lock, and a check, which waits for it."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.jobs.inspection import status
from ansible_ensemble.jobs.planned import make_plan
from tests.integration.jobs.torture.folding import recorded

PLAYBOOK = ("tosca.ensemble.plan", "-e", "ensemble=ensemble.yaml", "-e")


@contextmanager
def plans_beside(folder: Path) -> Iterator[list[str]]:
    """Plan and look in a loop while the block runs; gives what went wrong, which is to be nothing."""
    wrong: list[str] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            try:
                recorded(folder)  # it parses at every moment
                for workflow in ("undeploy", "deploy", "check"):
                    make_plan(str(folder), workflow, {"force": True})
                status(str(folder), {})
            except EnsembleError as error:
                wrong.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield wrong
    finally:
        over.set()
        thread.join()


@contextmanager
def playbook_beside(start: Callable[..., subprocess.Popen[str]], folder: Path) -> Iterator[None]:
    """Let ansible-playbook plan the contrary while the block runs."""
    planned = start(*PLAYBOOK, "ensemble_workflow=undeploy", program="ansible-playbook", cwd=folder)
    try:
        yield
    finally:
        output, _ = planned.communicate()
        assert planned.returncode == 0, output


@contextmanager
def check_beside(start: Callable[..., subprocess.Popen[str]], folder: Path, *, waits: bool) -> Iterator[None]:
    """Let a check come while the block runs, which takes the lock once it is free, or is told that it is not."""
    options = ("--lock-timeout", "600") if waits else ()
    check = start("check", *options, cwd=folder)
    try:
        yield
    finally:
        output, _ = check.communicate()
        assert check.returncode in (0, 4), output
        assert check.returncode == 0 or "lock" in output, output
