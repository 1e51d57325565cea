"""Inputs that the step of a workflow or the action of a trigger assigns to an operation.

A plan holds them as they are written. What only the workflow or the policy knows is filled in when the operation is
rendered, and so no plan holds the value of a sensitive input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.language.entities import Policy, Topology, Workflow
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.values import DataTypes, part_of
from ansible_ensemble.planning.planned_operation import AssignedInputs, Origin
from ansible_ensemble.views.conform import mark_declared

#: What a part of a written value stands for, in a tuple; None where it stands for itself.
_Find = Callable[[Mapping[str, object]], tuple[object] | None]


def assigned_inputs(topology: Topology, assigned: AssignedInputs | None) -> dict[str, object]:
    """The values of assigned inputs, filled; sensitive ones are marked."""
    if assigned is None:
        return {}
    find = _finder(topology, assigned.origin)
    return {name: _filled(value, find) for name, value in assigned.values.items()}


def _finder(topology: Topology, origin: Origin) -> _Find:
    if origin.workflow in topology.workflows:
        given = {**topology.input_values, **assigned_inputs(topology, origin.given)}
        return partial(_of_workflow, topology.workflows[origin.workflow], given, topology.data_types.get)
    if origin.policy in topology.policies:
        return partial(_of_policy, topology.policies[origin.policy], topology.data_types.get)
    return lambda _value: None  # nothing more is known


def _filled(value: object, find: _Find) -> object:
    if isinstance(value, list):
        return [_filled(item, find) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = find(value)
    return {key: _filled(item, find) for key, item in value.items()} if found is None else found[0]


def _of_workflow(
    workflow: Workflow, given: Mapping[str, object], data_type: DataTypes, written: Mapping[str, Any]
) -> tuple[object] | None:
    """The value of `get_input` of a workflow's own input."""
    called = written.get("get_input")
    name, *path = called if isinstance(called, list) and called else [called]
    if len(written) != 1 or not isinstance(name, str) or name not in workflow.inputs:
        return None
    definition = workflow.inputs[name]
    value = given[name] if name in given else _own_value(workflow, name)
    found = part_of(value, path, f'the input "{name}" of the workflow', definition.place)
    return (mark_declared(found, definition, data_type, path, _sensitive),)


def _own_value(workflow: Workflow, name: str) -> object:
    definition = workflow.inputs[name]
    if definition.has_value or definition.has_default:
        return definition.value if definition.has_value else definition.default
    if definition.required:
        what = f'input "{name}" of workflow "{workflow.name}" has no value'
        raise InvalidInput(what, definition.place, f"give it as --input {name}=VALUE")
    return None


def _of_policy(policy: Policy, data_type: DataTypes, written: Mapping[str, object]) -> tuple[object] | None:
    """The value of `get_property: [SELF, NAME]`, where SELF is the policy."""
    path = written.get("get_property")
    if not isinstance(path, list) or len(path) < 2 or path[0] != "SELF" or path[1] not in policy.properties:
        return None
    assignment = policy.properties[path[1]]
    found = part_of(assignment.value, path[2:], f"the property '{path[1]}' of the policy", assignment.place)
    return (mark_declared(found, assignment.definition, data_type, path[2:], _sensitive),)


def _sensitive(value: object) -> object:
    """The value marked as sensitive; what computes it is marked by what it then computes."""
    return {"eval": {"sensitive": value}} if is_computed(value) else mark_sensitive(value)
