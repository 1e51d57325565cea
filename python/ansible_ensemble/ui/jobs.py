"""Plans that wait for approval, and the jobs that were begun here: each is a run of the command."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct, field

from ansible_ensemble.ui import command

#: Workflows that only look at what is there, and need no approval.
LOOKING = ("check", "discover")
#: Workflows that a plan can be made of here.
WORKFLOWS = ("deploy", "undeploy", "start", "stop")
#: How many lines of what a job printed are kept.
_LINES = 2000


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
        lines: what it printed for people, the last of it.
        exit_code: how it ended; None while it runs.
    """

    id: str
    ensemble: Path
    workflow: str
    process: asyncio.subprocess.Process
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    exit_code: int | None = None

    def to_json(self) -> dict[str, Any]:
        """What the pages show of it."""
        return {
            "id": self.id,
            "workflow": self.workflow,
            "running": self.exit_code is None,
            "exit_code": self.exit_code,
            "lines": list(self.lines),
        }


class Jobs:
    """The plans and the runs of a server; they end with it, but a job that has begun runs on.

    Args:
        folder: where commands run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._private = tempfile.TemporaryDirectory(prefix="ansible-ensemble-ui-")
        self._plans: dict[str, SavedPlan] = {}
        self._runs: dict[str, Run] = {}
        self._readers: set[asyncio.Task[None]] = set()

    async def plan(self, ensemble: Path, workflow: str, inputs: Mapping[str, Any], flags: Sequence[str]) -> SavedPlan:
        """Make a plan that waits for approval.

        Raises:
            CommandFailed: it cannot be made.
        """
        name = secrets.token_hex(8)
        file = Path(self._private.name) / f"{name}.plan.json"
        words = ["plan", str(ensemble), "--workflow", workflow, "--out", str(file), *flags]
        if inputs:
            given = Path(self._private.name) / f"{name}.yaml"
            given.touch(0o600)
            given.write_text(yaml.safe_dump(dict(inputs)))
            words += ["--inputs", str(given)]
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

    async def approve(self, name: str) -> Run:
        """Begin the job of a plan, which is executed as it was shown, or refused where things changed meanwhile.

        Raises:
            NotFound: there is no such plan.
        """
        plan = self.saved(name)
        del self._plans[name]
        return await self._begin(plan.ensemble, plan.workflow, [plan.workflow, str(plan.file)])

    async def look(self, ensemble: Path, workflow: str) -> Run:
        """Begin a job that only looks."""
        return await self._begin(ensemble, workflow, [workflow, str(ensemble)])

    async def _begin(self, ensemble: Path, workflow: str, words: Sequence[str]) -> Run:
        process = await command.start([*words, "--no-color"], self._folder, stderr=asyncio.subprocess.STDOUT)
        run = Run(secrets.token_hex(8), ensemble, workflow, process)
        self._runs[run.id] = run
        reader = asyncio.create_task(_read(run))
        self._readers.add(reader)
        reader.add_done_callback(self._readers.discard)
        return run

    def runs(self, ensemble: Path) -> list[Run]:
        """The runs of an ensemble, oldest first."""
        return [run for run in self._runs.values() if run.ensemble == ensemble]

    def cancel(self, name: str) -> None:
        """Have a job begin nothing more and end, as Ctrl-C does.

        Raises:
            NotFound: it does not run, or was not begun here.
        """
        run = self._runs.get(name)
        if run is None or run.exit_code is not None:
            raise NotFound("this job has ended, or was not begun here")
        with contextlib.suppress(ProcessLookupError):
            os.kill(run.process.pid, signal.SIGINT)

    def close(self) -> None:
        """Forget the plans; jobs that run go on, as their output need not be read."""
        for reader in self._readers:
            reader.cancel()
        self._private.cleanup()


async def _read(run: Run) -> None:
    """Take in what a job prints, and how it ends."""
    stream = run.process.stdout
    assert stream is not None
    buffer = b""
    while chunk := await stream.read(1 << 16):
        *lines, buffer = (buffer + chunk).split(b"\n")
        run.lines.extend(line.decode(errors="replace") for line in lines)
    if buffer:
        run.lines.append(buffer.decode(errors="replace"))
    run.exit_code = await run.process.wait()
