"""The names that there are in an ensemble, for who types one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ansible_ensemble.changes import history as records
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.planning.planner import TRANSFORMS
from ansible_ensemble.records.current import read_recovered

#: So many of the last jobs are offered.
_JOBS = 50
_OF_SPECIFICATION: dict[str, Callable[[Ensemble], Iterable[str]]] = {
    "instances": lambda read: dict.fromkeys(
        [*(instance.name for instance in read.instances), *read.topology.node_templates]
    ),
    "templates": lambda read: read.topology.node_templates,
    "workflows": lambda read: dict.fromkeys([*read.topology.workflows, *TRANSFORMS]),
    "operations": lambda read: sorted(
        {
            f"{interface.name}.{name}"
            for template in read.topology.node_templates.values()
            for interface in template.interfaces.values()
            for name, operation in interface.operations.items()
            if operation.implementation is not None
        }
    ),
    "outputs": lambda read: read.topology.outputs,
}


def names(ensemble: str, kind: str) -> list[str]:
    """The names of a kind: those of the specification, or ids of `jobs`, or `changes`: of jobs and their tasks."""
    location = locate(ensemble)
    if kind in _OF_SPECIFICATION:
        return list(_OF_SPECIFICATION[kind](read_recovered(location, JobOptions(), write=False)))
    folder = location.ensemble.parent
    jobs = [job["change_id"] for job in records.history(folder)[: -_JOBS - 1 : -1]]
    if kind == "jobs":
        return jobs
    tasks = [task["change_id"] for job in jobs[:3] for task in records.show_job(folder, job)["tasks"]]
    return [*jobs, *map(str, tasks)]
