"""Whether a value fits its schema: data type, entries and constraints [TOSCA 1.3, 3.3, 3.6.3, 3.7.6].

Values that are functions, expressions or templates are not known yet and fit everything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.json_schema import fits
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.documents.scalars import as_written, spoken_boolean
from ansible_ensemble.language.conditions import CONDITION, holds
from ansible_ensemble.language.entities import EntityType, ParameterDefinition, Schema
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.normative import PRIMITIVES
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.scalars import Scalar, has_offset, is_xml, scalar_value, timestamp_value, version_value
from ansible_ensemble.language.schema import clause_fault, read_boolean
from ansible_ensemble.language.types import Types

#: Gives the data type of a canonical name, None if there is none.
DataTypes = Callable[[str], EntityType | None]

#: Deeper derivations of data types are a loop, which is reported where the types are built.
_DEPTH = 50


class Site(Struct, frozen=True):
    """A value, or a part of one, as errors name it.

    Attributes:
        what: what the whole value is called.
        path: where in the whole value the part is, empty for the whole.
        place: its position.
        hidden: whether it may be a secret, which no error shows.
    """

    what: str
    path: str
    place: Place | None
    hidden: bool = False

    def within(self, step: str, place: Place | None, *, hidden: bool = False) -> Site:
        """The site of an entry of this value."""
        return Site(self.what, self.path + step, place or self.place, self.hidden or hidden)

    @property
    def name(self) -> str:
        """What the value is called."""
        return f"{self.what} at {self.path.removeprefix('.')}" if self.path else self.what

    def fault(self, message: str, hint: str | None = None) -> InvalidInput:
        """The error that something is wrong here."""
        return InvalidInput(f"{self.name}: {message}", self.place, hint)


def check_value(
    value: Any, schema: Schema, types: Types, what: str, place: Place | None = None, *, hidden: bool = False
) -> list[InvalidInput]:
    """What is wrong with a raw value, which `what` names (`property 'port' of 'app'`); a hidden one is not shown."""
    return list(_check(value, schema, types, Site(what, "", place, hidden)))


def _check(value: Any, schema: Schema, types: Types, site: Site) -> Iterator[InvalidInput]:
    if is_computed(value):
        given = _result_of(value)
        if given is not None and not _may_give(given, schema.type, types):
            yield site.fault(f"what the function gives is of type {given}, not {schema.type}")
        return
    base, constraints, entity = resolve(schema, types.data_type)
    if entity is not None:
        if isinstance(value, Mapping):
            yield from _check_fields(value, entity, types, site)
        else:
            kind = kind_of(value, hidden=site.hidden or has_secret(schema, types.data_type, by_name=True))
            yield site.fault(f"{kind} is not a map of type {entity.name}")
        return
    # A number for a text is let through outside of other values, as tosca-parser does: people leave the quotes of a
    # password or a version away.
    hidden = site.hidden or (base in ("list", "map") and has_secret(schema, types.data_type, by_name=True))
    fault = type_fault(value, base, nested=bool(site.path) or types.is_strict, hidden=hidden)
    if types.is_strict and base in _STRICTLY and not _STRICTLY[base](value):
        fault = f"{kind_of(value, hidden=hidden)} is not of type {_IN_2_0.get(base, base)}", _HINTS.get(base)
    if fault is not None:
        yield site.fault(*fault)
        return
    if base == "boolean":
        read_boolean(value, site.name, site.place, types.problems)
    value = as_declared(value, base)
    if base == "list":
        yield from _check_list(value, schema, types, site)
    elif base == "map":
        yield from _check_map(value, schema, types, site)
    for clause in constraints:
        message = violation(value, clause, base, hidden=hidden)
        if message is not None:
            yield site.fault(message)


def _result_of(value: Any) -> str | None:
    """The type that a call of a function in Python says it gives."""
    call = value.get("eval") if isinstance(value, Mapping) else None
    given = call.get("result") if isinstance(call, Mapping) and "python" in call else None
    return given if isinstance(given, str) else None


def _may_give(given: str, wanted: str, types: Types) -> bool:
    """Whether a value of one type may stand where another is wanted."""
    return types.refines(given, wanted) or types.refines(wanted, given) or (given, wanted) == ("integer", "float")


def resolve(schema: Schema, data_type: DataTypes) -> tuple[str, list[dict[str, Any]], EntityType | None]:
    """The primitive type under a schema, the constraints on the way to it, and the type if it is a complex one."""
    constraints = list(schema.constraints)
    name = schema.type
    for _turn in range(_DEPTH):
        if name in PRIMITIVES:
            return name, constraints, None
        entity = data_type(name)
        if entity is None:
            return "any", constraints, None
        if entity.schema is None:
            return "map", constraints, entity
        constraints += entity.schema.constraints
        name = entity.schema.type
    return "any", constraints, None


def has_secret(
    schema: Schema, data_type: DataTypes, *, by_name: bool = False, within: frozenset[str] = frozenset()
) -> bool:
    """Whether a value of the type has a sensitive field at any depth, or one that is named as a secret."""
    entity = resolve(schema, data_type)[2]
    if entity is None:
        entry = schema_entry(schema, data_type)
        return entry is not None and has_secret(entry, data_type, by_name=by_name, within=within)
    inner = within | {entity.name}
    return entity.name not in within and any(
        (field.is_secret if by_name else field.sensitive)
        or has_secret(field.schema, data_type, by_name=by_name, within=inner)
        for field in entity.properties.values()
    )


def schema_entry(
    schema: Schema, data_type: DataTypes, part: Literal["entry_schema", "key_schema"] = "entry_schema"
) -> Schema | None:
    """The schema of the entries of a list or map, or of its keys: its own, or that of the type it derives from."""
    current: Schema | None = schema
    for _turn in range(_DEPTH):
        if current is None or getattr(current, part) is not None:
            break
        entity = data_type(current.type) if current.type not in PRIMITIVES else None
        current = entity.schema if entity is not None else None
    found: Schema | None = getattr(current, part) if current is not None else None
    return found


def _check_list(value: list[Any], schema: Schema, types: Types, site: Site) -> Iterator[InvalidInput]:
    entry = schema_entry(schema, types.data_type)
    if entry is not None:
        for number, item in enumerate(value):
            yield from _check(item, entry, types, site.within(f"[{number}]", place_of(value, number)))


def _check_map(value: Mapping[Any, Any], schema: Schema, types: Types, site: Site) -> Iterator[InvalidInput]:
    entry = schema_entry(schema, types.data_type)
    keys = schema_entry(schema, types.data_type, "key_schema")
    for key, item in value.items():
        if keys is not None:
            yield from _check(key, keys, types, site.within(f".{key} (the key)", key_place_of(value, key)))
        if entry is not None:
            yield from _check(item, entry, types, site.within(f".{key}", place_of(value, key)))


def _check_fields(value: Mapping[Any, Any], entity: EntityType, types: Types, site: Site) -> Iterator[InvalidInput]:
    for name, item in value.items():
        definition = entity.properties.get(name) if isinstance(name, str) else None
        secret = definition is not None and definition.is_secret
        inner = site.within(f".{name}", place_of(value, name), hidden=secret)
        if definition is not None:
            if item is not None or definition.required:
                yield from _check(item, definition.schema, types, inner)
        elif not entity.is_open and entity.properties:
            yield inner.fault(f"{entity.name} has no such field", nearest(name, entity.properties))
    for name in missing(value, entity.properties):
        yield site.fault(f"the field '{name}' of {entity.name} is missing")


def missing(values: Mapping[str, Any], definitions: Mapping[str, ParameterDefinition]) -> Iterator[str]:
    """Names of the required parameters that have neither a value nor a default."""
    for name, definition in definitions.items():
        if definition.required and not definition.has_default and name not in values:
            yield name


def type_fault(value: Any, base: str, *, nested: bool, hidden: bool = False) -> tuple[str, str | None] | None:
    """What is wrong with a value of a primitive type, and what to do; None if it is of the type.

    Inside of another value (`nested`) a number is not text; what may be a secret (`hidden`) is not shown.
    """
    if base in ("any", "null") or (value is None and base != "string"):
        wrong = value is None and base not in ("any", "null")
        return (f"it is empty, it must be of type {base}", None) if wrong else None
    if _fits(value, base, nested):
        return None
    hint = "put it in quotes" if base == "string" and isinstance(value, int | float) else _HINTS.get(base)
    if isinstance(base, Scalar):
        number = "an integer" if base.is_whole else "a number"
        hint = f"{number} and a unit: {', '.join(base.all_units)}"
    if base == "string" and isinstance(value, Mapping | list):
        hint = f"declare it as type: {'list' if isinstance(value, list) else 'map'}, or write it as text, in quotes"
    return f"{kind_of(value, hidden=hidden)} is not of type {base}", hint


#: What TOSCA 2.0 asks of values that are of a type in 1.3.
_STRICTLY: Mapping[str, Callable[[Any], bool]] = {
    "null": lambda value: value is None,
    "timestamp": has_offset,
}
#: Names of types that TOSCA 2.0 calls otherwise.
_IN_2_0 = {"null": "nil"}
_HINTS = {
    "scalar-unit.size": "for instance 4 GB",
    "scalar-unit.time": "for instance 5 ms",
    "scalar-unit.frequency": "for instance 2.4 GHz",
    "scalar-unit.bitrate": "for instance 10 Mbps",
    "version": "for instance 1.2.3",
    "timestamp": "for instance 2001-12-14T21:59:43Z",
    "range": "for instance [1, UNBOUNDED]",
}


def _fits(value: Any, base: str, nested: bool) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match base:
        case "string":
            return isinstance(value, str) or (is_number and not nested)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "float":
            return is_number
        case "boolean":
            return isinstance(as_declared(value, base), bool)
        case "list":
            return isinstance(value, list)
        case "map":
            return isinstance(value, Mapping)
        case "version":
            return version_value(value) is not None
        case "timestamp":
            return timestamp_value(value) is not None
        case "range":
            return _is_range(value)
        case "json":
            return isinstance(value, Mapping | list) or (isinstance(value, str) and _is_json(value))
        case "xml":
            return isinstance(value, str) and _is_xml(value)
    return scalar_value(value, base) is not None


def _is_range(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    if not all(bound == "UNBOUNDED" or (isinstance(bound, int) and not isinstance(bound, bool)) for bound in value):
        return False
    low, high = value
    return isinstance(low, str) or isinstance(high, str) or low <= high


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_xml(text: str) -> bool:
    from xml.etree import ElementTree

    try:
        ElementTree.fromstring(text)
    except (ValueError, ElementTree.ParseError):
        return False
    return True


def violation(value: Any, clause: Mapping[str, Any], base: str = "any", *, hidden: bool = False) -> str | None:
    """How a value of a primitive type violates a constraint clause, None if it does not.

    A clause whose operands are not known yet, or are not of the value's type, is not violated. What may be a secret
    (`hidden`) is not shown.
    """
    value = as_declared(value, base)
    for operator, operand in clause.items():
        if is_computed(operand) or clause_fault(operator, operand) is not None:
            continue
        if not _meets(value, operator, operand, base):
            return f"{kind_of(value, hidden=hidden)} violates {operator}: {_shown(operand)}"
    return None


def _shown(operand: Any) -> str:
    return json.dumps(operand, default=str) if isinstance(operand, list | Mapping) else str(operand)


def _meets(value: Any, operator: str, operand: Any, base: str) -> bool:
    if operator == CONDITION:
        return holds(operand, value, lambda one, other, limit: _holds(one, other, limit, base))
    return _holds(value, operator, operand, base)


def _holds(value: Any, operator: str, operand: Any, base: str) -> bool:
    match operator:
        case "length" | "min_length" | "max_length":
            if not isinstance(value, str | list | Mapping):
                return True
            size = len(value)
            if operator == "length":
                return bool(size == operand)
            return bool(size >= operand if operator == "min_length" else size <= operand)
        case "pattern":
            return not isinstance(value, str) or _matches(operand, value)
        case "schema":
            return _fits_xml_schema(value, operand) if is_xml(operand) else _fits_json_schema(value, operand)
        case "valid_values":
            return any(_equal(value, one, base) for one in operand)
        case "equal":
            return _equal(value, operand, base)
        case "in_range":
            values = value if base == "range" and isinstance(value, list) else [value]
            low, high = operand
            return all(
                one == "UNBOUNDED"
                or (_ordered(low, one, base, ("UNBOUNDED",)) and _ordered(one, high, base, ("UNBOUNDED",)))
                for one in values
            )
        case "greater_than":
            return not _ordered(value, operand, base)
        case "greater_or_equal":
            return _ordered(operand, value, base)
        case "less_than":
            return not _ordered(operand, value, base)
    return _ordered(value, operand, base)


def as_declared(value: Any, base: str) -> Any:
    """A number for a text or a version is as written, a word for a boolean what YAML 1.1 has it mean; else itself."""
    if base == "boolean":
        meant = spoken_boolean(value)
        return value if meant is None else meant
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return as_written(value) if is_number and base in ("string", "version") else value


def comparable(value: Any, base: str) -> Any:
    """A value in a form that compares with others of its primitive type; itself where it compares as it is."""
    value = as_declared(value, base)
    if base == "version":
        return version_value(value)
    if base == "timestamp":
        return timestamp_value(value)
    if base.startswith("scalar") or (base == "any" and isinstance(value, str)):
        number = scalar_value(value, "scalar-unit" if base == "any" else base)
        return value if number is None else number
    return value


def _equal(first: Any, second: Any, base: str) -> bool:
    if isinstance(first, bool) != isinstance(second, bool):
        return False
    return bool(comparable(first, base) == comparable(second, base))


def _ordered(low: Any, high: Any, base: str, unbounded: tuple[str, ...] = ()) -> bool:
    """Whether low <= high; what does not compare is in order, for its type is reported elsewhere."""
    if (isinstance(low, str) and low in unbounded) or (isinstance(high, str) and high in unbounded):
        return True
    try:
        return bool(comparable(low, base) <= comparable(high, base))
    except TypeError:
        return True


def _matches(pattern: Any, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except re.error:
        return False


def _fits_json_schema(value: Any, schema: Any) -> bool:
    try:
        data = json.loads(value) if isinstance(value, str) else value
        return fits(data, json.loads(schema) if isinstance(schema, str) else schema)
    except (ValueError, RecursionError, InvalidInput):
        return False


def part_of(value: Any, path: Iterable[Any], what: str, place: Place | None) -> Any:
    """The part of a written value that keys and numbers lead to."""
    for key in path:
        names = value.keys() if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ()
        if not isinstance(key, (str, int)) or key not in names:
            raise InvalidInput(f"{what} has no '{key}'", place)
        value = value[key]
    return value


def _fits_xml_schema(text: str, schema: str) -> bool:
    from ansible_ensemble.language.xml_schema import fits_xml_schema  # here, for few schemas are of XML

    return fits_xml_schema(text, schema)
