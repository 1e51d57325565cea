"""From one type to another, as sprig converts: what cannot be converted is zero."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ansible_ensemble.provision.gotemplate.literals import LEAST, MOST
from ansible_ensemble.provision.gotemplate.printing import shown
from ansible_ensemble.provision.gotemplate.values import Struct, Value

_ZERO_FRACTION = re.compile(r"\.0*\Z")
_WHOLE = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|0[oO]?[0-7]*|0[bB][01]+|[1-9][0-9]*)\Z")


def wrapped(value: int) -> int:
    """An integer as 64 bits hold it."""
    return value if LEAST <= value <= MOST else (value - LEAST) % 2**64 + LEAST


def text(value: Value) -> str:
    """Any value as text."""
    return value if isinstance(value, str) else shown(value)


def texts(value: Value) -> list[str]:
    """A list of texts: of the items that are not nil, or of the value alone."""
    if value is None:
        return []
    if isinstance(value, list):
        return [text(item) for item in value if item is not None]
    return [text(value)]


def integer(value: Value) -> int:
    """Any value as an integer; 0 for what is none."""
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        return int(value) if LEAST <= value <= MOST else LEAST
    return _integer_of(_ZERO_FRACTION.sub("", value)) if isinstance(value, str) else 0


def _integer_of(value: str) -> int:
    if not _WHOLE.match(value):
        return 0
    octal = value.lstrip("+-")[:1] == "0" and value.lstrip("+-").isdecimal()
    number = int(value, 8) if octal else int(value, 0)
    return number if LEAST <= number <= MOST else 0


def floating(value: Value) -> float:
    """Any value as a float; 0 for what is none."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    try:
        return float(value) if isinstance(value, str) and value == value.strip() and "_" not in value else 0.0
    except ValueError:
        return 0.0


def empty(value: Value) -> bool:
    """Whether a value is nothing: nil, false, zero, or without items."""
    return not isinstance(value, Struct) and not value


def _to_string(value: Any) -> str:
    return text(value)


def _to_strings(value: Any) -> list[str]:
    return texts(value)


def _int(value: Any) -> int:
    return integer(value)


def _float64(value: Any) -> float:
    return floating(value)


def _atoi(value: str) -> int:
    return int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value, re.ASCII) else 0


def _to_decimal(value: Any) -> int:
    digits = text(value)
    return int(digits, 8) if re.fullmatch(r"[+-]?[0-7]{1,20}", digits, re.ASCII) else 0


TABLE: dict[str, Callable[..., Value]] = {
    "atoi": _atoi,
    "float64": _float64,
    "int": _int,
    "int64": _int,
    "toDecimal": _to_decimal,
    "toString": _to_string,
    "toStrings": _to_strings,
}
