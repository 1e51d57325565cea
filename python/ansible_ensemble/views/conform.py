"""Brings an evaluated value into its declared type, or reports why it does not fit [TOSCA 1.3, 3.3, 3.6.3]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import REDACTED, Sensitive, is_secret_name, is_sensitive, mark_sensitive
from ansible_ensemble.documents.scalars import is_written, spoken_boolean
from ansible_ensemble.language.entities import EntityType, ParameterDefinition, Schema
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.values import (
    DataTypes,
    as_declared,
    has_secret,
    resolve,
    schema_entry,
    type_fault,
    violation,
)
from ansible_ensemble.views.data import Printed, bare, plain, shown
from ansible_ensemble.views.lazy import has_parts


class Declaring(Protocol):
    """What has a type that declares properties and attributes."""

    type: EntityType


def conform(
    value: Any, schema: Schema, what: str, place: Place | None, data_type: DataTypes, *, hidden: bool = False
) -> Any:
    """The value in its declared type: text becomes the number it shows, a scalar becomes text, and so on.

    Null fits every type. Fields of a data type get their defaults; those that it marks as sensitive are. Errors name
    the value by `what`, and do not show what may be a secret (`hidden`) or is marked as sensitive.
    """
    if value is None:
        return None
    base, constraints, entity = resolve(schema, data_type)
    hidden = hidden or is_sensitive(value)
    if isinstance(value, Printed):
        value = str.__str__(value) if base in _TEXTS else plain(value)
    if is_written(value):
        value = as_declared(value, base) if base == "any" else plain(as_declared(value, base))
    shape = "map" if entity is not None else base
    if shape in _SHAPES:
        value = value if isinstance(value, _SHAPES[shape]) else plain(value)
        if not isinstance(value, _SHAPES[shape]):
            raise _misfit(value, what, shape, place, hidden=hidden or has_secret(schema, data_type, by_name=True))
    if entity is not None:
        made: Any = _fields(value, entity, what, place, data_type, hidden=hidden)
    elif base == "list":
        made = _list(value, schema_entry(schema, data_type), what, place, data_type, hidden=hidden)
    elif base == "map":
        made = _map(value, schema_entry(schema, data_type), what, place, data_type, hidden=hidden)
    else:
        made = _primitive(value, base, what, place, hidden=hidden)
    for clause in constraints:
        problem = violation(bare(made), clause, base)
        if problem is not None:
            problem = problem if not hidden else f"its value violates {', '.join(clause)}"
            raise InvalidInput(f"{what}: {problem}", place)
    return mark_sensitive(made) if isinstance(value, Sensitive) else made


def mark_declared(
    value: Any,
    definition: ParameterDefinition | None,
    data_type: DataTypes,
    path: Sequence[Any] = (),
    mark: Callable[[Any], Any] = mark_sensitive,
) -> Any:
    """The value with its sensitive parts marked, by its definition: all of it, or fields of its data type.

    Args:
        value: a live or a given value; it need not fit its type.
        definition: of the attribute or input that it is, or that it is a part of; None where nothing is declared.
        data_type: gives the data types that are not primitive.
        path: the keys that lead from the attribute to the value.
        mark: marks what is sensitive.
    """
    if definition is None:
        return value
    schema, secret = _declared_at(definition, data_type, path)
    if secret:
        return mark(value)
    return value if schema is None else _marked(value, schema, data_type, mark)


def conform_part(
    value: Any,
    definition: ParameterDefinition | None,
    data_type: DataTypes,
    path: Sequence[Any],
    *,
    what: str,
    place: Place | None,
) -> Any:
    """A part of a declared value as it would be in the whole of it; see `conform`."""
    if definition is None:
        return value
    schema, secret = _declared_at(definition, data_type, path)
    hidden = secret or definition.is_secret or any(is_secret_name(str(key)) for key in path)
    if schema is not None:
        value = conform(value, schema, ".".join(map(str, (what, *path))), place, data_type, hidden=hidden)
    return mark_sensitive(plain(value)) if secret else plain(value)


def filled(written: Any, schema: Schema, data_type: DataTypes) -> Any:
    """A map or list as written, and in it the fields that only data types give a value."""
    entity = resolve(schema, data_type)[2]
    if isinstance(written, list):
        item = schema_entry(schema, data_type)
        return [filled(one, item, data_type) if item is not None and has_parts(one) else one for one in written]
    fields = entity.properties if entity is not None else {}
    made = {**{name: field.default for name, field in fields.items() if field.has_default}, **written}
    entry = None if entity is not None else schema_entry(schema, data_type)
    for name, value in made.items():
        inner = fields[str(name)].schema if str(name) in fields else entry
        if inner is not None and has_parts(value):
            made[name] = filled(value, inner, data_type)
    return made


def _declared_at(
    definition: ParameterDefinition, data_type: DataTypes, path: Sequence[Any]
) -> tuple[Schema | None, bool]:
    """What is declared of a part of a value, and whether it is sensitive."""
    schema: Schema | None = definition.schema
    secret = definition.sensitive
    for key in path:
        if schema is None:
            break
        entity = resolve(schema, data_type)[2]
        field = entity.properties.get(str(key)) if entity is not None else None
        secret = secret or (field is not None and field.sensitive)
        schema = field.schema if field is not None else None if entity is not None else schema_entry(schema, data_type)
    return schema, secret


def mark_live(value: Any, entity: Declaring, data_type: DataTypes, path: Sequence[Any]) -> Any:
    """The value of an attribute with its sensitive parts marked, wherever they are declared so.

    It need not fit its type. An attribute may be declared as such, be that of a property, or be one of a capability.
    The path is the attribute's name, and the keys that lead from there to the value.
    """
    name, *inner = path
    for definitions in (entity.type.attributes, entity.type.properties):
        value = mark_declared(value, definitions.get(str(name)), data_type, inner)
    capability = getattr(entity, "capabilities", {}).get(str(name))
    if capability is None:
        return value
    if inner:
        return mark_live(value, capability, data_type, inner)
    if isinstance(value, Mapping) and not isinstance(value, Sensitive):
        return {key: mark_live(item, capability, data_type, [key]) for key, item in value.items()}
    return value


def _marked(value: Any, schema: Schema, data_type: DataTypes, mark: Callable[[Any], Any]) -> Any:
    if isinstance(value, Sensitive):
        return value
    base, _other, entity = resolve(schema, data_type)
    fits = isinstance(value, list) if base == "list" else isinstance(value, Mapping)
    if not fits or is_computed(value):
        return mark(value) if has_secret(schema, data_type) else value
    if entity is not None:
        fields = entity.properties
        return {key: mark_declared(item, fields.get(str(key)), data_type, mark=mark) for key, item in value.items()}
    entry = schema_entry(schema, data_type)
    if entry is None:
        return value
    if isinstance(value, list):
        return [_marked(item, entry, data_type, mark) for item in value]
    return {key: _marked(item, entry, data_type, mark) for key, item in value.items()}


def _misfit(
    value: Any, what: str, kind: str, place: Place | None, hint: str | None = None, *, hidden: bool
) -> InvalidInput:
    """The error that a value is not of its kind; what may be a secret is not shown."""
    text = REDACTED if hidden or is_sensitive(value) else f'"{shown(value)}"'
    return InvalidInput(f"{what} is {text}, which is not of type {kind}", place, hint)


def _primitive(value: Any, base: str, what: str, place: Place | None, *, hidden: bool) -> Any:
    if base == "version" and isinstance(bare(value), int | float):
        value = as_declared(bare(value), base)
    rule = _RULES.get(base)
    if rule is not None:
        made = rule(bare(value))
        if made is None:
            raise _misfit(value, what, base, place, hidden=hidden)
        return made
    fault = type_fault(bare(value), base, nested=False) if base not in ("any", "null") else None
    if fault is not None:
        raise _misfit(value, what, base, place, fault[1], hidden=hidden)
    return value


def _list(
    value: list[Any], entry: Schema | None, what: str, place: Place | None, data_type: DataTypes, *, hidden: bool
) -> list[Any]:
    if entry is None:
        return [plain(item) for item in value]
    return [
        conform(_kept(item), entry, f"{what}[{index}]", place, data_type, hidden=hidden)
        for index, item in enumerate(value)
    ]


def _map(
    value: Mapping[Any, Any],
    entry: Schema | None,
    what: str,
    place: Place | None,
    data_type: DataTypes,
    *,
    hidden: bool,
) -> dict[Any, Any]:
    if entry is None:
        return {plain(key): plain(item) for key, item in value.items()}
    return {
        key: conform(_kept(item), entry, f"{what}.{key}", place, data_type, hidden=hidden or is_secret_name(str(key)))
        for key, item in ((plain(key), item) for key, item in value.items())
    }


def _kept(value: Any) -> Any:
    """The value as plain data; a number keeps its text until its type is known."""
    return value if is_written(value) else plain(value)


def _fields(
    value: Mapping[Any, Any], entity: EntityType, what: str, place: Place | None, data_type: DataTypes, *, hidden: bool
) -> dict[Any, Any]:
    """A map of a data type with properties [TOSCA 1.3, 3.7.6]."""
    made = {plain(key): plain(item) for key, item in value.items()}
    for name, definition in entity.properties.items():
        if made.get(name) is None and definition.has_default and not is_computed(definition.default):
            made[name] = plain(definition.default)
        elif name not in made and definition.required:
            raise InvalidInput(f"{what}: the field '{name}' of {entity.name} is missing", place)
        if name in made:
            given = value[name] if is_written(value.get(name)) else made[name]
            secret = hidden or definition.is_secret
            item = conform(given, definition.schema, f"{what}.{name}", place, data_type, hidden=secret)
            made[name] = mark_sensitive(item) if definition.sensitive else item
    unknown = next((name for name in made if name not in entity.properties), None)
    if unknown is not None and entity.properties and not entity.is_open:
        raise InvalidInput(
            f"{what}: {entity.name} has no field '{unknown}'", place, nearest_or_known(str(unknown), entity.properties)
        )
    return made


def _string(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        text = value.strip()
        return int(text) if text.isascii() and text.lstrip("+-").isdecimal() and len(text) < 400 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value if isinstance(value, int) else None


def _float(value: Any) -> float | int | None:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), spoken_boolean(value.strip()))
    return value if isinstance(value, bool) else None


#: Types of which a value is text, also where the text looks like other data.
_TEXTS = ("string", "version")
_SHAPES: Mapping[str, type] = {"list": list, "map": Mapping}

_RULES: Mapping[str, Callable[[Any], Any]] = {
    "string": _string,
    "integer": _integer,
    "float": _float,
    "boolean": _boolean,
}
