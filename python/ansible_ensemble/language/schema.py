"""Definitions of properties, attributes, inputs and outputs, and the schemas of their values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode, Rewrite
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.documents.scalars import spoken_boolean
from ansible_ensemble.language.conditions import CONDITION
from ansible_ensemble.language.entities import ParameterDefinition, Schema
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.keys import KEYS
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.scalars import is_xml
from ansible_ensemble.language.types import Scope

#: Operators of constraint clauses [TOSCA 1.3, 3.6.3].
OPERATORS = frozenset(
    {
        *("equal", "greater_than", "greater_or_equal", "less_than", "less_or_equal", "in_range", "valid_values"),
        *("length", "min_length", "max_length", "pattern", "schema", CONDITION),
    }
)

_STATUSES = ("supported", "unsupported", "experimental", "deprecated")


def read_definitions(
    raw: Any, what: str, place: Place | None, scope: Scope, inherited: Mapping[str, ParameterDefinition]
) -> dict[str, ParameterDefinition]:
    """The definitions of a `properties`, `attributes` or `inputs` section over the inherited ones."""
    merged = dict(inherited)
    section = scope.problems.mapping(raw, what, place)
    for name, entry in section.items():
        found = read_definition(name, entry, place_of(section, name), scope, merged.get(name))
        if found is not None:
            merged[name] = found
    return merged


def read_definition(
    name: str,
    raw: Any,
    place: Place | None,
    scope: Scope,
    inherited: ParameterDefinition | None = None,
    *,
    typed: bool = True,
) -> ParameterDefinition | None:
    """One parameter definition [TOSCA 1.3, 3.6.10, 3.6.12, 3.6.14]; None, and an error, if it is none.

    It refines the inherited one, whose type it need not repeat, and of which a plain value in its place is a new
    default.
    """
    problems = scope.problems
    if not isinstance(raw, Mapping) or (inherited is not None and _is_value(raw, inherited)):
        if inherited is not None and raw is not None:
            definition = ParameterDefinition(name, inherited.schema, inherited.required, raw, True)
            definition.metadata, definition.place = inherited.metadata, place
            scope.types.check_later(raw, definition, f"the value of '{name}'", place)
            return definition
        problems.add(f"the definition of '{name}' must be a map with a type, not {kind_of(raw)}", place)
        return None
    raw = problems.mapping(raw, f"the definition of '{name}'", place)
    if not scope.is_normative:
        problems.check_keys(raw, "parameter_definition", place, is_open=scope.is_unfurl)
    if "type" not in raw and inherited is None and typed:
        problems.add(f"the definition of '{name}' has no type", place, "add type: string, for instance")
        return None
    schema = read_schema(raw, f"'{name}'", place, scope, inherited.schema if inherited is not None else None)
    definition = ParameterDefinition(name, schema, place=place)
    definition.required = _required(raw, name, place, scope, inherited)
    definition.description = str(raw.get("description") or "")
    definition.metadata = dict(problems.mapping(raw.get("metadata"), f"metadata of '{name}'", place))
    if inherited is not None and inherited.metadata:
        definition.metadata = {**inherited.metadata, **definition.metadata}
    definition.status = str(raw.get("status", "supported"))
    if definition.status not in _STATUSES:
        problems.add(f"'{name}' has the status {definition.status}", place, f"it is one of {', '.join(_STATUSES)}")
    _read_default(definition, raw, scope, inherited)
    if "value" in raw:
        if inherited is not None and inherited.has_value and inherited.value != raw["value"]:
            problems.add(f"the value of '{name}' is fixed, and cannot be refined", place_of(raw, "value"))
        definition.value, definition.has_value = raw["value"], True
        if raw["value"] is not None and "type" in raw:
            scope.types.check_later(raw["value"], definition, f"the value of '{name}'", place_of(raw, "value"))
    return definition


def _read_default(
    definition: ParameterDefinition, raw: Mapping[str, Any], scope: Scope, inherited: ParameterDefinition | None
) -> None:
    if "default" in raw:
        definition.default, definition.has_default = raw["default"], True
        definition.base = scope.base if is_computed(raw["default"]) and not scope.is_normative else None
        place, what = place_of(raw, "default"), f"the default of '{definition.name}'"
    elif inherited is not None and inherited.has_default:
        definition.default, definition.has_default, definition.base = inherited.default, True, inherited.base
        if definition.schema == inherited.schema:
            return
        place, what = definition.place, f"the inherited default of '{definition.name}'"
    else:
        return
    if definition.default is not None:
        scope.types.check_later(definition.default, definition, what, place)


def _is_value(raw: Mapping[str, Any], inherited: ParameterDefinition) -> bool:
    """Whether a map in place of a refined definition is a value: a function, or a map where the type wants one."""
    takes_map = inherited.schema.type not in ("string", "integer", "float", "boolean", "list")
    return is_computed(raw) or (takes_map and bool(raw) and KEYS["parameter_definition"].isdisjoint(raw))


def read_boolean(value: Any, what: str, place: Place | None, problems: Problems) -> bool | None:
    """A boolean; a word that was one in YAML 1.1 is taken for it with a warning; None for anything else."""
    meant = spoken_boolean(value)
    if meant is not None:
        word = str(meant).lower()
        message = f"{what}: {value} is taken for {word}; write {word}, in YAML 1.2 {value} is a text"
        problems.warn(NoticeCode.YAML_1_1_BOOLEAN, message, place, Rewrite(value, word))
    return value if isinstance(value, bool) else meant


def _required(
    raw: Mapping[str, Any], name: str, place: Place | None, scope: Scope, inherited: ParameterDefinition | None
) -> bool:
    given: Any = raw.get("required", inherited.required if inherited is not None else True)
    where = place_of(raw, "required") or place
    required = read_boolean(given, f"'required' of '{name}'", where, scope.problems)
    if required is None:
        scope.problems.add(f"'required' of '{name}' must be true or false, not {kind_of(given)}", where)
        return True
    if not required and inherited is not None and inherited.required and not scope.is_normative:
        message = f"'{name}' is required, it cannot be refined to be optional"
        scope.problems.add(message, where, "leave out required: false")
    return required


def read_schema(raw: Any, what: str, place: Place | None, scope: Scope, inherited: Schema | None = None) -> Schema:
    """A schema from a definition's map, or from a type's name alone [TOSCA 1.3, 3.6.11].

    A schema that cannot be understood is reported and is then `any`, so that one slip makes one error. One that
    refines another has its type or one that derives from it, and its constraints as well.
    """
    problems = scope.problems
    raw = problems.mapping({"type": raw} if isinstance(raw, str) else raw, f"the schema of {what}", place)
    type_name = raw.get("type")
    if type_name is None:
        name: str | None = inherited.type if inherited is not None else "any"
    elif isinstance(type_name, str):
        name = scope.types.canonical("data", type_name, scope, place_of(raw, "type") or place)
        if name is not None and inherited is not None and not scope.types.refines(name, inherited.type):
            message = f"{what} is of type {inherited.type}, it cannot be refined to {name}"
            problems.add(message, place_of(raw, "type") or place, "use the same type, or one that derives from it")
        if name == "scalar":
            message = f"{what} is of type scalar, which says no units"
            problems.add(message, place_of(raw, "type") or place, "name a data type that derives from it")
    else:
        problems.add(f"the type of {what} must be a name, not {kind_of(type_name)}", place_of(raw, "type"))
        name = None
    schema = Schema(name or "any")
    for key in ("entry_schema", "key_schema"):
        if raw.get(key) is not None:
            where = place_of(raw, key)
            entry = raw[key]
            if isinstance(entry, Mapping) and not scope.is_normative:
                problems.check_keys(entry, "schema_definition", where)
            refined = getattr(inherited, key) if inherited is not None else None
            setattr(schema, key, read_schema(entry, f"{what} ({key})", where, scope, refined))
        elif inherited is not None:
            setattr(schema, key, getattr(inherited, key))
    schema.constraints = read_constraints(raw.get("constraints"), what, place_of(raw, "constraints"), problems)
    if schema.constraints and not scope.is_normative:
        scope.types.limits.append((schema, list(schema.constraints), what, place_of(raw, "constraints") or place))
    if inherited is not None:
        schema.constraints = [*inherited.constraints, *schema.constraints]
    return schema


def read_constraints(raw: Any, what: str, place: Place | None, problems: Problems) -> list[dict[str, Any]]:
    """Constraint clauses, each a map with one operator [TOSCA 1.3, 3.6.3]; the wrong ones are reported and left out."""
    clauses: list[dict[str, Any]] = []
    for operator, operand, where in problems.entries(raw, f"the constraints of {what}", place):
        fault = clause_fault(operator, operand)
        if fault is None:
            clauses.append({operator: operand})
        else:
            problems.add(f"constraint of {what}: {fault}", where, nearest(operator, OPERATORS - {operator}))
    return clauses


def clause_fault(operator: str, operand: Any) -> str | None:
    """What is wrong with the form of a constraint clause, None if nothing is."""
    if operator not in OPERATORS:
        return f"there is no operator '{operator}'"
    if operator == "in_range" and not (isinstance(operand, list) and len(operand) == 2):
        return "in_range takes a list of two bounds"
    if operator == "valid_values" and not isinstance(operand, list):
        return "valid_values takes a list"
    if operator in ("length", "min_length", "max_length") and not _is_size(operand):
        return f"{operator} takes a number that is not negative"
    if operator == "schema" and is_xml(operand) and (fault := _xml_fault(operand)) is not None:
        return f"the schema of XML: {fault}"
    if operator == "pattern" and not is_computed(operand):
        return _pattern_fault(operand)
    return None


def _pattern_fault(operand: Any) -> str | None:
    if not isinstance(operand, str):
        return "pattern takes a regular expression as text"
    try:
        re.compile(operand)
    except (re.error, RecursionError, OverflowError) as error:
        return f"the pattern {operand} is not a regular expression: {error}"
    return None


def _is_size(operand: Any) -> bool:
    return is_computed(operand) or (isinstance(operand, int) and not isinstance(operand, bool) and operand >= 0)


def _xml_fault(schema: str) -> str | None:
    from ansible_ensemble.language.xml_schema import schema_fault  # here, for few schemas are of XML

    return schema_fault(schema)
