"""Checks what functions ask for, as far as it can be known before anything runs [TOSCA 1.3, 4]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import (
    Entity,
    EntityType,
    Group,
    NodeTemplate,
    ParameterDefinition,
    Policy,
    Relationship,
    Schema,
)
from ansible_ensemble.language.functions import KEYWORDS, Fault, function_name, functions, is_computed, meant
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.types import Scope


def fault_of_path(function: str, entity: Entity, path: list[Any], in_type: bool) -> tuple[str, str | None] | None:
    """What is wrong with a path into an entity: property or attribute, or capability or requirement and then one."""
    name = path[0]
    if not isinstance(name, str):
        return None if isinstance(name, Mapping) else (f"{kind_of(name)} is not a name of a value", None)
    wants_attribute = function == "get_attribute"
    definition = definition_of(entity.type, name, wants_attribute)
    if definition is not None:
        return fault_of_nested(definition.schema, path[1:], f"'{name}' of '{entity.name}'")
    if name in entity.properties or (wants_attribute and name in entity.attributes) or entity.type.is_open:
        return None
    if isinstance(entity, NodeTemplate):
        through = _fault_through(function, entity, path, in_type)
        if through is not None:
            return through[0]
    known = [*entity.type.properties, *(entity.type.attributes if wants_attribute else ())]
    kind = "attribute" if wants_attribute else "property"
    if isinstance(entity, NodeTemplate):
        known += [*entity.capabilities, *entity.type.requirements]
    is_attribute = not wants_attribute and name in entity.type.attributes
    hint = "it is an attribute: use get_attribute" if is_attribute else nearest(name, known)
    return f"'{entity.name}' has no {kind} '{name}'", hint


def _fault_through(
    function: str, entity: NodeTemplate, path: list[Any], in_type: bool
) -> tuple[tuple[str, str | None] | None] | None:
    """The fault of a path through a capability or requirement, in a tuple; None if there is none of the name."""
    name = path[0]
    capability = entity.capabilities.get(name)
    targets = [one for one in entity.requirements if one.name == name]
    if capability is None and not targets and name not in entity.type.requirements:
        return None
    if targets and len(path) > 2 and isinstance(path[1], int):
        if not 0 <= path[1] < len(targets):
            return ((f"'{entity.name}' has no requirement '{name}' {path[1]}: it has {len(targets)}, from 0", None),)
        capability, targets, path = None, [targets[path[1]]], [name, *path[2:]]
    if len(path) < 2:
        return ((f"the name of a value of '{name}' is missing", None),)
    if not isinstance(path[1], str):
        return (None,)
    if any(path[1] in one.target.capabilities for one in targets) or (in_type and not targets):
        return (None,)
    owners: list[EntityType] = [capability.type] if capability is not None else []
    for relationship in targets:
        offered = relationship.target.capabilities.get(relationship.capability or "")
        owners += [relationship.target.type, relationship.type, *([offered.type] if offered else [])]
    for owner in owners:
        definition = definition_of(owner, path[1], function == "get_attribute")
        if definition is not None:
            return (fault_of_nested(definition.schema, path[2:], f"'{path[1]}' of '{name}'"),)
        if owner.is_open:
            return (None,)
    if not owners:
        return (None,)
    known = [one for owner in owners for one in (*owner.properties, *owner.attributes)]
    return ((f"'{name}' of '{entity.name}' has no value '{path[1]}'", nearest(path[1], known)),)


def definition_of(owner: EntityType, name: str, or_attribute: bool) -> ParameterDefinition | None:
    """The definition of a property; of an attribute too where that is asked for [TOSCA 1.3, 3.6.12]."""
    found = owner.properties.get(name)
    return owner.attributes.get(name) if found is None and or_attribute else found


def fault_of_nested(schema: Schema, path: list[Any], what: str) -> tuple[str, str | None] | None:
    """What is wrong with a path into a value of a known schema, as far as the schema defines it."""
    if not path:
        return None
    if schema.type in ("string", "integer", "float", "boolean", "version", "timestamp"):
        return f"{what} is of type {schema.type}, it has no '{path[0]}'", None
    if schema.type == "list" and isinstance(path[0], str) and not path[0].lstrip("-").isdigit():
        return f"{what} is a list, it has no '{path[0]}'", "use the number of an item"
    return None


#: What these hold is not checked: it is an expression, or not evaluated.
_LEFT_ALONE = ("eval", "ref", "q", "quote")


def calls(value: Any, place: Place | None) -> Iterator[tuple[str, Mapping[Any, Any], Place | None]]:
    """Name, call and place of every TOSCA function in a value, however deep; expressions are left alone.

    So is a map with one key that is meant as a call and is none: its name has a slip.
    """
    stack: list[tuple[Any, Place | None]] = [(value, place)]
    while stack:
        current, where = stack.pop()
        if isinstance(current, Mapping):
            name = function_name(current)
            if name in _LEFT_ALONE:
                continue
            if name is None and len(current) == 1:
                (only,) = current
                name = None if meant(only) is None else str(only)
            if name is not None:
                yield name, current, place_of(current) or where
            for key, item in current.items():
                if isinstance(item, Mapping | list):
                    stack.append((item, place_of(current, key) or where))
        elif isinstance(current, list):
            for item in current:
                if isinstance(item, Mapping | list):
                    stack.append((item, place_of(item) or where))


class FunctionCheck(Struct):
    """Checks the functions of one topology.

    Attributes:
        scope: what its file sees.
        inputs: its declared inputs.
        nodes: its node templates by the name that functions use.
        relationships: its relationship templates by name.
        others: its policies and groups by name, policies by the name of their type, too.
        asked_outputs: outputs of operations that were found to be read, by `Interface.operation`.
    """

    scope: Scope
    inputs: Mapping[str, ParameterDefinition]
    nodes: Mapping[str, NodeTemplate]
    relationships: Mapping[str, Relationship]
    others: Mapping[str, Policy | Group]
    asked_outputs: dict[str, set[str]]

    @property
    def lenient(self) -> bool:
        """Whether attributes that are not declared may be read, as Unfurl's dialect allows."""
        return self.scope.is_unfurl

    def check(self, value: Any, place: Place | None, owner: Entity | None, in_type: bool = False) -> None:
        """Check every function of a value; SELF is its owner, None in outputs.

        In a type, SELF has at least what the type has.
        """
        if not isinstance(value, Mapping | list):
            return
        for name, call, where in calls(value, place):
            fault = self._fault(name, call, owner, in_type)
            if fault is not None:
                message, hint = fault
                self.scope.problems.add(f"{name}: {message}", where, hint)

    def _fault(self, name: str, call: Mapping[Any, Any], owner: Entity | None, in_type: bool) -> Fault | None:
        declared = functions().get(name)
        if declared is None:
            return "there is no such function", f"did you mean {meant(name)}?"
        fault, operands = declared.fault(name, call), declared.operands(call[name])
        if fault is not None:
            return fault
        match name:
            case "get_input":
                return self._fault_of_input(operands)
            case "get_property" | "get_attribute":
                return self._fault_of_path(name, operands, owner, in_type)
            case "get_operation_output":
                self._note_output(operands)
                return self._fault_of_output(operands, owner, in_type)
            case "get_artifact":
                return self._fault_of_artifact(operands, owner, in_type)
            case "get_nodes_of_type":
                return self._fault_of_type(operands[0])
        return None

    def _fault_of_input(self, path: list[Any]) -> Fault | None:
        if not isinstance(path[0], str):
            return "it takes the name of an input", None
        definition = self.inputs.get(path[0])
        if definition is None:
            if self.lenient and len(path) == 2:
                return None
            return f"there is no input '{path[0]}'", nearest(path[0], self.inputs)
        if self.lenient:
            return None
        return fault_of_nested(definition.schema, path[1:], f"input '{path[0]}'")

    def _entity(self, name: Any, owner: Entity | None) -> tuple[Entity | None, Fault | None]:
        """The entity of a function's first argument, None where it is not known yet, or what is wrong with it."""
        if not isinstance(name, str):
            return None, None if isinstance(name, Mapping) else (f"{kind_of(name)} names no entity", None)
        if name not in KEYWORDS:
            found: Entity | None = self.nodes.get(name) or self.relationships.get(name)
            if found is None and name in self.others:
                other = self.others[name]
                found = Entity(other.name, other.type, other.properties)
            if found is None:
                hint = nearest(name, [*self.nodes, *KEYWORDS[:5]])
                return None, (f"there is no node template '{name}'", hint)
            return found, None
        if name in ("ORCHESTRATOR", "OPERATION_HOST"):
            return None, None
        if owner is None:
            return None, (f"{name} is not available here", "name a node template")
        if name in ("SOURCE", "TARGET"):
            if isinstance(owner, Relationship):
                return (owner.source if name == "SOURCE" else owner.target), None
            return None, None if self.lenient else (f"{name} is available in relationships only", "use SELF or HOST")
        return (owner if name == "SELF" else None), None

    def _fault_of_path(self, function: str, arguments: list[Any], owner: Entity | None, in_type: bool) -> Fault | None:
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None:
            return fault
        if arguments[0] == "HOST" and isinstance(owner, NodeTemplate):
            return self._fault_of_host(function, arguments[1:], owner, in_type)
        if entity is None or self.lenient:
            return None
        if arguments[0] == "TARGET" and isinstance(owner, Relationship) and owner.capability is not None:
            # the target of a relationship is a capability of a node [TOSCA 1.3, 4.1]
            offered = owner.target.capabilities[owner.capability].type
            if isinstance(arguments[1], str) and definition_of(offered, arguments[1], True) is not None:
                return None
        return fault_of_path(function, entity, arguments[1:], in_type)

    def _fault_of_host(self, function: str, path: list[Any], owner: NodeTemplate, in_type: bool) -> Fault | None:
        if in_type or self.lenient:
            return None
        hosts = list(hosts_of(owner))
        if not hosts:
            return f"'{owner.name}' is hosted on nothing", "add a requirement whose relationship is HostedOn"
        faults = [fault_of_path(function, host, path, False) for host in hosts]
        return None if None in faults else faults[0]

    def fault_of_target(self, target: list[Any], owner: Entity) -> Fault | None:
        """What is wrong with the attribute that an operation's output is mapped to, and a hint [TOSCA 1.3, 3.6.15]."""
        entity, fault = self._entity(target[0], owner)
        if fault is not None or entity is None or self.lenient:
            return fault
        return fault_of_path("get_attribute", entity, target[1:], True)

    def _fault_of_output(self, arguments: list[Any], owner: Entity | None, in_type: bool) -> Fault | None:
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None or entity is None:
            return fault
        interface = entity.interfaces.get(arguments[1]) if isinstance(arguments[1], str) else None
        if interface is None:
            return f"'{entity.name}' has no interface {arguments[1]!r}", nearest(str(arguments[1]), entity.interfaces)
        if isinstance(arguments[2], str) and arguments[2] not in interface.operations and not interface.is_open:
            hint = nearest(str(arguments[2]), interface.operations)
            return f"interface '{interface.name}' has no operation {arguments[2]!r}", hint
        operation = interface.operations.get(str(arguments[2]))
        if operation is not None and operation.implementation is None and not in_type:
            return f"nothing implements {operation.full_name} of '{entity.name}', it has no outputs", None
        return None

    def _note_output(self, arguments: list[Any]) -> None:
        """Record which output is read; of which node templates is unknown if SELF is in a type."""
        if all(isinstance(one, str) for one in arguments[1:4]):
            self.asked_outputs.setdefault(f"{arguments[1]}.{arguments[2]}", set()).add(arguments[3])

    def _fault_of_type(self, name: Any) -> Fault | None:
        if not isinstance(name, str):
            return None if is_computed(name) else ("it takes the name of a node type", None)
        if self.scope.types.find("node", name, self.scope) is not None:
            return None
        known = [*self.scope.names["node"], *self.scope.types.normative.names["node"]]
        return f"unknown node type '{name}'", nearest(name, known)

    def _fault_of_artifact(self, arguments: list[Any], owner: Entity | None, in_type: bool) -> Fault | None:
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None or not isinstance(entity, NodeTemplate) or in_type or self.lenient:
            return fault
        if isinstance(arguments[1], str) and arguments[1] not in entity.artifacts:
            return f"'{entity.name}' has no artifact '{arguments[1]}'", nearest(arguments[1], entity.artifacts)
        return None


def hosts_of(node: NodeTemplate) -> Iterator[NodeTemplate]:
    """The node templates that a node template is hosted on, nearest first."""
    seen = {node.name}
    current: NodeTemplate | None = node
    while current is not None:
        current = next((one.target for one in current.requirements if one.is_hosted_on), None)
        if current is None or current.name in seen:
            return
        seen.add(current.name)
        yield current
