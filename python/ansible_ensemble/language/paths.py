"""Paths of functions into entities: what can be checked of them before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.hints import nearest
from ansible_ensemble.language.entities import Entity, EntityType, NodeTemplate, ParameterDefinition, Schema
from ansible_ensemble.language.problems import kind_of


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
