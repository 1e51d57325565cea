"""Reads in a circle: instances that all wait for attributes of one another before anything of them can run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.views.reads import Deferred

#: Words of an output's mapping for the task's own instance.
_OWN = ("SELF", "SOURCE")


def circle_fault(tasks: Iterable[JobTask], waiting: Mapping[str, Deferred]) -> InvalidInput | None:
    """Why a plan could only ever be blocked, by the names of what waits for what; None if something can be first.

    The tasks are those of the plan that run something, in its order; those that wait, by their operations' keys, cannot
    be rendered before an attribute is known.
    """
    first: dict[str, JobTask] = {}
    foreign = False
    for task in tasks:
        first.setdefault(task.planned.instance, task)
        foreign |= _may_set_others(task)
    if foreign:
        return None  # one of these operations may set the attributes
    needed = {name: _owner(waiting[task.planned.key]) for name, task in first.items() if task.planned.key in waiting}
    seen: set[str | None] = set()
    for start in needed:
        path: dict[str, int] = {}
        name: str | None = start
        while name is not None and name in needed and name not in seen:
            seen.add(name)
            path[name] = len(path)
            name = needed[name]
        if name is not None and name in path and needed[name] != name:
            return _fault(list(path)[path[name] :], first, waiting)
    return None


def _may_set_others(task: JobTask) -> bool:
    """Whether an operation may set attributes of other instances than its own."""
    operation = task.operation
    by_name = operation.implementation is not None and operation.implementation.class_name is not None
    mapped = any(mapping and mapping[0] not in _OWN for mapping in operation.outputs.values())
    return by_name or mapped or "resultTemplate" in operation.inputs


def _owner(deferred: Deferred) -> str | None:
    """The instance whose attribute is waited for."""
    return deferred.refs[0].partition(".")[0] if deferred.refs else None


def _fault(ring: list[str], first: Mapping[str, JobTask], waiting: Mapping[str, Deferred]) -> InvalidInput:
    tasks = [first[name] for name in ring]
    reads = [f"{task.planned.key} needs {waiting[task.planned.key].refs[0]}" for task in tasks]
    return InvalidInput(
        f"these wait for attributes of each other, and none can be first: {', '.join(reads)}",
        tasks[0].operation.place,
        "set one of the attributes by an operation that runs before",
    )
