"""Inputs that the step of a workflow or the action of a trigger assigns to an operation.

A plan holds them as they are written. What only the workflow or the policy knows is filled in when the operation is
rendered, and so no plan holds the value of a sensitive input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.topology.entities import Policy, Topology, Workflow


def assign(details: dict[str, Any], inputs: Mapping[str, Any], origin: Mapping[str, str]) -> None:
    """Note assigned inputs in the details of a planned operation.

    Args:
        details: the details.
        inputs: the inputs as they are written.
        origin: whose they are: `{"workflow": name}` or `{"policy": name}`.
    """
    if inputs:
        details["assigned"] = dict(inputs)
        details["assigned_by"] = dict(origin)


def assigned_inputs(topology: Topology, details: Mapping[str, Any]) -> dict[str, Any]:
    """The assigned inputs of a planned operation, filled; sensitive values are marked.

    Raises:
        InvalidInput: a required input of the workflow has no value.
    """
    origin = details.get("assigned_by") or {}
    find: Callable[[Mapping[str, Any]], tuple[Any] | None] = _nothing
    if origin.get("workflow") in topology.workflows:
        find = _OfWorkflow(topology, topology.workflows[origin["workflow"]])
    elif origin.get("policy") in topology.policies:
        find = _OfPolicy(topology.policies[origin["policy"]])
    return {name: _filled(value, find) for name, value in (details.get("assigned") or {}).items()}


def _filled(value: Any, find: Callable[[Mapping[str, Any]], tuple[Any] | None]) -> Any:
    if isinstance(value, list):
        return [_filled(item, find) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = find(value)
    return {key: _filled(item, find) for key, item in value.items()} if found is None else found[0]


def _nothing(_written: Mapping[str, Any]) -> None:
    """Nothing is filled in where nothing more is known."""


class _OfWorkflow:
    """Finds what `get_input` of one of the workflow's own inputs stands for."""

    def __init__(self, topology: Topology, workflow: Workflow) -> None:
        self._given = topology.input_values
        self._workflow = workflow

    def __call__(self, written: Mapping[str, Any]) -> tuple[Any] | None:
        name = written.get("get_input")
        if len(written) != 1 or not isinstance(name, str) or name not in self._workflow.inputs:
            return None
        value = self._value(name)
        return (mark_sensitive(value) if self._workflow.inputs[name].sensitive else value,)

    def _value(self, name: str) -> Any:
        definition = self._workflow.inputs[name]
        if name in self._given:
            return self._given[name]
        if definition.has_value or definition.has_default:
            return definition.value if definition.has_value else definition.default
        if definition.required:
            what = f'input "{name}" of workflow "{self._workflow.name}" has no value'
            raise InvalidInput(what, definition.place, f"give it as --input {name}=VALUE")
        return None


class _OfPolicy:
    """Finds what `get_property: [SELF, NAME]` stands for, where SELF is the policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __call__(self, written: Mapping[str, Any]) -> tuple[Any] | None:
        path = written.get("get_property")
        if not isinstance(path, list) or len(path) < 2 or path[0] != "SELF" or path[1] not in self._policy.properties:
            return None
        assignment = self._policy.properties[path[1]]
        found = assignment.value
        for key in path[2:]:
            if not isinstance(found, Mapping) or key not in found:
                raise InvalidInput(f"the property '{path[1]}' of the policy has no '{key}'", assignment.place)
            found = found[key]
        is_secret = assignment.definition is not None and assignment.definition.sensitive
        return (mark_sensitive(found) if is_secret else found,)
