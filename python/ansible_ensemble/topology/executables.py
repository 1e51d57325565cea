"""Artifacts that say what they take, by the operation `execute` of the interface `unfurl.interfaces.Executable`.

An operation whose implementation is such an artifact has its inputs as well, with their types and defaults, and gives
them as `arguments`: to a script by its command line, to a playbook and a Terraform module as variables. Properties of
the artifact that say how it runs are inputs, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Artifact, Assignment, Entity, Operation, Topology
from ansible_ensemble.topology.required import inputs_without_value

_INTERFACE, _EXECUTE = "unfurl.interfaces.Executable", "execute"
_ARGUMENTS = "arguments"
#: Properties of an artifact that say how it runs, as the inputs of these names do.
_SETTINGS = ("done", "input", "keeplines", "outputsTemplate", "resultTemplate", "shell")


def add_arguments(topology: Topology) -> list[InvalidInput]:
    """Give operations the inputs of the artifacts that they run.

    Returns:
        An error for each input that an artifact requires and that has no value.
    """
    faults: list[InvalidInput] = []
    for node in topology.node_templates.values():
        for owner in (node, *node.requirements):
            for operation, artifact, execute in _executed(owner):
                made = _with_arguments(operation, artifact, execute)
                interface = owner.interfaces[operation.interface]
                operations = {**interface.operations, operation.name: made}
                owner.interfaces = {**owner.interfaces, operation.interface: replace(interface, operations=operations)}
                faults += inputs_without_value(owner, made)
    return faults


def _executed(owner: Entity) -> Iterator[tuple[Operation, Artifact, Operation]]:
    """The operations of a node or relationship that run such an artifact, and what that declares."""
    for interface in list(owner.interfaces.values()):
        for operation in interface.operations.values():
            artifact = operation.implementation.artifact if operation.implementation is not None else None
            for one in artifact.interfaces.values() if artifact is not None else ():
                if artifact is not None and one.type == _INTERFACE and _EXECUTE in one.operations:
                    yield operation, artifact, one.operations[_EXECUTE]


def _with_arguments(operation: Operation, artifact: Artifact, execute: Operation) -> Operation:
    settings = {name: one for name, one in artifact.properties.items() if name in _SETTINGS and one.value is not None}
    definitions = {**execute.input_definitions, **operation.input_definitions}
    inputs = {
        name: replace(one, definition=one.definition or definitions.get(name))
        for name, one in {**settings, **execute.inputs, **operation.inputs}.items()
    }
    asked = operation.metadata.get(_ARGUMENTS)
    known = [*asked, *execute.inputs] if isinstance(asked, list) else [*execute.input_definitions, *execute.inputs]
    names = [name for name in dict.fromkeys(known) if name in inputs]
    if names and _ARGUMENTS not in inputs:
        given = {name: {"eval": f"$inputs::{name}"} for name in names}
        inputs[_ARGUMENTS] = Assignment(given, place=operation.place, base=operation.base)
    return replace(operation, inputs=inputs, input_definitions=definitions)
