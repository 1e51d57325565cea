"""Objects from JSON and to JSON, with the tolerance of the clients that are in use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec

T = TypeVar("T")


#: How deep values may be nested; deeper ones could be stored and then not be read.
_DEPTH = 100


class Undecodable(ValueError):
    """JSON that is no object of its kind; the message says where."""


def encode(value: Any) -> bytes:
    """A value as the JSON of the wire."""
    return msgspec.json.encode(value)


def plain(value: Any) -> Any:
    """A value as dicts, lists, texts and numbers."""
    return msgspec.to_builtins(value)


def decode(kind: type[T], text: bytes) -> T:
    """An object of a kind, from its JSON as clients send it.

    Clients send `null` for what is not set, and may write the names of fields in any case; what a kind does not know
    is ignored, because newer clients know more fields.
    """
    return from_plain(kind, decode_json(text))


def decode_json(text: bytes) -> Any:
    """Any JSON."""
    try:
        value = msgspec.json.decode(text)
    except RecursionError:
        raise Undecodable("nested too deep") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Undecodable(str(error)) from None
    if text.count(b"[") + text.count(b"{") > _DEPTH:
        refuse_deep(value)
    return value


def refuse_deep(value: Any) -> None:
    """Refuse values that are nested deeper than any use of them needs."""
    level = [value]
    for _turn in range(_DEPTH):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _members(one)]
    if any(isinstance(one, dict | list) for one in level):
        raise Undecodable("nested too deep")


def _members(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def from_plain(kind: type[T], value: Any) -> T:
    """An object of a kind, from dicts, lists, texts and numbers, with the tolerance of `decode`."""
    try:
        return msgspec.convert(_tolerated(kind, value), kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise Undecodable(str(error) or "nested too deep") from None


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: `1` and `1.0` are, `1` and `true` are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def pointer(*names: str) -> str:
    """The path of a value in JSON, as patches write it."""
    return "".join(f"/{name.replace('~', '~0').replace('/', '~1')}" for name in names)


def decode_stored(kind: type[T], text: bytes) -> T:
    """An object of a kind, from JSON that `encode` made."""
    decoder: msgspec.json.Decoder[T] = _decoder(kind)  # type: ignore[arg-type] # classes are hashable
    return decoder.decode(text)


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


@cache
def field_names(kind: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The types of a kind's fields by their names on the wire."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(kind)}


@cache
def _folded(kind: type[msgspec.Struct]) -> Mapping[str, str]:
    return {name.casefold(): name for name in field_names(kind)}


def _tolerated(kind: Any, value: Any) -> Any:
    """The value with fields' names as the kind spells them, and without what is null."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, dict):
        return _tolerated_fields(kind, value)
    if get_origin(kind) is list and isinstance(value, list):
        (inner,) = get_args(kind)
        return [_tolerated(inner, item) for item in value]
    return value


def _tolerated_fields(kind: type[msgspec.Struct], value: dict[str, Any]) -> dict[str, Any]:
    names, folded, result = field_names(kind), _folded(kind), {}
    for name, inner in value.items():
        known = name if name in names else folded.get(name.casefold())
        if known is not None and (inner is not None or names[known] is Any):
            result[known] = _tolerated(names[known], inner)
    return result
