"""Plans that wait for approval, and the jobs that were begun here: each is a run of the command."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from msgspec import Struct

from ansible_ensemble.ui.command import Command

#: Workflows that only look at what is there, and need no approval.
LOOKING = ("check", "discover")
#: Workflows that a plan can be made of here.
WORKFLOWS = ("deploy", "undeploy", "start", "stop")
#: How many runs of an ensemble are kept.
_KEPT = 5
#: How many bytes of what a job printed are shown.
_SHOWN = 200_000
_PLAN = "plan.json"


class NotFound(Exception):
    """There is no such plan, or no such job runs here."""


class SavedPlan(Struct, frozen=True):
    """A plan that waits for approval.

    Attributes:
        id: how the pages name it.
        ensemble: the ensemble's file.
        own: the folder that it is saved in, which its job removes.
        document: the plan.
        inputs: those that were given for it: without a vault password it lacks the sensitive ones.
    """

    id: str
    ensemble: Path
    own: Path
    document: dict[str, Any]
    inputs: Mapping[str, Any]

    @property
    def workflow(self) -> str:
        """The workflow."""
        return str(self.document["workflow"])

    @property
    def file(self) -> Path:
        """Where it is saved."""
        return self.own / _PLAN


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
        document = {"id": self.id, "workflow": self.workflow, "running": code is None, "exit_code": code}
        return {**document, "lines": text.splitlines()}


class Jobs:
    """The plans and the runs of a server. Plans end with it; a job that has begun runs on.

    Args:
        command: what makes and executes them.
    """

    def __init__(self, command: Command) -> None:
        self._command = command
        self._plans: dict[str, SavedPlan] = {}
        self._runs: dict[str, Run] = {}

    async def plan(self, ensemble: Path, inputs: Mapping[str, Any], options: Sequence[str]) -> SavedPlan:
        """Make a plan that waits for approval.

        Raises:
            CommandFailed: it cannot be made.
        """
        own, made = _own_folder(), None
        try:
            with _file_of(inputs) as given:
                words = ["plan", str(ensemble), "--out", str(own / _PLAN), *options, *_from(given)]
                document = await self._command.ask(words, [given.fileno()])
            made = SavedPlan(secrets.token_hex(8), ensemble, own, document, inputs)
        finally:
            if made is None:
                shutil.rmtree(own)
        self._plans[made.id] = made
        return made

    def saved(self, name: str) -> SavedPlan:
        """The plan of this name.

        Raises:
            NotFound: there is none, any more.
        """
        try:
            return self._plans[name]
        except KeyError:
            raise NotFound("this plan was approved or rejected already, or the server was started anew") from None

    def waiting(self, ensemble: Path) -> list[SavedPlan]:
        """The plans of an ensemble that wait for approval, oldest first."""
        return [plan for plan in self._plans.values() if plan.ensemble == ensemble]

    def reject(self, name: str) -> None:
        """Forget a plan.

        Raises:
            NotFound: there is no such plan.
        """
        shutil.rmtree(self.saved(name).own, ignore_errors=True)
        del self._plans[name]

    def approve(self, name: str, by: str) -> Run:
        """Begin the job of a plan, which is executed as it was shown, or refused where things changed meanwhile.

        Args:
            name: the plan's.
            by: the user who approved it; empty for whoever started the pages.

        Raises:
            NotFound: there is no such plan.
        """
        plan = self.saved(name)
        with _file_of(plan.inputs) as given:
            words = [plan.workflow, str(plan.file), *_from(given)]
            run = self._begin(plan.ensemble, plan.workflow, words, plan.own, by=by, pass_fds=[given.fileno()])
        del self._plans[name]
        return run

    def look(self, ensemble: Path, workflow: str) -> Run:
        """Begin a job that only looks."""
        own = _own_folder()
        try:
            return self._begin(ensemble, workflow, [workflow, str(ensemble)], own)
        except OSError:
            shutil.rmtree(own)
            raise

    def _begin(
        self,
        ensemble: Path,
        workflow: str,
        words: Sequence[str],
        own: Path,
        *,
        by: str = "",
        pass_fds: Sequence[int] = (),
    ) -> Run:
        output = os.open(own / "output", os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            process = self._command.begin(words, output, own, by, pass_fds)
        except OSError:
            os.close(output)
            raise
        run = Run(secrets.token_hex(8), ensemble, workflow, process, output)
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
        for name in list(self._plans):
            self.reject(name)


def _file_of(inputs: Mapping[str, Any]) -> IO[bytes]:
    """A file of inputs for a command to read; it has no name, for they may be secrets."""
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(json.dumps(dict(inputs)).encode())
    file.seek(0)
    return file


def _from(given: IO[bytes]) -> list[str]:
    return ["--inputs", f"/dev/fd/{given.fileno()}"]


def _own_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="ansible-ensemble-ui-"))
