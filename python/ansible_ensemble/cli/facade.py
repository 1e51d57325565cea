"""What the commands ask of the jobs room, in one place."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, cast


class PlanOutcome(Protocol):
    """A plan that was made and not carried out."""

    @property
    def document(self) -> dict[str, Any]:
        """The plan's JSON document."""

    def save(self, path: Path) -> None:
        """Save the plan so that `deploy PATH` carries it out."""

    def predict(self, report: Mapping[str, Any]) -> None:
        """Add what a dry run of the plan said.

        Args:
            report: the report of the dry run.
        """


class PreparedJob(Protocol):
    """A job whose lock is held and whose plan is made; leaving it frees the lock."""

    @property
    def id(self) -> str:
        """The job's change id."""

    @property
    def document(self) -> dict[str, Any]:
        """The plan's JSON document."""

    @property
    def folder(self) -> Path:
        """Where the record of the run goes."""

    @property
    def journal(self) -> Path:
        """Where the events of the job appear while it runs."""

    @property
    def playbook(self) -> str:
        """The playbook that carries the plan out."""

    @property
    def variables(self) -> Mapping[str, Any]:
        """The playbook's variables."""

    def finish(self, interrupted_by: int | None = None) -> dict[str, Any]:
        """Record what is not recorded yet and return the job's report.

        Args:
            interrupted_by: number of the signal that ended the playbook.
        """

    def __enter__(self) -> PreparedJob: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class JobCommands(Protocol):
    """The functions of `ansible_ensemble.jobs.commands`.

    `options` are values of `JobOptions` by name; those that the user did not give are left out. Every function may
    raise an `EnsembleError`.
    """

    def make_plan(self, ensemble: str, workflow: str, options: Mapping[str, Any]) -> PlanOutcome:
        """Plan a workflow; takes no lock and changes nothing."""

    def prepare_job(self, ensemble: str, workflow: str, options: Mapping[str, Any]) -> PreparedJob:
        """Lock the ensemble, record what a killed job left, and plan."""

    def prepare_saved_plan(self, plan: Path, workflow: str, options: Mapping[str, Any]) -> PreparedJob:
        """Lock the ensemble of a saved plan and make sure that the plan still holds."""

    def prepare_notification(self, ensemble: str, trigger: str, data: Any, options: Mapping[str, Any]) -> PreparedJob:
        """Plan the actions of the policies that an event or trigger of this name sets off."""

    def prepare_replay(self, ensemble: str, changes: Sequence[str], options: Mapping[str, Any]) -> PreparedJob:
        """Plan to apply recorded changes again."""

    def prepare_rollback(self, ensemble: str, job: str, options: Mapping[str, Any]) -> PreparedJob:
        """Plan back to the specification and inputs of an earlier job."""

    def prepare_adoption(self, ensemble: str, instances: Sequence[str], options: Mapping[str, Any]) -> PreparedJob:
        """Plan to discover resources that exist and take them into the status."""

    def adopt(self, ensemble: str, instance: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Record by hand that an instance is there: `{"adopted", "attributes"}`."""

    def status(self, ensemble: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """The recorded status: `{"ensemble", "status", "lastJob", "instances": [...], "outputs"}`."""

    def outputs(self, ensemble: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """The topology's outputs by name."""

    def output(self, ensemble: str, name: str, options: Mapping[str, Any]) -> Any:
        """The value of one output, a secret's too."""

    def query(self, ensemble: str, expression: str, instance: str | None, options: Mapping[str, Any]) -> Any:
        """The value of an expression, secrets masked."""

    def validate(self, paths: Sequence[str], options: Mapping[str, Any], *, part: bool = False) -> dict[str, Any]:
        """Errors in files: `{"valid", "files": [{"path", "file", "counts", "errors": [...], "warnings": [...]}]}`."""

    def history(self, ensemble: str, *, limit: int | None = None) -> dict[str, Any]:
        """The jobs, newest first: `{"jobs": [...]}`."""

    def show(self, ensemble: str, change_id: str) -> dict[str, Any]:
        """The record of a job (`{"job", "tasks"}`) or of a task (`{"task"}`)."""

    def recover(self, ensemble: str) -> dict[str, Any]:
        """Record what a killed job did: its report, or `{}` if there is nothing to record."""

    def unlock(self, ensemble: str, lock_id: str) -> dict[str, Any]:
        """Remove the lock with this id and return what it said."""

    def forget(self, ensemble: str, instances: Sequence[str]) -> dict[str, Any]:
        """Remove instances from the status: `{"forgotten": [...]}`."""

    def init(self, folder: Path, options: Mapping[str, Any]) -> dict[str, Any]:
        """Make a project: `{"folder", "project", "files": [...]}`; `project` is one that is around it."""

    def clone(self, source: str, folder: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
        """Copy a project or ensemble: `{"folder", "ensembles": [...]}`."""


def job_commands() -> JobCommands:
    """The jobs room, imported when it is first needed."""
    return cast(JobCommands, importlib.import_module("ansible_ensemble.jobs.commands"))
