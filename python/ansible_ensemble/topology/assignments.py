"""Values given to properties and attributes, over the defaults of their definitions [TOSCA 1.3, 3.6.11, 3.6.13]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.entities import Assignment, EntityType, ParameterDefinition
from ansible_ensemble.language.types import Scope

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
            values[name] = Assignment(definition.default, definition, definition.place, None, is_default=True)
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
