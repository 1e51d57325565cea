"""Reads the definition of a type of each kind [TOSCA 1.3, 3.7] into an `EntityType`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec.structs import replace

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.artifacts import read_artifacts
from ansible_ensemble.language.entities import (
    Assignment,
    CapabilityDefinition,
    EntityType,
    ParameterDefinition,
    RequirementDefinition,
)
from ansible_ensemble.language.filters import check_filter
from ansible_ensemble.language.interfaces import build_interface_type, read_interfaces
from ansible_ensemble.language.normative import PRIMITIVES
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.scalar_types import read_scalar_type, refine_scalar_type
from ansible_ensemble.language.schema import read_constraints, read_definitions, read_schema
from ansible_ensemble.language.types import Scope
from ansible_ensemble.language.version_2 import UNSTATED_COUNT
from ansible_ensemble.topology.triggers import read_triggers


def build_type(entity: EntityType, raw: Mapping[str, Any], scope: Scope) -> None:
    """Read the definition of a type; the inherited definitions are in it already."""
    if entity.kind == "interface":
        build_interface_type(entity, raw, scope)
        return
    what = f"the {entity.kind} type '{entity.name}'"
    for part in ("properties", "attributes"):
        section = f"the {part} of {what}"
        merged = read_definitions(raw.get(part), section, place_of(raw, part), scope, getattr(entity, part))
        setattr(entity, part, merged)
    for part, kind in (
        ("valid_source_types", "node"),
        ("valid_target_types", "capability"),
        ("valid_target_node_types", "node"),
        ("valid_relationship_types", "relationship"),
        ("members", "node"),
        ("targets", "node"),
    ):
        if raw.get(part) is not None:
            setattr(entity, part, _type_names(raw[part], kind, f"{part} of {what}", place_of(raw, part), scope))
    if entity.kind == "data":
        _build_data_type(entity, raw, scope)
    elif entity.kind == "policy":
        entity.triggers |= read_triggers(raw.get("triggers"), what, place_of(raw, "triggers"), scope.problems)
    elif entity.kind == "node":
        _build_node_type(entity, raw, scope)
    if entity.kind in ("node", "relationship", "artifact"):
        entity.interfaces = read_interfaces(
            raw.get("interfaces"), what, place_of(raw, "interfaces"), scope, entity.interfaces, declares=True
        )


def _build_node_type(entity: EntityType, raw: Mapping[str, Any], scope: Scope) -> None:
    what = f"the node type '{entity.name}'"
    capabilities = scope.problems.mapping(
        raw.get("capabilities"), f"the capabilities of {what}", place_of(raw, "capabilities")
    )
    for name, entry in capabilities.items():
        found = read_capability(name, entry, place_of(capabilities, name), scope, entity.capabilities.get(name))
        if found is not None:
            entity.capabilities[name] = found
    section = f"the requirements of {what}"
    for name, entry, place in scope.problems.entries(raw.get("requirements"), section, place_of(raw, "requirements")):
        requirement = read_requirement(name, entry, place, scope, entity.requirements.get(name))
        if requirement is not None:
            entity.requirements[name] = requirement
    entity.artifacts = read_artifacts(raw.get("artifacts"), what, place_of(raw, "artifacts"), scope, entity.artifacts)


def _build_data_type(entity: EntityType, raw: Mapping[str, Any], scope: Scope) -> None:
    """A data type is complex, or derives from a primitive one and then has a schema [TOSCA 1.3, 3.7.6]."""
    what = f"the data type '{entity.name}'"
    base = raw.get("derived_from") if raw.get("derived_from") is not None else raw.get("type")
    if base == "scalar":
        entity.schema = read_scalar_type(raw, what, entity.place, scope)
    elif isinstance(base, str) and base.removeprefix("tosca:") in PRIMITIVES:
        entity.schema = read_schema({**raw, "type": base}, what, entity.place, scope)
        if raw.get("properties"):
            hint = "derive it from tosca.datatypes.Root"
            scope.problems.add(f"{what} is a {base}, which has no properties", place_of(raw, "properties"), hint)
    elif entity.schema is not None and entity.parent is not None:
        refined = entity.schema
        body = {key: one for key, one in raw.items() if key in ("entry_schema", "key_schema")}
        entity.schema = read_schema(body, what, entity.place, scope, refined)
        entity.schema.type = entity.parent.name
        entity.schema.constraints = read_constraints(
            raw.get("constraints"), what, place_of(raw, "constraints"), scope.problems
        )
    if base != "scalar":
        refine_scalar_type(entity, raw, what, scope)


def read_capability(
    name: str, raw: Any, place: Place | None, scope: Scope, inherited: CapabilityDefinition | None
) -> CapabilityDefinition | None:
    """A capability definition, from a type's name or a map [TOSCA 1.3, 3.7.2]; None, and an error, if it is neither."""
    raw = _body(raw, "capability", name, place, scope)
    if raw is None:
        return None
    if raw.get("type") is None and inherited is None:
        scope.problems.add(f"capability '{name}' has no type", place)
        return None
    type_name = inherited.type if inherited is not None else None
    if raw.get("type") is not None:
        where = place_of(raw, "type") or place
        type_name = _refined("capability", type_name, raw["type"], f"the type of capability '{name}'", scope, where)
    entity = scope.types.named("capability", type_name) if type_name is not None else None
    if type_name is None or entity is None:
        return None
    made = CapabilityDefinition(name, type_name) if inherited is None else replace(inherited, type=type_name)
    for part in ("properties", "attributes"):
        base = {**getattr(entity, part), **getattr(made, part)}
        what = f"the {part} of capability '{name}'"
        refined = read_definitions(raw.get(part), what, place_of(raw, part), scope, base)
        changed = {key: value for key, value in refined.items() if value is not getattr(entity, part).get(key)}
        setattr(made, part, changed)
    for part, kind in (("valid_source_types", "node"), ("valid_relationship_types", "relationship")):
        if raw.get(part) is not None:
            what = f"{part} of capability '{name}'"
            setattr(made, part, _type_names(raw[part], kind, what, place_of(raw, part), scope))
    made.occurrences = read_occurrences(raw, f"capability '{name}'", scope.problems) or made.occurrences
    return made


