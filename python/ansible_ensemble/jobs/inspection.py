"""What the commands that only look say of an ensemble, without their words: none of them takes a lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.changes import history as records
from ansible_ensemble.changes.record import snake_case_keys
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import REDACTED, reveal
from ansible_ensemble.ensembles.job_inputs import recorded_inputs
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.execution.journal import read_journal
from ansible_ensemble.instances.readiness import aggregate, overall
from ansible_ensemble.jobs.expression import value_of
from ansible_ensemble.jobs.stored_state import fetch_state, read_current
from ansible_ensemble.planning.used import is_used
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.records.journals import job_log, job_of_journal, open_journals
from ansible_ensemble.records.outputs import recorded_outputs
from ansible_ensemble.state.holder import is_held
from ansible_ensemble.views.reads import Deferred


def status(ensemble: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded status, with what a job that runs or was killed has done so far."""
    read = read_current(locate(ensemble), JobOptions.from_mapping(options))
    aggregate(read.instances, read.requirements())
    instances = [
        {
            "name": instance.name,
            "template": instance.template,
            "type": read.topology.node_templates[instance.template].type.name,
            "host": instance.host,
            "status": (instance.effective or instance.status).value,
            "local_status": instance.status.value,
            "state": instance.state.value if instance.state else None,
            "priority": instance.priority.value,
            "created": instance.created,
            "used": is_used(read.topology.node_templates[instance.template]),
            "protected": instance.protected,
            "customized": instance.customized,
            "attributes": instance.attributes,
            "properties": instance.properties,
        }
        for instance in read.instances
    ]
    document = {
        "ensemble": str(read.path),
        "status": overall(read.instances).value if instances else None,
        "last_job": snake_case_keys(read.last_job) or None,
        "instances": instances,
        "inputs": recorded_inputs(read.specification),
        "outputs": recorded_outputs(read),
        "warnings": [*read.warnings, *map(str, read.unselected.errors)],
    }
    masked: dict[str, Any] = read.redactor.data(document)
    return masked


