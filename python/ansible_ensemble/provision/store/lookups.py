"""Under what objects are looked up: values of their indexes, and what they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import msgspec

from ansible_ensemble.provision.objects.base import Object


class Lookup(NamedTuple):
    """A name and a value under which an object is found.

    Attributes:
        name: of an index or of a kind that is referred to (`index_name`, `reference_name`).
        value: what is looked up there.
        single: whether one object alone may have it.
    """

    name: str
    value: bytes
    single: bool


def as_bytes(text: str) -> bytes:
    """Any text as bytes, be it valid Unicode or not."""
    return text.encode("utf-8", "surrogatepass")


def index_name(kind: type[Object], index: str) -> str:
    """What lookups in an index have as their name.

    Raises:
        ValueError: objects of the kind have no such index.
    """
    if index not in kind.UNIQUE + kind.INDEXED:
        raise ValueError(f"{kind.PREFIX} have no index {index}")
    return f"{kind.PREFIX}.{index}"


def reference_name(prefix: str) -> str:
    """What lookups of those that refer to objects of a kind have as their name."""
    return f">{prefix}"


def lookups_of(kept: Object) -> set[Lookup]:
    """Under what an object is looked up; an empty value is none."""
    return {*_of_indexes(kept), *_of_references(kept)}


def _of_indexes(kept: Object) -> Iterator[Lookup]:
    kind = type(kept)
    for index in kind.UNIQUE + kind.INDEXED:
        if value := getattr(kept, _attributes(kind)[index]):
            yield Lookup(index_name(kind, index), as_bytes(str(value)), index in kind.UNIQUE)


def _of_references(kept: Object) -> Iterator[Lookup]:
    for prefix, key in kept.references():
        yield Lookup(reference_name(prefix), as_bytes(key), single=False)


@cache
def _attributes(kind: type[Object]) -> dict[str, str]:
    return {field.encode_name: field.name for field in msgspec.structs.fields(kind)}