def _body(raw: Any, kind: str, name: str, place: Place | None, scope: Scope) -> Mapping[str, Any] | None:
    """The map of a definition, of which the name of a type is the short form; None, and an error, if it is neither."""
    key, short = ("type", "a type's") if kind == "capability" else ("capability", "a capability type's")
    if isinstance(raw, str):
        raw = {key: raw}
    if not isinstance(raw, Mapping):
        scope.problems.add(f"{kind} '{name}' must be {short} name or a map, not {kind_of(raw)}", place)
        return None
    body = scope.problems.mapping(raw, f"{kind} '{name}'", place)
    if not scope.is_normative:
        scope.problems.check_keys(body, f"{kind}_definition", place)
    return body


def read_requirement(
    name: str, raw: Any, place: Place | None, scope: Scope, inherited: RequirementDefinition | None
) -> RequirementDefinition | None:
    """A requirement definition, from a capability type's name or a map [TOSCA 1.3, 3.7.3]; None, and an error, else."""
    problems = scope.problems
    raw = _body(raw, "requirement", name, place, scope)
    if raw is None:
        return None
    made = RequirementDefinition(name, place=place) if inherited is None else replace(inherited, place=place)
    made.description = str(raw.get("description") or made.description)
    what = f"of requirement '{name}'"
    if raw.get("capability") is not None:
        where = place_of(raw, "capability") or place
        made.capability = _refined("capability", made.capability, raw["capability"], f"the type {what}", scope, where)
    if raw.get("node") is not None:
        # another kind of node may take the place: the capability says what fits
        made.node = scope.types.canonical("node", raw["node"], scope, place_of(raw, "node")) or made.node
    relationship = raw.get("relationship")
    if isinstance(relationship, Mapping):
        body = problems.mapping(relationship, f"the relationship of requirement '{name}'", place)
        problems.check_keys(body, "inline_relationship", place_of(raw, "relationship"))
        relationship = body.get("type")
    if relationship is not None:
        where = place_of(raw, "relationship")
        made.relationship = _refined(
            "relationship", made.relationship, relationship, f"the relationship {what}", scope, where
        )
    if isinstance(raw.get("relationship"), Mapping) and made.relationship is not None:
        base = scope.types.named("relationship", made.relationship)
        made.interfaces = read_interfaces(
            raw["relationship"].get("interfaces"),
            f"requirement '{name}'",
            place_of(raw["relationship"], "interfaces"),
            scope,
            {**(base.interfaces if base is not None else {}), **made.interfaces},
            declares=True,
        )
    if not scope.types.is_strict or inherited is None or raw.get("occurrences") is not UNSTATED_COUNT:
        made.occurrences = read_occurrences(raw, f"requirement '{name}'", problems) or made.occurrences
    if scope.types.is_strict:
        _check_strictly(made, inherited, what, place, scope)
    if raw.get("node_filter") is not None:
        own = problems.mapping(raw["node_filter"], f"the node_filter of requirement '{name}'", place)
        check_filter(own, f"requirement '{name}'", place_of(raw, "node_filter"), problems)
        made.node_filters = [*made.node_filters, own]
    return made


def _check_strictly(
    made: RequirementDefinition,
    inherited: RequirementDefinition | None,
    what: str,
    place: Place | None,
    scope: Scope,
) -> None:
    """Refuse what TOSCA 2.0 does not let a requirement definition be [8.4]."""
    if made.capability is None:
        scope.problems.add(f"the capability {what} is missing", place, "add capability:")
    if inherited is None:
        return
    (low, high), (least, most) = made.occurrences, inherited.occurrences
    if low < least or (most is not None and (high is None or high > most)):
        message = f"the count_range {what} is {[low, high]}, beyond the inherited {[least, most]}"
        scope.problems.add(message.replace("None", "UNBOUNDED"), place)