def outputs(ensemble: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The topology's outputs by name."""
    read = read_current(locate(ensemble), JobOptions.from_mapping(options))
    values: dict[str, Any] = read.redactor.data(recorded_outputs(read))
    return values


def output(ensemble: str, name: str, options: Mapping[str, Any]) -> Any:
    """The value of one output, which was asked for by its name: a secret is not masked."""
    read = read_current(locate(ensemble), JobOptions.from_mapping(options))
    found = recorded_outputs(read)
    if name not in found:
        raise InvalidInput(f'there is no output "{name}"', hint=nearest(name, list(found)))
    value = reveal(found[name])
    if value == REDACTED and name in read.topology.outputs:
        with suppress(Deferred):
            value = reveal(read.evaluator.output_value(name, read.evaluator.untracked()))
    if value == REDACTED:
        raise InvalidInput(
            f'the output "{name}" is a secret and was not stored', hint="a vault password keeps it encrypted"
        )
    return value


def inputs(ensemble: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What jobs can be given, as `read_inputs` tells it."""
    from ansible_ensemble.jobs.inputs import read_inputs

    return read_inputs(locate(ensemble), JobOptions.from_mapping(options))


def query(ensemble: str, expression: str, instance: str | None, options: Mapping[str, Any]) -> Any:
    """The value of an expression on what is recorded; see `value_of`."""
    read = read_current(locate(ensemble), JobOptions.from_mapping(options))
    return value_of(read, expression, instance)


def history(ensemble: str, options: Mapping[str, Any], *, limit: int | None = None) -> dict[str, Any]:
    """The jobs, newest first: `{"jobs": [...]}`."""
    location = locate(ensemble)
    fetch_state(location.ensemble, JobOptions.from_mapping(options))
    jobs = records.history(location.ensemble.parent)[::-1]
    return {"jobs": jobs[:limit] if limit is not None else jobs}


def show(ensemble: str, change_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a job (`{"job", "tasks"}`) or of a task (`{"task"}`)."""
    location = locate(ensemble)
    fetch_state(location.ensemble, JobOptions.from_mapping(options))
    document = records.show(location.ensemble.parent, change_id)
    if "tasks" in document:
        tasks = document.pop("tasks")
        return {"job": document, "tasks": tasks}
    return {"task": document}


def fetch(ensemble: str, options: Mapping[str, Any]) -> None:
    """Fetch the newest state where it lives elsewhere, with the journal of a job that runs there."""
    fetch_state(locate(ensemble).ensemble, JobOptions.from_mapping(options))


def running_journal(ensemble: str, job: str) -> Path | None:
    """The journal of a job that is not recorded yet; None if it is, or if there is no such job."""
    open_ones = open_journals(locate(ensemble).ensemble.parent)
    return next((path for path in open_ones if job_of_journal(path) == job), None)


def may_run(ensemble: str, journal: Path) -> bool:
    """Whether the job of a journal still runs, or may: its lock is held by who lives, or cannot be seen from here."""
    return journal.exists() and is_held(locate(ensemble).ensemble)


def is_beginning(ensemble: str, journal: Path) -> bool:
    """Whether a job that may run has no entry yet, which tells the plan that it executes."""
    with suppress(EnsembleError):  # it is recorded meanwhile
        return may_run(ensemble, journal) and not read_journal(journal).events
    return False


class RunningPlan(Struct, frozen=True):
    """A plan that a job executes.

    Attributes:
        document: the plan.
        usual: seconds that its operations usually take, by key.
        slots: how many of them run at a time.
    """

    document: dict[str, Any]
    usual: dict[str, float]
    slots: int


def running_plan(ensemble: str, journal: Path, options: Mapping[str, Any]) -> RunningPlan | None:
    """The plan that a job of a journal executes; None where it is not there any more, or cannot be read."""
    from ansible_ensemble.jobs.prepared_job import usual_seconds
    from ansible_ensemble.records.job_journal import read_job_journal
    from ansible_ensemble.records.saved_plans import kept_plan

    location, given = locate(ensemble), JobOptions.from_mapping(options)
    with suppress(EnsembleError):
        header = read_job_journal(journal).header
        found = kept_plan(location.ensemble.parent / PLANNED, header.plan_digest)
        if found is not None:
            plan, saved = found
            read = read_current(location, given)
            given.jobs = int(header.options.get("jobs") or 0)
            given.complete(read.environment.execution)
            return RunningPlan(dict(saved.document), usual_seconds(plan, read), given.parallel)
    return None


def report(ensemble: str, job: str, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float]]:
    """The report of a recorded job, and when its operations began, in seconds since the epoch, by key."""
    from ansible_ensemble.records.job_journal import read_job_journal
    from ansible_ensemble.records.report import job_report

    if "job" not in show(ensemble, job, options):
        raise InvalidInput(f"{job} is a task, and a page is of a job", hint=f"ask for {job[:-4]}0000")
    log = job_log(locate(ensemble).ensemble.parent, job)
    if not log.is_file():
        raise InvalidInput(f"the journal of {job} is not here", Place(str(log)), "journals stay where jobs ran")
    folded = read_job_journal(log)
    return job_report(folded), {key: entry.time for key, entry in folded.started.items()}


def validate(
    paths: Sequence[str], options: Mapping[str, Any], *, part: bool = False, expand: bool = False
) -> dict[str, Any]:
    """Errors in files: `{"valid", "files": [{"path", "file", "counts", "errors": [...], "warnings": [...]}]}`.

    With `expand`, each valid file has its service template written out in plain TOSCA, as `expanded`.
    """
    from ansible_ensemble.jobs.validate import validate_path  # here, for it plans all that a job might do

    job_options = JobOptions.from_mapping(options)
    files = [validate_path(path, job_options, part=part, expand=expand) for path in paths]
    return {"valid": not any(file["errors"] for file in files), "files": files}
