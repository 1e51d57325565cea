"""What the command line asks of a job: each function is a command's work, without its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.option import RUN
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import recorded_values
from ansible_ensemble.ensembles.location import Location, ensemble_file, locate
from ansible_ensemble.ensembles.merging import merge_conflict
from ansible_ensemble.ensembles.options import OPTIONS, JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs import import_playbooks as imports
from ansible_ensemble.jobs.locking import JobLock, locked
from ansible_ensemble.jobs.migrate import migrate_project
from ansible_ensemble.jobs.prepared_job import PreparedJob
from ansible_ensemble.jobs.replay import inputs_of_changes, plan_replay
from ansible_ensemble.jobs.rollback import WORKFLOW, at_earlier, rollback_warnings
from ansible_ensemble.jobs.stored_state import fetch_state, read_current, state_copy
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.projects import create
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.projects.project import ENSEMBLE_FILE
from ansible_ensemble.projects.trust import approve, distrust
from ansible_ensemble.records.adopt import adopt_by_hand
from ansible_ensemble.records.current import collided_jobs, read_recovered
from ansible_ensemble.records.job_plan import plan_job
from ansible_ensemble.records.record import write_forgotten
from ansible_ensemble.records.recover import record_killed
from ansible_ensemble.records.repositories import check_upstreams, check_working_trees, free_repositories
from ansible_ensemble.records.saved_plans import (
    SavedPlan,
    check_aims,
    check_purpose,
    confirmed_plan,
    drop_plans,
    load_plan,
)

#: Job options that a saved plan does not decide.
_OF_THE_CALL = [one.name for one in OPTIONS if one.decided == RUN]


def prepare_job(ensemble: str, workflow: str, options: Mapping[str, Any]) -> PreparedJob:
    """Lock the ensemble, record what a killed job left, and plan.

    Raises:
        Locked: another job holds the lock.
    """
    job_options = JobOptions.from_mapping(options)
    return _prepare(locate(ensemble), workflow, job_options, lambda read, options: plan_job(read, workflow, options))


def prepare_saved_plan(
    plan: Path, workflow: str, options: Mapping[str, Any], loaded: tuple[Plan, SavedPlan] | None = None
) -> PreparedJob:
    """Lock the ensemble of a saved plan, which may be loaded already, and make sure that the plan still holds."""
    saved, file = loaded or load_plan(plan)
    location = locate(saved.template or saved.ensemble)
    check_purpose(saved, plan, location.ensemble, workflow)
    check_aims(saved, plan, options)
    given = {kind: recorded_values(saved.options, kind) | options.get(kind, {}) for kind in ("inputs", "variables")}
    # how the job is run and kept is this call's business; what it does is the plan's
    saved.options |= {name: options[name] for name in _OF_THE_CALL if name in options}
    job_options = JobOptions.from_mapping({**options, **saved.options, **given})

    return _prepare(
        location, workflow, job_options, lambda read, chosen: confirmed_plan(saved, file, read, chosen, options)
    )


def prepare_replay(ensemble: str, changes: Sequence[str], options: Mapping[str, Any]) -> PreparedJob:
    """Lock the ensemble, and plan to apply recorded changes again, each with the inputs that are recorded.

    Changes are ids of tasks, or of jobs for all their tasks that succeeded.

    Raises:
        Locked: another job holds the lock.
    """
    location = locate(ensemble)
    fetch_state(location.ensemble, JobOptions.from_mapping(options))
    inputs = {**inputs_of_changes(location.ensemble.parent, changes), **options.get("inputs", {})}
    job_options = JobOptions.from_mapping({**options, "inputs": inputs})
    return _prepare(location, "replay", job_options, lambda read, options: plan_replay(read, changes, options))


def prepare_rollback(ensemble: str, job: str, options: Mapping[str, Any]) -> PreparedJob:
    """Lock the ensemble, and plan back to the specification and inputs of an earlier job.

    Raises:
        Locked: another job holds the lock.
    """
    job_options = JobOptions.from_mapping({**options, "rollback": job})
    return _prepare(locate(ensemble), "rollback", job_options, lambda read, options: plan_job(read, WORKFLOW, options))


def adopt(
    ensemble: str, instance: str, attributes: Mapping[str, Any], options: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Record an instance without checking it, with these attributes: `{"adopted", "attributes", "changed"}`."""
    location, job_options = locate(ensemble), JobOptions.from_mapping(options or {})
    with _edited(location, "adopt", job_options) as read:
        before = _recorded(read, instance)
        adopted = adopt_by_hand(read, instance, attributes, write=not job_options.check)
        result = {"adopted": adopted.name, "attributes": read.redactor.data(adopted.attributes)}
        return {**result, "changed": _recorded(read, instance) != before}


def _recorded(ensemble: Ensemble, name: str) -> tuple[Any, ...] | None:
    """What an adoption may change of an instance; None if it is not recorded."""
    instance = ensemble.instances.get(name)
    return (instance.local, instance.state, dict(instance.attributes)) if instance is not None else None


