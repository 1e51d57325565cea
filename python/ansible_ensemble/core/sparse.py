"""Dataclasses as plain data without what goes without saying."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any


def sparse(value: Any) -> Any:
    """A dataclass as a map without the fields that have their defaults, those inside it as well; else the value.

    A member of an enumeration is its value: though it be a text, what prints it would print another one.
    """
    if isinstance(value, Enum):
        return value.value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    return {
        field.name: sparse(getattr(value, field.name))
        for field in fields(value)
        if getattr(value, field.name) != _default(field)
    }


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()
