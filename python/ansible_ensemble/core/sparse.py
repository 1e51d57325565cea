"""Structs as plain data."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import asdict, fields


def as_map(value: Struct) -> dict[str, Any]:
    """A struct as a map, those in its fields as well."""
    return {name: as_map(item) if isinstance(item, Struct) else item for name, item in asdict(value).items()}


def sparse(value: Any) -> Any:
    """A struct as a map without the fields that have their defaults, those inside it as well; else the value.

    A member of an enumeration is its value: though it be a text, what prints it would print another one.
    """
    if isinstance(value, Enum):
        return value.value
    if not isinstance(value, Struct):
        return value
    defaults = _defaults(type(value))
    return {name: sparse(item) for name, item in asdict(value).items() if item != defaults[name]}


@cache
def _defaults(of: type[Struct]) -> dict[str, Any]:
    made = {one.name: one.default_factory() for one in fields(of) if one.default_factory is not NODEFAULT}
    return {one.name: one.default for one in fields(of)} | made
