"""What of an object a list can be filtered and sorted by, and how the values of requests compare with it."""

from __future__ import annotations

import ipaddress
import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, TypeAlias, get_origin

import msgspec
from msgspec import Struct

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object, Whole
from ansible_ensemble.provision.rules.refusal import Refused

Sort: TypeAlias = Literal["text", "truth", "number", "uuid", "time", "address", "names", "value"]

_UUIDS = {("machines", "Uuid"), ("machines", "CurrentJob"), ("jobs", "Uuid"), ("jobs", "Previous"), ("jobs", "Machine")}


class Field(Struct, frozen=True):
    """Something of an object that has a value to compare.

    Attributes:
        name: as requests have it.
        sort: of values.
        read: gets its value from an object; None where it has none.
    """

    name: str
    sort: Sort
    read: Callable[[Any], Any]

    def value(self, owner: Object) -> Any:
        """The value of an object's field, such that it compares with those of `given`; None where it has none."""
        return _comparable(self.sort, self.read(owner))

    def given(self, text: str) -> Any:
        """The value that a request gives.

        Raises:
            Refused: the field cannot have it.
        """
        try:
            return _given(self.sort, text)
        except (ValueError, RecursionError):
            raise Refused(406, _COMPLAINTS.get(self.sort, "Invalid {0}: {1}").format(self.name, text)) from None


_COMPLAINTS: dict[Sort, str] = {
    "truth": "{0} must be true or false",
    "uuid": "Invalid UUID: {1}",
    "number": "{0} must be a number: {1}",
    "address": "Invalid Address: {1}",
}


def field_of(kind: type[Object], name: str) -> Field:
    """A field by its name: one of the wire, `Key`, `Meta.NAME`, a param.

    Raises:
        Refused: there is none that can be compared.
    """
    if found := _own_fields(kind).get(name):
        return found
    if name.startswith("Meta.") and len(name) > 5:
        return Field(name, "text", lambda owner: owner.meta.get(name[5:], ""))
    if kind in WITH_PARAMS and name not in _names(kind):
        param = name.removeprefix("Params.")
        return Field(name, "value", lambda owner: owner.params.get(param))
    raise Refused(406, f"Filter not found: {name}")


@cache
def _names(kind: type[Object]) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(kind))


@cache
def _own_fields(kind: type[Object]) -> dict[str, Field]:
    found = {
        field.encode_name: Field(field.encode_name, sort, _reader(field.name))
        for field in msgspec.structs.fields(kind)
        if field.encode_name not in kind.PROOFS and (sort := _sort(kind, field.encode_name, field.type))
    }
    return found | {"Key": Field("Key", found[kind.key_field()].sort, lambda owner: owner.key)}


def _reader(attribute: str) -> Callable[[Any], Any]:
    return lambda owner: getattr(owner, attribute)


def _sort(kind: type[Object], name: str, of: Any) -> Sort | None:
    if of is str:
        if (kind.PREFIX, name) in _UUIDS:
            return "uuid"
        return {"StartTime": "time", "EndTime": "time", "Address": "address"}.get(name, "text")  # type: ignore[return-value] # a dict of literals
    if of == list[str] or get_origin(of) is dict:
        return "names"
    return {bool: "truth", Whole: "number"}.get(of)  # type: ignore[return-value]


def _given(sort: Sort, text: str) -> Any:
    match sort:
        case "truth":
            return {"true": True, "false": False}[text] if text in ("true", "false") else _refuse()
        case "number":
            return int(text)
        case "uuid":
            return text and str(uuid.UUID(text))
        case "names":
            return frozenset(name for name in text.split(",") if name)
        case "value":
            return _comparable("value", _json_or_text(text))
        case "address":
            return _comparable(sort, text)
    return _comparable(sort, text)


def _refuse() -> Any:
    raise ValueError


def _comparable(sort: Sort, value: Any) -> Any:
    match sort:
        case "time":
            parsed = datetime.fromisoformat(value)
            return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        case "address":
            return _address(value)
        case "names":
            return frozenset(value)
        case "value":
            return None if value is None else _ranked(value)
    return value


def _address(value: str) -> tuple[int, int]:
    if not value:
        return 0, 0
    parsed = ipaddress.ip_address(value)
    return parsed.version, int(parsed)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _ranked(value: Any) -> tuple[int, Any]:
    """A JSON value that compares with any other: truths, then numbers, then texts, then the rest."""
    if isinstance(value, bool):
        return 0, value
    if isinstance(value, int | float):
        return 1, value
    return (2, value) if isinstance(value, str) else (3, json.dumps(value, sort_keys=True))