@contextmanager
def _edited(location: Location, operation: str, options: JobOptions) -> Iterator[Ensemble]:
    """The ensemble, under its lock and with what killed jobs did; in a dry run it is only looked at."""
    if options.check:
        yield read_current(location, options)
        return
    with locked(location.ensemble, operation, options):
        yield read_recovered(location, options, write=True)


def _prepare(
    location: Location, operation: str, options: JobOptions, make_plan: Callable[[Ensemble, JobOptions], Plan]
) -> PreparedJob:
    notices: list[str] = []
    lock = JobLock(locks.acquire(location.ensemble, operation, timeout=options.lock_timeout, notice=notices.append))
    try:
        drop_plans(location.ensemble.parent / PLANNED)
        options = at_earlier(
            location, options, lambda chosen: lock.lock_state(location.ensemble, chosen, notices.append)
        )
        ensemble = read_recovered(location, options, write=True)
        lock.lock_global(location.ensemble, ensemble.environment, notices.append)
        check_upstreams(ensemble, options)
        check_working_trees(ensemble, options)
        ensemble.warnings[:0] = notices
        plan = make_plan(ensemble, options)
        plan.warnings += rollback_warnings(ensemble, options)
        return PreparedJob(location, ensemble, plan, options, lock)
    except BaseException:
        lock.release()
        raise


def migrate(path: str, options: Mapping[str, Any], *, write: bool = False) -> dict[str, Any]:
    """What of a project from elsewhere is understood, file by file; see `ansible_ensemble.jobs.migrate`."""
    return migrate_project(path, JobOptions.from_mapping(options), write=write)


def recover(ensemble: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Record what a killed job did, and unite what a git merge left in conflict.

    Returns:
        The job's report; or `{"merged", "check": [...]}` after a merge; or `{"freed": [...]}` if there were only torn
        journals of jobs that never began, and locks that git had left; `{}` if there is nothing to do.
    """
    if merged := merge_conflict(ensemble_file(ensemble)):
        return merged
    location, options = locate(ensemble), JobOptions.from_mapping(given)
    with locked(location.ensemble, "recover", options):
        killed = record_killed(location, options)
        reports = [report for _other, report in killed if report]
        freed = [text for text, report in killed if not reports or report is not reports[-1]]
        freed += collided_jobs(location.ensemble.parent)
        freed += free_repositories(read_ensemble(location, options))
    if reports:
        reports[-1]["warnings"] += freed
        return reports[-1]
    return {"freed": freed} if freed else {}


def unlock(ensemble: str, lock_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Remove the lock with this id, here and where the state lives, and return its content."""
    file = ensemble_file(ensemble)  # which the first job has not made yet
    file = file if locks.lock_path(file).exists() else locate(ensemble).ensemble
    copy = state_copy(file, JobOptions.from_mapping(options))
    here = locks.read_lock(file)
    if copy is None or (here is not None and here.id == lock_id):
        removed = locks.unlock(file, lock_id).to_json()
        if copy is not None and copy.record.lock == lock_id:
            copy.free(lock_id)
        return removed
    copy.free(lock_id)
    return {"ID": lock_id, "Path": str(file)}


def forget(
    ensemble: str, instances: Sequence[str], options: Mapping[str, Any] | None = None, *, again: bool = False
) -> dict[str, Any]:
    """Remove instances from the status; nothing in the world is touched."""
    location, job_options = locate(ensemble), JobOptions.from_mapping(options or {})
    with _edited(location, "forget", job_options) as read:
        recorded = [name for name in instances if not again or read.instances.get(name) is not None]
        for name in recorded:
            if read.instances.get(name) is None:
                hint = nearest_or_known(name, read.instances.by_name) or "nothing is deployed"
                raise InvalidInput(f'the status has no instance "{name}"', hint=hint)
            below = [instance.name for instance in read.instances if instance.host == name]
            if below and not set(below) <= set(instances):
                raise InvalidInput(f'"{name}" hosts {", ".join(below)}', hint="forget these as well")
        if recorded and not job_options.check:
            write_forgotten(read, set(recorded))
    return {"forgotten": recorded}


def init(folder: Path, ci: str | None = None) -> dict[str, Any]:
    """Make a project: `{"folder", "project", "files": [...], "warnings": [...]}`; `project` is around it.

    With a CI server, its file is written too; in a folder that has an ensemble, it alone.
    """
    made = create.init_project(folder, ci=ci)
    if made.within is None and ENSEMBLE_FILE in made.files:
        approve(made.folder)
    project = str(made.within) if made.within is not None else None
    return {"folder": str(made.folder), "project": project, "files": made.files, "warnings": made.notices}


def import_playbooks(playbooks: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Write an ensemble that does what playbooks do (see `jobs.import_playbooks`)."""
    return imports.import_playbooks(playbooks, options)


def clone(source: str, folder: Path | None) -> dict[str, Any]:
    """Copy a project or ensemble: `{"folder", "ensembles": [...], "warnings": [...]}`."""
    made = create.clone_project(source, folder)
    distrust(made.folder)
    return {
        "folder": str(made.folder),
        "ensembles": [str(ensemble) for ensemble in made.ensembles],
        "warnings": made.notices,
    }
