"""The plan of a job, which says why it repairs an instance: what the last check found, or why an operation failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.changes.history import find_job
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.changeid import is_change_id, job_of
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.records.journals import job_log

#: What a task found, by its change id.
_Found = dict[str, dict[str, Any]]


def plan_job(ensemble: Ensemble, workflow: str, options: JobOptions) -> Plan:
    """The plan of a workflow; each instance to be repaired has what the records say of its fault.

    It warns of nodes of the mesh that operations are planned on, and that could not take them now.
    """
    plan = plan_workflow(ensemble, workflow, options)
    plan.warnings += _missing_nodes(ensemble, plan, options)
    jobs: dict[str, _Found] = {}
    for change in plan.instances:
        task = _last_task(ensemble, change.instance) if change.reason is Reason.REPAIR else None
        if task is None:
            continue
        job = job_of(task)
        if job not in jobs:
            jobs[job] = _found_by(ensemble.folder, job)
        change.found = jobs[job].get(task)
    return plan


def _missing_nodes(ensemble: Ensemble, plan: Plan, options: JobOptions) -> list[str]:
    """Why operations that are planned on nodes could not run now."""
    patterns = list(dict.fromkeys(one.node for one in plan.operations if one.node is not None))
    if not patterns:
        return []
    import asyncio  # few plans need them

    from ansible_ensemble.engine.mesh import mesh_of

    mesh = mesh_of(ensemble, options.mesh)
    return asyncio.run(mesh.missing(patterns)) if mesh is not None else []


def _last_task(ensemble: Ensemble, name: str) -> str | None:
    """The task that looked at an instance, or worked on it, last."""
    instance = ensemble.instances.get(name)
    recorded = ensemble.operations.of(name).items()
    tasks = [one.change_id for operation, one in recorded if only_looks(operation.rpartition(".")[2])]
    tasks += filter(None, [instance.last_config_change if instance is not None else None])
    return max(filter(is_change_id, tasks), default=None)  # no job is known by what is none


def _found_by(folder: Path, job: str) -> _Found:
    """What the tasks of a job found, from its journal; else from its record, which clones have too, without diffs."""
    try:
        log = job_log(folder, job)
        if log.is_file():
            from ansible_ensemble.engine.journal_entries import Finished
            from ansible_ensemble.records.job_journal import read_job_journal

            ended = [one for one in read_job_journal(log).entries if isinstance(one, Finished) and one.error]
            return {
                one.task: _found(one.operation, one.error or "", ok=one.ok)
                | {"drift": [*one.drift], "diff": [*one.diff]}
                for one in ended
            }
        record = find_job(folder, job)
    except EnsembleError:  # the plan is right without it
        return {}
    tasks = [one for one in record.tasks if one.error] if record is not None else []
    return {one.change_id: _found(one.operation, one.error, ok=one.outcome == "ok") for one in tasks}


def _found(operation: str, error: str, *, ok: bool) -> dict[str, Any]:
    verb = "found" if ok else "failed"
    return {"operation": operation.rpartition(".")[2], "verb": verb, "error": error, "drift": [], "diff": []}
