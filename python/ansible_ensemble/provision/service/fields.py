"""Fields of objects: those that requests cannot set, and whether any differs."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import msgspec

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import plain, same

Kept = TypeVar("Kept", bound=Object)

#: What content is part of is known from how it came.
_FROM_CONTENT = frozenset({"Bundle", "Endpoint"})


@cache
def _computed(kind: type[Object]) -> dict[str, object]:
    """The attributes that requests cannot set, and their values in a new object."""
    new, names = kind(), kind.COMPUTED | _FROM_CONTENT
    fields = msgspec.structs.fields(kind)
    return {field.name: getattr(new, field.name) for field in fields if field.encode_name in names}


def as_new(made: Kept) -> Kept:
    """An object as a request may create it."""
    return made.replaced(**_computed(type(made)))


def as_kept(wanted: Kept, kept: Kept) -> Kept:
    """An object as a request may change it."""
    return wanted.replaced(**{name: getattr(kept, name) for name in _computed(type(kept))})


def is_same(one: Object | None, other: Object | None) -> bool:
    """Whether all fields of two objects are the same JSON; Python alone takes 1 for true."""
    return one == other and same(plain(one), plain(other))
