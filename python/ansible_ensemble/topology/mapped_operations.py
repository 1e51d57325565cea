"""Operations of a substituted node that a workflow of the topology in its place carries out [TOSCA 1.3, 3.8.12]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import NodeTemplate, Topology, Workflow, WorkflowStep
from ansible_ensemble.topology.building import Building

_HINT = "its steps call operations of node templates one after the other, without inputs, filters and on_failure"


def map_operations(node: NodeTemplate, raw: Mapping[str, Any], nested: Topology, building: Building) -> None:
    """Give a substituted node what its operations call inside of it: those of the steps of the workflows, in order."""
    problems = building.problems
    section = problems.mapping(raw.get("interfaces"), "the mapped interfaces", place_of(raw, "interfaces"))
    for interface, entry in section.items():
        operations = problems.mapping(entry, f"the mapped interface '{interface}'", place_of(section, interface))
        for name, called in operations.items():
            full, place = f"{interface}.{name}", place_of(operations, name)
            workflow = nested.workflows.get(called) if isinstance(called, str) else None
            if node.declared(full) is None:
                problems.add(f"{node.type.name} has no operation {full}", place)
            elif workflow is None:
                hint = nearest(str(called), nested.workflows) or "[a workflow of this topology]"
                problems.add(f"the operation {full} is mapped to no workflow of the topology", place, hint)
            else:
                node.mapped[full] = list(_calls(workflow, nested, building, place))


def _calls(workflow: Workflow, nested: Topology, building: Building, place: Place | None) -> Iterator[tuple[str, str]]:
    """The node template and the operation of each call of a workflow; what else it does is an error."""
    steps = _in_order(workflow)
    if workflow.preconditions or workflow.inputs or len(steps) < len(workflow.steps):
        building.problems.add(f"workflow '{workflow.name}' cannot carry out an operation", place, _HINT)
    for step in steps:
        target = nested.node_templates.get(step.target)
        for activity in step.activities:
            called = activity.get("call_operation")
            if target is None or not isinstance(called, str) or step.filter or step.on_failure or step.relationship:
                message = f"step '{step.name}' of workflow '{workflow.name}' cannot carry out a part of an operation"
                building.problems.add(message, step.place or place, _HINT)
            else:
                yield target.name, called


def _in_order(workflow: Workflow) -> list[WorkflowStep]:
    """The steps, each behind those that lead to it; those of a circle are left out."""
    done: dict[str, WorkflowStep] = {}
    left = dict(workflow.steps)
    while left:
        waiting = {name for step in left.values() for name in step.on_success}
        ready = {name: step for name, step in left.items() if name not in waiting}
        if not ready:
            break
        done |= ready
        left = {name: step for name, step in left.items() if name not in ready}
    return list(done.values())
