"""Scalar types of TOSCA that YAML does not have: sizes, times, frequencies, bitrates, versions, timestamps."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeGuard

from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.scalars import as_written

_PREFIXES: dict[str, float] = {"": 1}
_PREFIXES |= {letter: 1000.0**power for power, letter in enumerate("kmgt", start=1)}
_PREFIXES |= {f"{letter}i": 1024.0**power for power, letter in enumerate("kmgt", start=1)}

#: Units of the scalar types, and what one of each is in the base unit: B, s, Hz, bps [TOSCA 1.3, 3.3.6].
UNITS: dict[str, dict[str, float]] = {
    "scalar-unit.size": {f"{prefix}b": factor for prefix, factor in _PREFIXES.items()},
    "scalar-unit.time": {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "scalar-unit.frequency": {"hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9},
    "scalar-unit.bitrate": {
        f"{prefix}{letter}ps": factor * bits
        for prefix, factor in _PREFIXES.items()
        for letter, bits in (("b", 1), ("B", 8))
    },
}

#: Longer names of units of time that files in the wild use.
_TIME_NAMES = {"sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "minute": "m", "minutes": "m"}
_TIME_NAMES |= {"hour": "h", "hours": "h", "day": "d", "days": "d"}

_QUANTITY = regex(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S+)")
_SCALAR = regex(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*([A-Za-z]+)")
_VERSION = regex(r"(\d+)(?:\.(\d+)(?:\.(\d+)(?:\.([0-9A-Za-z_]+)(?:-(\d+))?)?)?)?")
_TIMESTAMP = regex(
    r"\d{4}-\d\d-\d\d|(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?"
    r"[ \t]*(Z|[-+]\d\d?(?::?\d\d)?)?"
)


class Scalar(str):
    """The name `scalar` with what tells one scalar type of TOSCA 2.0 from another [TOSCA 2.0, 9.1.2.1].

    Attributes:
        units: its units without prefixes, and what one of each is in the canonical unit.
        all_units: those with prefixes as well.
        is_whole: whether its numbers are integers.
    """

    units: Mapping[str, float]
    all_units: Mapping[str, float]
    is_whole: bool

    def __new__(cls, units: Mapping[str, float], all_units: Mapping[str, float], *, is_whole: bool) -> Scalar:
        """Name it, and keep what it means."""
        made = super().__new__(cls, "scalar")
        made.units, made.all_units, made.is_whole = units, all_units, is_whole
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.units, self.all_units), {"is_whole": self.is_whole}

    def value_of(self, text: str) -> float | None:
        """What a number and a unit come to in the canonical unit; None if it is no such text."""
        match = _QUANTITY.fullmatch(text.strip())
        factor = self.all_units.get(match.group(2)) if match is not None else None
        if match is None or factor is None or (self.is_whole and not match.group(1).lstrip("+-").isdecimal()):
            return None
        return float(match.group(1)) * factor


def scalar_value(text: Any, type_name: str) -> float | None:
    """The number of base units that a scalar like `4 MiB` stands for: bytes, seconds, Hz or bits per second; or None.

    The type is `scalar-unit.size`, `.time`, `.frequency`, `.bitrate`, `scalar-unit` for any of them, or a `Scalar`.
    Letters may be of either case, but for the B of a bitrate, which tells bytes from bits, and the units of a `Scalar`.
    """
    if isinstance(type_name, Scalar):
        return type_name.value_of(text) if isinstance(text, str) else None
    match = _SCALAR.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    for name, units in UNITS.items():
        if type_name in (name, "scalar-unit"):
            factor = units.get(_unit(match.group(2), name))
            if factor is not None:
                return float(match.group(1)) * factor
    return None


def _unit(text: str, type_name: str) -> str:
    if type_name == "scalar-unit.bitrate":
        return text[:-3].lower() + text[-3] + text[-2:].lower() if len(text) >= 3 else text
    text = text.lower()
    return _TIME_NAMES.get(text, text) if type_name == "scalar-unit.time" else text


def seconds(value: Any) -> float | None:
    """Seconds of a number (of seconds) or of a `scalar-unit.time`; None if it is neither."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return scalar_value(value, "scalar-unit.time")
    return None


def version_value(value: Any) -> tuple[Any, ...] | None:
    """A version in a form that compares: numbers, whether it is a release, qualifier and build; None if it is none.

    A version with a qualifier comes before the one without [TOSCA 1.3, 3.3.2]. A number is one, as it is written: YAML
    reads `1.10` as a number.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    match = _VERSION.fullmatch(as_written(value).strip())
    if match is None:
        return None
    major, minor, fix, qualifier, build = match.groups()
    return int(major), int(minor or 0), int(fix or 0), qualifier is None, qualifier or "", int(build or 0)


def timestamp_value(value: Any) -> float | None:
    """Seconds since 1970 of a timestamp as YAML 1.1 writes it; None if it is not one. Without a zone it is UTC."""
    match = _TIMESTAMP.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    leap = int(second == "60")  # [RFC 3339, 5.7]
    if year is None:
        text = f"{value.strip()}T00:00:00+00:00"
    else:
        offset = "+00:00" if zone in (None, "Z") else _offset(zone)
        micro = (fraction or "0")[:6].ljust(6, "0")
        text = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute}:{int(second) - leap:0>2}.{micro}{offset}"
    try:
        return datetime.fromisoformat(text).timestamp() + leap
    except (ValueError, OverflowError):
        return None


def has_offset(timestamp: Any) -> bool:
    """Whether a timestamp says of which zone its time is; a date alone need not [RFC 3339, 5.6]."""
    match = _TIMESTAMP.fullmatch(timestamp.strip()) if isinstance(timestamp, str) else None
    return match is not None and (match[1] is None or match[8] is not None)


def _offset(zone: str) -> str:
    hours, _separator, minutes = zone[1:].partition(":")
    if len(hours) > 2:
        hours, minutes = hours[:-2], hours[-2:]
    return f"{zone[0]}{hours:0>2}:{minutes or '00'}"


def is_xml(schema: object) -> TypeGuard[str]:
    """Whether a schema is one of XML, and not of JSON."""
    return isinstance(schema, str) and schema.lstrip().startswith("<")
