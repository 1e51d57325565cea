"""Conditions of TOSCA 2.0 on a value that is known: functions of functions, `{$or: [{$equal: [$value, 1]}, ...]}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

#: The constraint that is a condition.
CONDITION = "$condition"
VALUE = "$value"
#: Whether a value meets an operator of constraints with an operand.
Compare = Callable[[Any, str, Any], bool]

#: Functions that are operators of constraints.
OPERATORS: Mapping[str, str] = {
    **{name: name for name in ("equal", "greater_than", "greater_or_equal", "less_than", "less_or_equal")},
    **{name: name for name in ("in_range", "valid_values")},
    "matches": "pattern",
}


def _entries(whole: Any) -> list[Any]:
    return list(whole.values()) if isinstance(whole, Mapping) else whole


def _contains(whole: Any, part: Any) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def _once(entries: list[Any]) -> list[Any]:
    return [one for number, one in enumerate(entries) if one not in entries[:number]]


#: Functions of values; those that do not fit are a TypeError.
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "and": lambda *operands: all(operands),
    "or": lambda *operands: any(operands),
    "not": lambda operand: not operand,
    "xor": lambda first, second: bool(first) != bool(second),
    "length": len,
    "has_prefix": lambda whole, part: whole[: len(part)] == part,
    "has_suffix": lambda whole, part: whole[max(0, len(whole) - len(part)) :] == part,
    "contains": _contains,
    "has_entry": lambda whole, entry: entry in _entries(whole),
    "has_key": lambda whole, key: key in whole.keys(),  # noqa: SIM118  (of a map, and of nothing else)
    "has_all_entries": lambda whole, wanted: all(one in _entries(whole) for one in wanted),
    "has_all_keys": lambda whole, wanted: whole.keys() >= set(wanted),
    "has_any_entry": lambda whole, wanted: any(one in _entries(whole) for one in wanted),
    "has_any_key": lambda whole, wanted: bool(whole.keys() & set(wanted)),
    "union": lambda *lists: _once([entry for one in lists for entry in one]),
    "intersection": lambda first, *others: _once([one for one in first if all(one in other for other in others)]),
}


def is_call(raw: Any) -> bool:
    """Whether a map is a call: its one key begins with a dollar sign, and not with two."""
    name = next(iter(raw)) if isinstance(raw, Mapping) and len(raw) == 1 else None
    return isinstance(name, str) and name.startswith("$") and not name.startswith("$$")


def condition_fault(raw: Any) -> str | None:
    """Why a condition is none that can be decided for a value alone, None if it is."""
    unknown = next((name for name in _names(raw) if name not in FUNCTIONS and name not in OPERATORS), None)
    if not is_call(raw):
        return "the condition that is no call is not supported"
    if unknown is not None:
        return f"the condition ${unknown} is not supported"
    return None if VALUE in str(raw) else "a validation is not of $value"


def _names(raw: Any) -> Iterator[str]:
    if is_call(raw):
        (key,) = raw
        yield key[1:]
    for one in raw.values() if isinstance(raw, Mapping) else raw if isinstance(raw, list) else ():
        yield from _names(one)


def holds(raw: Any, value: Any, compare: Compare) -> bool:
    """Whether a condition holds for a value; one whose functions do not fit its type does."""
    try:
        return bool(_computed(raw, value, compare))
    except (TypeError, AttributeError, IndexError):
        return True


def _computed(raw: Any, value: Any, compare: Compare) -> Any:
    if not is_call(raw):
        return value if raw == VALUE else raw
    (key,) = raw
    given = raw[key] if isinstance(raw[key], list) else [raw[key]]
    operands = [_computed(one, value, compare) for one in given]
    operator = OPERATORS.get(key[1:])
    return FUNCTIONS[key[1:]](*operands) if operator is None else compare(operands[0], operator, operands[1])
