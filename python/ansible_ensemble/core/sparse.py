"""Structs as plain data."""

from __future__ import annotations

from enum import Enum
from typing import Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import asdict


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
    defaults = dict(zip(reversed(value.__struct_fields__), reversed(value.__struct_defaults__)))
    return {name: sparse(item) for name, item in asdict(value).items() if item != defaults.get(name, NODEFAULT)}
