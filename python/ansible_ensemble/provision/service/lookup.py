"""Objects by what a path says: a key, or the value of a unique index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.rules.query import Query
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.store.transaction import Reader

Kept = TypeVar("Kept", bound=Object)


def kind_of(prefix: str, method: str = "GET") -> type[Object]:
    """The kind of objects of a prefix."""
    if kind := KINDS.get(prefix):
        return kind
    raise not_found(method, prefix, "")


def look_up(reader: Reader, kind: type[Kept], name: str) -> Kept | None:
    """The object that a path names: by its key, or as `Key:value`, `Name:value`, by a unique index."""
    if found := reader.get(kind, kind.key_of(name)):
        return found
    index, _separator, value = name.partition(":")
    if index in ("Key", kind.key_field()):
        return reader.get(kind, kind.key_of(value))
    return reader.find(kind, index, value) if index in kind.UNIQUE else None


def candidates(reader: Reader, kind: type[Kept], query: Query) -> Iterator[Kept]:
    """The objects that the query may find, in the order of their keys; by an index if there is one."""
    if value := query.exact(kind.key_field()):
        one = reader.get(kind, kind.key_of(value))
        return iter((one,) if one else ())
    for index in kind.UNIQUE:
        if value := query.exact(index):
            one = reader.find(kind, index, value)
            return iter((one,) if one else ())
    for index in kind.INDEXED:
        if value := query.exact(index):
            return reader.where(kind, index, value)
    return reader.all(kind)


def get_or_404(reader: Reader, kind: type[Kept], name: str, method: str = "GET") -> Kept:
    """The object that a path names.

    Args:
        reader: where it is.
        kind: what it is.
        name: what the path says.
        method: of the request, for the refusal.
    """
    if one := look_up(reader, kind, name):
        return one
    raise not_found(method, kind.PREFIX, name)


def not_found(method: str, model: str, key: str) -> Refused:
    """The refusal of a request for what is not there."""
    return Refused(404, "Not Found", type=method, model=model, key=key)
