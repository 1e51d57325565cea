"""Conditions as TOSCA 2.0 writes them, by functions: as constraints and node filters of 1.3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.language.version_2_calls import Calls, is_call

#: Operators of constraints by the function.
_OPERATORS = {
    **{name: name for name in ("equal", "greater_than", "greater_or_equal", "less_than", "less_or_equal")},
    **{name: name for name in ("in_range", "valid_values")},
    "matches": "pattern",
}
_OF_LENGTH = {"equal": "length", "greater_or_equal": "min_length", "less_or_equal": "max_length"}
_PATTERNS = {"has_prefix": "{}.*", "has_suffix": ".*{}", "contains": ".*{}.*"}
_KNOWN = "and", *_OPERATORS, *_PATTERNS

#: Functions that a filter asks for a value; nothing of a capacity is allocated, so that all of it is available.
_VALUES = ("$get_property", "$available_allocation")
#: Stands for the capability that a requirement asks for, in the filter of it.
WANTED = "CAPABILITY"

Clause = tuple[Any, dict[str, Any]]


def read_validation(raw: Any, place: Place | None, calls: Calls) -> list[dict[str, Any]]:
    """The constraints that a validation clause means; one that is none is an error."""
    found = []
    for subject, clause in _clauses(raw, place, calls):
        if subject == "$value":
            found.append(clause)
        else:
            _refuse("a validation is not of $value", place, calls)
    return found


def read_filter(raw: Any, place: Place | None, calls: Calls) -> Any:
    """The node filter that a condition means: one whose clauses are of properties of a node or of its capabilities."""
    if not is_call(raw):
        return raw
    properties: list[Any] = []
    capabilities: list[Any] = []
    for subject, clause in _clauses(raw, place, calls):
        path = next((subject[one] for one in _VALUES if one in subject), None) if is_call(subject) else None
        match path:
            case ["SELF", str(name)]:
                properties.append({name: [clause]})
            case ["SELF", "CAPABILITY", str(name)]:
                capabilities.append({WANTED: {"properties": [{name: [clause]}]}})
            case ["SELF", "CAPABILITY", str(capability), str(name)]:
                capabilities.append({capability: {"properties": [{name: [clause]}]}})
            case _:
                _refuse("a condition of a filter is not of a property", place, calls)
    return {"properties": properties, "capabilities": capabilities}


def _clauses(raw: Any, place: Place | None, calls: Calls) -> Iterator[Clause]:
    """What each clause is of, and as a constraint; of a list each counts."""
    if raw is None or isinstance(raw, list):
        for one in raw or ():
            yield from _clauses(one, place, calls)
        return
    name = "".join(raw).removeprefix("$") if is_call(raw) else ""
    arguments = raw[f"${name}"] if name else None
    if name == "and" and isinstance(arguments, list):
        for one in arguments:
            yield from _clauses(one, place, calls)
    elif (clause := _clause(name, arguments, calls)) is not None:
        yield clause
    else:
        _refuse(f"the condition {f'${name}' if name else 'that is no call'} is not supported", place, calls)


def _clause(name: str, arguments: Any, calls: Calls) -> Clause | None:
    if not isinstance(arguments, list) or len(arguments) != 2:
        return None
    subject, operand = arguments[0], calls.value(arguments[1])
    if isinstance(subject, Mapping) and list(subject) == ["$length"]:
        inner = subject["$length"]
        is_one = isinstance(inner, list) and len(inner) == 1
        return (inner[0], {_OF_LENGTH[name]: operand}) if is_one and name in _OF_LENGTH else None
    if name in _PATTERNS and isinstance(operand, str):
        return subject, {"pattern": f"(?s){_PATTERNS[name].format(re.escape(operand))}"}
    return (subject, {_OPERATORS[name]: operand}) if name in _OPERATORS else None


def _refuse(message: str, place: Place | None, calls: Calls) -> None:
    calls.problems.add(
        message, place, f"known are {', '.join(f'${one}' for one in _KNOWN)}, of $value or $get_property"
    )
