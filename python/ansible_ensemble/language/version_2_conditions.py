"""Conditions as TOSCA 2.0 writes them, by functions: as constraints and node filters of 1.3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.language.conditions import CONDITION, OPERATORS, VALUE, condition_fault, is_call
from ansible_ensemble.language.version_2_calls import Calls

_OF_LENGTH = {"equal": "length", "greater_or_equal": "min_length", "less_or_equal": "max_length"}
_PATTERNS = {"has_prefix": "{}.*", "has_suffix": ".*{}", "contains": ".*{}.*"}
_KNOWN = "and", *OPERATORS, *_PATTERNS

#: Functions that a filter asks for a value; nothing of a capacity is allocated, so that all of it is available.
_VALUES = ("$get_property", "$available_allocation")
#: Stands for the capability that a requirement asks for, in the filter of it.
WANTED = "CAPABILITY"

Clause = tuple[Any, dict[str, Any]]


def read_validation(raw: Any, place: Place | None, calls: Calls) -> list[dict[str, Any]]:
    """The constraints that a validation clause means; one that is none is an error."""
    found: list[dict[str, Any]] = []
    for one in _conjuncts(raw):
        subject, clause = _read_clause(one, calls) or (None, {})
        fault = condition_fault(one)
        if subject == VALUE:
            found.append(clause)
        elif fault is None:
            found.append({CONDITION: one})
        else:
            calls.problems.add(fault, place)
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


def _conjuncts(raw: Any) -> Iterator[Any]:
    """The conditions that all have to hold."""
    if is_call(raw) and isinstance(raw.get("$and"), list):
        raw = raw["$and"]
    elif raw is not None and not isinstance(raw, list):
        yield raw
        return
    for one in raw or ():
        yield from _conjuncts(one)


def _clauses(raw: Any, place: Place | None, calls: Calls) -> Iterator[Clause]:
    """What each condition is of, and as a constraint."""
    for one in _conjuncts(raw):
        clause = _read_clause(one, calls)
        if clause is not None:
            yield clause
        else:
            name = "".join(one) if is_call(one) else "that is no call"
            _refuse(f"the condition {name} is not supported", place, calls)


def _read_clause(raw: Any, calls: Calls) -> Clause | None:
    if not is_call(raw):
        return None
    (key,) = raw
    return _clause(key[1:], raw[key], calls)


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
    return (subject, {OPERATORS[name]: operand}) if name in OPERATORS else None


def _refuse(message: str, place: Place | None, calls: Calls) -> None:
    calls.problems.add(
        message, place, f"known are {', '.join(f'${one}' for one in _KNOWN)}, of $value or $get_property"
    )
