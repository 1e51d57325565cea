"""What the plays of a plan's operations name: the handlers that they may run, and hosts of their tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.configurators.implementation import resolve
from ansible_ensemble.configurators.registry import PLAYS
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Operation, Topology
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation

if TYPE_CHECKING:
    from ansible_ensemble.configurators.task_files import Named

#: Workflows that change nothing.
_LOOKING = frozenset({"check", "discover"})


def operation_of(planned: PlannedOperation, topology: Topology) -> Operation | None:
    """A node's operation that is planned; None if there is none by now, or it is a relationship's."""
    template = topology.node_templates.get(planned.template)
    return template.operation(planned.interface, planned.operation) if template is not None else None


def named_by(operation: Operation, root: Path) -> Named | None:
    """What the tasks of an operation's play name; None if it runs none."""
    try:
        found = resolve(operation, root)
    except InvalidInput:  # told of the implementation itself
        return None
    if found.configurator not in PLAYS:
        return None
    from ansible_ensemble.configurators.task_files import named_by_tasks

    return named_by_tasks(found.configurator, found.target, operation, root)


def note_handlers(plan: Plan, topology: Topology, root: Path) -> None:
    """Note the handlers that operations of a plan may run."""
    for planned in plan.operations if plan.workflow not in _LOOKING else ():
        operation = operation_of(planned, topology)
        named = named_by(operation, root) if operation is not None and operation.implementation is not None else None
        planned.handlers = list(named.handlers) if named is not None else []
