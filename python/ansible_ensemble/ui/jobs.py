"""Plans that wait for approval, and the jobs that were begun here: each is a run of the command."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.ui import command

#: Workflows that only look at what is there, and need no approval.
LOOKING = ("check", "discover")
#: Workflows that a plan can be made of here.
WORKFLOWS = ("deploy", "undeploy", "start", "stop")
#: How many plans are made at a time, and how many runs of an ensemble are kept.
_AT_ONCE, _KEPT = 2, 5
#: How many bytes of what a job printed are shown.
_SHOWN = 200_000
#: The command, in a process that removes the folder that is named first.
_SCRIPT = """
import shutil, sys
from ansible_ensemble.cli.main import main
folder = sys.argv.pop(1)
try:
    sys.exit(main())
finally:
    shutil.rmtree(folder, ignore_errors=True)
"""


class NotFound(Exception):
    """There is no such plan, or no such job runs here."""


class SavedPlan(Struct, frozen=True):
    """A plan that waits for approval.

    Attributes:
        id: how the pages name it.
        ensemble: the ensemble's file.
        workflow: the workflow.
        file: where it is saved.
        document: the plan.
    """

    id: str
    ensemble: Path
    workflow: str
    file: Path
    document: dict[str, Any]


class Run(Struct):
    """A job that was begun here.

    Attributes:
        id: how the pages name it.
        ensemble: the ensemble's file.
        workflow: the workflow.
        process: the command.
        output: a descriptor of the file in which is what it printed.
    """

    id: str
    ensemble: Path
    workflow: str
    process: subprocess.Popen[bytes]
    output: int

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self.process.poll()

    def to_json(self) -> dict[str, Any]:
        """What the pages show of it: the last of what it printed."""
        code = self.exit_code
        size = os.fstat(self.output).st_size
        text = os.pread(self.output, _SHOWN, max(0, size - _SHOWN)).decode(errors="replace")
        told = {"id": self.id, "workflow": self.workflow, "running": code is None, "exit_code": code}
        return {**told, "lines": text.splitlines()}


class Jobs:
    """The plans and the runs of a server. Plans end with it; a job that has begun runs on.

    Args:
        folder: where commands run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._private = tempfile.TemporaryDirectory(prefix="ansible-ensemble-ui-")
        self._plans: dict[str, SavedPlan] = {}
        self._runs: dict[str, Run] = {}
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def plan(self, ensemble: Path, workflow: str, inputs: Mapping[str, Any], flags: Sequence[str]) -> SavedPlan:
        """Make a plan that waits for approval.

        Raises:
            CommandFailed: it cannot be made.
        """
        name = secrets.token_hex(8)
        file = Path(self._private.name) / f"{name}.plan.json"
        words = ["plan", str(ensemble), "--workflow", workflow, "--out", str(file), *flags]
        with tempfile.NamedTemporaryFile("w", suffix=".json", dir=self._private.name) as given:
            if inputs:
                json.dump(dict(inputs), given)
                given.flush()
                words += ["--inputs", given.name]
            async with self._turn:
                document = await command.ask(words, self._folder)
        plan = self._plans[name] = SavedPlan(name, ensemble, workflow, file, document)
        return plan

    def saved(self, name: str) -> SavedPlan:
        """The plan of this name.

        Raises:
            NotFound: there is none, any more.
        """
        try:
            return self._plans[name]
        except KeyError:
            raise NotFound("this plan was approved or rejected already, or the server was started anew") from None

    def reject(self, name: str) -> None:
        """Forget a plan.

        Raises:
            NotFound: there is no such plan.
        """
        plan = self.saved(name)
        del self._plans[name]
        plan.file.unlink(missing_ok=True)

    def approve(self, name: str) -> Run:
        """Begin the job of a plan, which is executed as it was shown, or refused where things changed meanwhile.

        Raises:
            NotFound: there is no such plan.
        """
        plan = self.saved(name)
        own = Path(tempfile.mkdtemp(prefix="ansible-ensemble-ui-"))
        file = plan.file.rename(own / plan.file.name)
        del self._plans[name]
        return self._begin(plan.ensemble, plan.workflow, [plan.workflow, str(file)], own)

    def look(self, ensemble: Path, workflow: str) -> Run:
        """Begin a job that only looks."""
        own = Path(tempfile.mkdtemp(prefix="ansible-ensemble-ui-"))
        return self._begin(ensemble, workflow, [workflow, str(ensemble)], own)

    def _begin(self, ensemble: Path, workflow: str, words: Sequence[str], own: Path) -> Run:
        """Begin a job with a folder of its own, which it removes itself: this server may have ended by then."""
        printed = own / "output"
        with printed.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", _SCRIPT, str(own), *words, "--no-color"],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        run = Run(secrets.token_hex(8), ensemble, workflow, process, os.open(printed, os.O_RDONLY | os.O_CLOEXEC))
        self._runs[run.id] = run
        self._forget(ensemble)
        return run

    def _forget(self, ensemble: Path) -> None:
        """Forget the oldest of an ensemble's runs that have ended."""
        for run in self.runs(ensemble)[:-_KEPT]:
            if run.exit_code is not None:
                os.close(self._runs.pop(run.id).output)

    def runs(self, ensemble: Path) -> list[Run]:
        """The runs of an ensemble, oldest first."""
        return [run for run in self._runs.values() if run.ensemble == ensemble]

    def cancel(self, name: str) -> None:
        """Have a job begin nothing more and end, as Ctrl-C does; a second time, what runs is killed.

        Raises:
            NotFound: it does not run, or was not begun here.
        """
        run = self._runs.get(name)
        if run is None or run.exit_code is not None:
            raise NotFound("this job has ended, or was not begun here")
        run.process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Forget the plans; jobs that run go on."""
        self._private.cleanup()
