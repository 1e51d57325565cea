"""Semantic versions and what is demanded of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from ansible_ensemble.core.budget import Fault
from ansible_ensemble.provision.gotemplate.functions import methods_of
from ansible_ensemble.provision.gotemplate.values import Struct, Value

_NUMBER = r"[0-9]{1,18}"
_END = r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+(?P<meta>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
_VERSION = re.compile(rf"v?(?P<major>{_NUMBER})(?:\.(?P<minor>{_NUMBER}))?(?:\.(?P<patch>{_NUMBER}))?{_END}")
_PART = rf"(?:{_NUMBER}|[xX*])"
_DEMAND = re.compile(
    rf"\s*(?P<operator>=<|=>|!=|>=|<=|~>|[=<>~^])?\s*"
    rf"(?P<version>v?(?P<major>{_PART})(?:\.(?P<minor>{_PART}))?(?:\.(?P<patch>{_PART}))?{_END})\s*,?"
)
_HYPHEN = re.compile(rf"\s*(v?{_PART}(?:\.{_PART})*{_END.replace('?P<pre>', '').replace('?P<meta>', '')})\s+-\s+")


class Version(msgspec.Struct, frozen=True):
    """A version; what follows a plus is no part of its order."""

    numbers: tuple[int, int, int]
    pre: str = ""
    meta: str = ""

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        return text + (f"-{self.pre}" if self.pre else "") + (f"+{self.meta}" if self.meta else "")

    @property
    def order(self) -> tuple[tuple[int, int, int], bool, list[tuple[bool, int, str]]]:
        """A key that sorts versions: one with a pre-release is before the one without."""
        parts = [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in self.pre.split(".")]
        return self.numbers, not self.pre, [] if not self.pre else [p if p[0] else (False, p[1], "") for p in parts]


def version_of(text: str) -> Version:
    """The version of a text, whose minor and patch may be missing; raise Fault for none."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise Fault("Invalid Semantic Version")
    numbers = (int(match["major"]), int(match["minor"] or 0), int(match["patch"] or 0))
    return Version(numbers, match["pre"] or "", match["meta"] or "")


class _Demand(msgspec.Struct, frozen=True):
    """An operator and a version of which the last numbers may be open."""

    operator: str
    version: Version
    given: int

    def met_by(self, version: Version) -> bool:
        if version.pre and not self.version.pre:
            return False
        return _OPERATORS[self.operator](self, version)

    def within(self, version: Version, places: int) -> bool:
        """At least the demanded one, and the same in so many leading numbers."""
        if not places:
            return True
        return self.version.order <= version.order and version.numbers[:places] == self.version.numbers[:places]

    def caret(self, version: Version) -> bool:
        """The same up to the first number that is not zero."""
        leading = next(
            (place for place, number in enumerate(self.version.numbers[: self.given], 1) if number), self.given
        )
        return self.within(version, leading)

    def equal(self, version: Version) -> bool:
        if self.given < 3:
            return self.within(version, self.given)
        return version.order == self.version.order

    def above(self, version: Version) -> bool:
        if self.given == 3:
            return version.order > self.version.order
        return version.numbers[: self.given] > self.version.numbers[: self.given]

    def at_most(self, version: Version) -> bool:
        if self.given == 3:
            return version.order <= self.version.order
        return version.numbers[: self.given] <= self.version.numbers[: self.given]


_OPERATORS: dict[str, Callable[[_Demand, Version], bool]] = {
    "": _Demand.equal,
    "=": _Demand.equal,
    "!=": lambda demand, version: not demand.equal(version),
    ">": _Demand.above,
    ">=": lambda demand, version: version.order >= demand.version.order,
    "<": lambda demand, version: version.order < demand.version.order,
    "<=": _Demand.at_most,
    "~": lambda demand, version: demand.within(version, min(demand.given, 2)),
    "^": _Demand.caret,
}
_SAME = {"=>": ">=", "=<": "<=", "~>": "~"}


def _demands(text: str) -> list[_Demand]:
    text = _HYPHEN.sub(r">=\1 <=", text)
    found, at = [], 0
    while at < len(text):
        match = _DEMAND.match(text, at)
        if match is None:
            raise Fault(f"improper constraint: {text}")
        found.append(_demand(match))
        at = match.end()
    if not found:
        raise Fault(f"improper constraint: {text}")
    return found


def _demand(match: re.Match[str]) -> _Demand:
    parts = [match["major"], match["minor"], match["patch"]]
    given = next((place for place, part in enumerate(parts) if part is None or part in "xX*"), 3)
    numbers = [int(part) for part in parts[:given]] + [0, 0, 0]
    operator = match["operator"] or ""
    version = Version((numbers[0], numbers[1], numbers[2]), match["pre"] or "", match["meta"] or "")
    return _Demand(_SAME.get(operator, operator), version, given)


def meets(constraint: str, version: Version) -> bool:
    """Whether a version meets one of the alternatives `a, b || c`; raise Fault for an improper constraint."""
    alternatives = [_demands(part) for part in constraint.split("||")]
    return any(all(demand.met_by(version) for demand in demands) for demands in alternatives)


class _Shown(Struct):
    """A version as templates see it."""

    type_name = "*semver.Version"

    def __init__(self, version: Version, original: str) -> None:
        super().__init__({})
        self.version = version
        self.text = str(version)
        self._original = original

    def major(self) -> int:
        return self.version.numbers[0]

    def minor(self) -> int:
        return self.version.numbers[1]

    def patch(self) -> int:
        return self.version.numbers[2]

    def prerelease(self) -> str:
        return self.version.pre

    def metadata(self) -> str:
        return self.version.meta

    def original(self) -> str:
        return self._original

    def shown(self) -> str:
        return str(self.version)

    def compare(self, other: Any) -> int:
        version = _other(other)
        return (self.version.order > version.order) - (self.version.order < version.order)

    def equal(self, other: Any) -> bool:
        return self.compare(other) == 0

    def less_than(self, other: Any) -> bool:
        return self.compare(other) < 0

    def greater_than(self, other: Any) -> bool:
        return self.compare(other) > 0

    methods = methods_of(
        {
            "Compare": compare,
            "Equal": equal,
            "GreaterThan": greater_than,
            "LessThan": less_than,
            "Major": major,
            "Metadata": metadata,
            "Minor": minor,
            "Original": original,
            "Patch": patch,
            "Prerelease": prerelease,
            "String": shown,
        }
    )


def _other(value: Value) -> Version:
    if not isinstance(value, _Shown):
        raise Fault("wrong type for value; expected *semver.Version")
    return value.version


def _semver(text: str) -> Value:
    return _Shown(version_of(text), text)


def _semver_compare(constraint: str, text: str) -> bool:
    return meets(constraint, version_of(text))


TABLE: dict[str, Callable[..., Value]] = {"semver": _semver, "semverCompare": _semver_compare}