def _refined(  # noqa: PLR0917
    kind: str, inherited: str | None, name: Any, what: str, scope: Scope, place: Place | None
) -> str | None:
    """The type that a refinement names, or the inherited one.

    One that does not derive from that is a warning: existing files use another type, and TOSCA 1.3
    says of properties alone that they cannot.
    """
    found = scope.types.canonical(kind, name, scope, place)
    if found is None or inherited is None or scope.types.is_a(kind, found, inherited):
        return found or inherited
    message = f"{what} is {inherited}, and {found}, which does not derive from it, takes its place"
    if scope.types.is_strict:
        scope.problems.add(message, place, f"use a type that derives from {inherited}")
        return inherited
    scope.problems.warn(NoticeCode.UNRELATED_REFINEMENT, message, place)
    return found


def read_occurrences(body: Mapping[str, Any], what: str, problems: Problems) -> tuple[int, int | None] | None:
    """Bounds from `[1, UNBOUNDED]`, the upper one None if unbounded; None, and an error, if it is no such pair."""
    raw = body.get("occurrences")
    if raw is None:
        return None
    if isinstance(raw, int) and not isinstance(raw, bool) and raw >= 0:
        return raw, raw
    if isinstance(raw, list) and len(raw) == 2:
        low, high = raw
        is_low = isinstance(low, int) and not isinstance(low, bool) and low >= 0
        is_high = isinstance(high, int) and not isinstance(high, bool)
        if is_low and high == "UNBOUNDED":
            return low, None
        if is_low and is_high and low <= high:
            return low, high
    where = place_of(body, "occurrences")
    problems.add(f"the occurrences of {what} are {kind_of(raw)}", where, "for instance [1, UNBOUNDED]")
    return None


def _type_names(raw: Any, kind: str, what: str, place: Place | None, scope: Scope) -> list[str]:
    """Canonical names of types; where node types are listed, group types and capability types may stand as well."""
    names = []
    for number, name in enumerate(scope.problems.texts(raw, what, place)):
        others = [
            other for other in (kind, "node", "group", "capability") if scope.types.find(other, name, scope) is not None
        ]
        found = scope.types.canonical(others[0] if others else kind, name, scope, place_of(raw, number) or place)
        if found is not None:
            names.append(found)
    return names


#: Keys of an attribute's value in its long form [TOSCA 1.3, 3.6.13.2.2].
_LONG_FORM = frozenset({"description", "value", "type", "status"})


def read_assignments(
    raw: Any,
    entity: EntityType,
    part: Literal["properties", "attributes"],
    what: str,
    place: Place | None,
    *,
    scope: Scope,
    refined: Mapping[str, ParameterDefinition] | None = None,
    complete: bool = True,
    is_open: bool = False,
) -> dict[str, Assignment]:
    """The values of a section (`part`) of a type: those given, in the order of the definitions, then defaults.

    Refined definitions go before the type's own. A required property without value is an error if the section has to be
    `complete`; there may be values that nothing declares if it `is_open` or the type says so, and with a warning where
    it is that of a node template or its capability in Unfurl's dialect.
    """
    problems = scope.problems
    definitions = {**getattr(entity, part), **refined} if refined else getattr(entity, part)
    values: dict[str, Assignment] = {}
    section = problems.mapping(raw, f"the {part} of {what}", place) if raw is not None else {}
    kind = "property" if part == "properties" else "attribute"
    for name, definition in definitions.items():
        value = section.get(name)
        if value is not None:
            where = place_of(section, name)
            if part == "attributes" and isinstance(value, Mapping) and "value" in value and set(value) <= _LONG_FORM:
                value, where = value["value"], place_of(value, "value")
            values[name] = Assignment(value, definition, where, scope.base)
            scope.types.check_later(value, definition, f"{kind} '{name}' of {what}", where)
        elif definition.has_default:
            base = definition.base
            values[name] = Assignment(definition.default, definition, definition.place, base, is_default=True)
        elif part == "properties" and complete and definition.required and definition.schema.type != "null":
            problems.add(f"the {kind} '{name}' of {what} is missing", place, f"its type is {definition.schema.type}")
    for name, value in section.items():
        if name in definitions:
            continue
        allowed = is_open or entity.is_open
        is_loose = scope.is_unfurl and entity.kind in ("node", "capability")
        if allowed or is_loose:
            values[name] = Assignment(value, None, place_of(section, name), scope.base)
        if not allowed:
            other = entity.attributes if part == "properties" else entity.properties
            hint = nearest(name, definitions)
            if name in other:
                hint = f"it is {'an attribute' if part == 'properties' else 'a property'}"
            where = key_place_of(section, name)
            if is_loose:
                counsel = f" ({hint})" if hint else ""
                problems.warn(
                    NoticeCode.UNDECLARED_VALUE,
                    f"{what} has the {kind} '{name}', which its type does not declare{counsel}",
                    where,
                )
            else:
                problems.add(f"{what} has no {kind} '{name}'", where, hint)
    return values
