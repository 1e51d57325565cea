"""The texts of XML Schema: which fit its built-in types, and its facets."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation

#: Whether a text is of a type.
Fits = Callable[[str], bool]


def _integer(least: int | None = None, most: int | None = None) -> Fits:
    def fits(text: str) -> bool:
        if not re.fullmatch(r"\s*[-+]?[0-9]{1,400}\s*", text):
            return False
        return (least is None or int(text) >= least) and (most is None or int(text) <= most)

    return fits


def _parses(parse: Callable[[str], object]) -> Fits:
    def fits(text: str) -> bool:
        try:
            parse(text.strip())
        except (ValueError, InvalidOperation):
            return False
        return True

    return fits


def _matches(pattern: str) -> Fits:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _any(_text: str) -> bool:
    return True


_FLOAT = _matches(r"\s*([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|-?INF|NaN)\s*")
_NAME = _matches(r"\s*[^\W\d][-.\w]*\s*")

BUILT_IN: dict[str, Fits] = {
    **dict.fromkeys(("anySimpleType", "anyURI", "normalizedString", "string", "token"), _any),
    "boolean": _matches(r"\s*(true|false|0|1)\s*"),
    "byte": _integer(-(2**7), 2**7 - 1),
    "date": _parses(date.fromisoformat),
    "dateTime": _parses(datetime.fromisoformat),
    "decimal": _matches(r"\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*"),
    "double": _FLOAT,
    "float": _FLOAT,
    "int": _integer(-(2**31), 2**31 - 1),
    "integer": _integer(),
    "long": _integer(-(2**63), 2**63 - 1),
    **dict.fromkeys(("ID", "NCName", "Name"), _NAME),
    "NMTOKEN": _matches(r"\s*[-.:\w]+\s*"),
    "negativeInteger": _integer(most=-1),
    "nonNegativeInteger": _integer(0),
    "nonPositiveInteger": _integer(most=0),
    "positiveInteger": _integer(1),
    "short": _integer(-(2**15), 2**15 - 1),
    "time": _parses(time.fromisoformat),
    "unsignedByte": _integer(0, 2**8 - 1),
    "unsignedInt": _integer(0, 2**32 - 1),
    "unsignedLong": _integer(0, 2**64 - 1),
    "unsignedShort": _integer(0, 2**16 - 1),
}


def _compared(holds: Callable[[Decimal, Decimal], bool]) -> Callable[[str], Fits]:
    def facet(value: str) -> Fits:
        bound = Decimal(value)
        return lambda text: (number := _number(text)) is not None and holds(number, bound)

    return facet


def _sized(holds: Callable[[int, int], bool]) -> Callable[[str], Fits]:
    def facet(value: str) -> Fits:
        size = int(value)
        return lambda text: holds(len(text), size)

    return facet


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return None


#: By the facet's name, which texts its value lets through.
FACETS: dict[str, Callable[[str], Fits]] = {
    "length": _sized(lambda one, size: one == size),
    "maxExclusive": _compared(lambda one, bound: one < bound),
    "maxInclusive": _compared(lambda one, bound: one <= bound),
    "maxLength": _sized(lambda one, size: one <= size),
    "minExclusive": _compared(lambda one, bound: one > bound),
    "minInclusive": _compared(lambda one, bound: one >= bound),
    "minLength": _sized(lambda one, size: one >= size),
    "pattern": _matches,
}
