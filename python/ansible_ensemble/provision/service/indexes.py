"""By what objects can be looked up and filtered."""

from __future__ import annotations

from typing import Any

import msgspec

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object, Record, Whole
from ansible_ensemble.provision.service.lookup import kind_of, not_found


class Index(Record, frozen=True, kw_only=True):
    """A field by which objects can be filtered.

    Attributes:
        type: of its values.
        unique: whether a value belongs to one object alone.
        unordered: whether objects cannot be sorted by it.
        regex: whether `Re` applies.
    """

    type: str
    unique: bool
    unordered: bool
    regex: bool


def indexes() -> dict[str, dict[str, Index]]:
    """The indexes of all kinds."""
    return {prefix: indexes_of(prefix) for prefix in KINDS}


def indexes_of(prefix: str) -> dict[str, Index]:
    """The indexes of a kind, by the name of the field."""
    kind = kind_of(prefix)
    shown = (field for field in msgspec.structs.fields(kind) if field.encode_name not in kind.PROOFS)
    fields = {field.encode_name: _index(kind, field) for field in shown}
    return {"Key": fields[kind.key_field()], **fields}


def index_of(prefix: str, name: str) -> Index:
    """One index of a kind.

    Raises:
        Refused: 404, there is no such kind, or it has no such field.
    """
    if index := indexes_of(prefix).get(name):
        return index
    raise not_found("GET", "indexes", f"{prefix}/{name}")


def _index(kind: type[Object], field: msgspec.structs.FieldInfo) -> Index:
    scalars: dict[Any, str] = {str: "string", bool: "boolean", Whole: "integer"}
    word = scalars.get(field.type, "list" if str(field.type).startswith("list") else "map")
    unique = field.encode_name in (*kind.UNIQUE, kind.key_field())
    return Index(type=word, unique=unique, unordered=word in ("list", "map"), regex=word == "string")
