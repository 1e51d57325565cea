"""Values that are required and that nothing gives: inputs of operations, properties of artifacts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import (
    Artifact,
    Assignment,
    Entity,
    NodeTemplate,
    Operation,
    ParameterDefinition,
)
from ansible_ensemble.language.values import missing
from ansible_ensemble.topology.building import Building

#: Interfaces whose operations run by themselves; those of others run where a workflow or a policy calls them.
_BY_THEMSELVES = (
    "tosca.interfaces.node.lifecycle.Standard",
    "tosca.interfaces.relationship.Configure",
    "unfurl.interfaces.Install",
)
_HINT = "assign a value, give it a default, or declare it with required: false"


def missing_inputs(inputs: Mapping[str, ParameterDefinition], given: Collection[str]) -> list[str]:
    """Names of the required inputs of a topology or workflow that have no value; a job cannot start without them."""
    return [
        name
        for name, definition in inputs.items()
        if definition.required and not definition.has_default and not definition.has_value and name not in given
    ]


def inputs_without_value(owner: Entity, operation: Operation, given: Collection[str] = ()) -> list[InvalidInput]:
    """An error for each required input of an operation that has no value, neither assigned nor given."""
    return [_fault(operation, one) for one in _unassigned(owner, operation) if one.name not in given]


def has_value(assigned: Assignment | None, definition: ParameterDefinition) -> bool:
    """Whether an input is assigned something: null is nothing, unless it is what the definition has as default."""
    if assigned is None:
        return definition.has_default
    return assigned.value is not None or assigned.is_default


def is_required(definition: ParameterDefinition) -> bool:
    """Whether an input must have a value; one that is given without a type is just a value."""
    return definition.required and definition.schema.type != "any"


def _unassigned(owner: Entity, operation: Operation) -> Iterator[ParameterDefinition]:
    """The required inputs that an operation assigns nothing to.

    Those that its interface declares are for the operations that use them: it is enough if one of these assigns them.
    """
    if operation.implementation is None:
        return
    interface = owner.interfaces.get(operation.interface)
    for name, definition in operation.input_definitions.items():
        if not is_required(definition) or has_value(operation.inputs.get(name), definition):
            continue
        is_shared = interface is not None and interface.input_definitions.get(name) is definition
        others = interface.operations.values() if interface is not None and is_shared else ()
        if not any(has_value(one.inputs.get(name), definition) for one in others if one.implementation is not None):
            yield definition


def _fault(operation: Operation, definition: ParameterDefinition) -> InvalidInput:
    message = f"the input '{definition.name}' of operation {operation.full_name} is required and has no value"
    assigned = operation.inputs.get(definition.name)
    return InvalidInput(message, (assigned.place if assigned is not None else None) or definition.place, _HINT)


def check_required(building: Building, operations: Iterable[tuple[Entity, Operation]]) -> None:
    """Refuse operations that would run without a required input, and artifacts without a required property."""
    called: set[int] = set()
    for what, node, name, given, place in _calls(building):
        operation = node.declared(name)
        if operation is None:
            continue
        called.add(id(operation))
        for definition in _unassigned(node, operation):
            if definition.name not in given:
                message = f"{what} gives no value to the required input '{definition.name}' of {operation.full_name}"
                building.problems.add(message, place, _HINT)
    for owner, operation in operations:
        interface = owner.interfaces.get(operation.interface)
        kind = interface.type if interface is not None else ""
        if id(operation) not in called and any(building.types.is_a("interface", kind, one) for one in _BY_THEMSELVES):
            building.problems.errors += inputs_without_value(owner, operation)
    for artifact in _artifacts(building, (operation for _other, operation in operations)):
        entity = building.types.named("artifact", artifact.type)
        for name in missing(artifact.properties, entity.properties) if entity is not None else ():
            building.problems.add(f"the property '{name}' of artifact '{artifact.name}' is missing", artifact.place)


def _calls(building: Building) -> Iterator[tuple[str, NodeTemplate, str, Collection[str], Place | None]]:
    """What calls an operation of which node template by which name, the inputs that it gives, and its position."""
    topology = building.topology
    for workflow in topology.workflows.values():
        for step in workflow.steps.values():
            what = f"step '{step.name}' of workflow '{workflow.name}'"
            for name, given, place in _operation_calls(step.activities, step.place):
                for node in _targets(building, [step.target]):
                    yield what, node, name, given, place
    for policy in topology.policies.values():
        for trigger in policy.triggers.values():
            what = f"trigger '{trigger.name}' of policy '{policy.name}'"
            for name, given, place in _operation_calls(trigger.action, trigger.place):
                for node in _targets(building, policy.targets):
                    yield what, node, name, given, place


def _operation_calls(
    activities: Iterable[Any], place: Place | None
) -> Iterator[tuple[str, Collection[str], Place | None]]:
    for activity in activities:
        called = activity.get("call_operation") if isinstance(activity, Mapping) else None
        body = called if isinstance(called, Mapping) else {"operation": called}
        name = body.get("operation")
        if isinstance(name, str):
            inputs = body.get("inputs")
            given = [key for key, value in inputs.items() if value is not None] if isinstance(inputs, Mapping) else []
            yield name, given, place_of(body) or place


def _targets(building: Building, names: Iterable[str]) -> Iterator[NodeTemplate]:
    for name in names:
        group = building.topology.groups.get(name)
        for member in group.members if group is not None else [name]:
            if member in building.nodes:
                yield building.nodes[member]


def _artifacts(building: Building, operations: Iterable[Operation]) -> Iterator[Artifact]:
    found: dict[int, Artifact] = {}
    for node in building.nodes.values():
        found |= {id(artifact): artifact for artifact in node.artifacts.values()}
    for operation in operations:
        artifact = operation.implementation.artifact if operation.implementation is not None else None
        if artifact is not None:
            found[id(artifact)] = artifact
    yield from found.values()
