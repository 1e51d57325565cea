"""Functions of TOSCA 2.0 that 1.3 does not have. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.expressions.context import Call
from ansible_ensemble.functions.logic import is_true
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.language.schema import clause_fault
from ansible_ensemble.language.values import violation
from ansible_ensemble.views.data import bare, plain


@implements("$length")
def _length(call: Call, whole: Any) -> Any:
    return len(_of(call, whole, str, list, dict))


@implements("$has_prefix")
def _has_prefix(call: Call, whole: Any, part: Any) -> Any:
    value, begin = _of(call, whole, str, list), _of(call, part, str, list)
    return value[: len(begin)] == begin


@implements("$has_suffix")
def _has_suffix(call: Call, whole: Any, part: Any) -> Any:
    value, end = _of(call, whole, str, list), _of(call, part, str, list)
    return value[max(0, len(value) - len(end)) :] == end


@implements("$contains")
def _contains(call: Call, whole: Any, part: Any) -> Any:
    value, inner = _of(call, whole, str, list), _of(call, part, str, list)
    return any(value[start : start + len(inner)] == inner for start in range(len(value) - len(inner) + 1))


@implements("$has_entry")
def _has_entry(call: Call, whole: Any, entry: Any) -> Any:
    return _operand(call, entry) in _entries(call, whole)


@implements("$has_key")
def _has_key(call: Call, whole: Any, key: Any) -> Any:
    return _operand(call, key) in _of(call, whole, dict)


@implements("$has_all_entries")
def _has_all_entries(call: Call, whole: Any, wanted: Any) -> Any:
    entries = _entries(call, whole)
    return all(one in entries for one in _of(call, wanted, list))


@implements("$has_all_keys")
def _has_all_keys(call: Call, whole: Any, wanted: Any) -> Any:
    value = _of(call, whole, dict)
    return all(one in value for one in _of(call, wanted, list))


@implements("$has_any_entry")
def _has_any_entry(call: Call, whole: Any, wanted: Any) -> Any:
    entries = _entries(call, whole)
    return any(one in entries for one in _of(call, wanted, list))


@implements("$has_any_key")
def _has_any_key(call: Call, whole: Any, wanted: Any) -> Any:
    value = _of(call, whole, dict)
    return any(one in value for one in _of(call, wanted, list))


@implements("$matches")
def _matches(call: Call, text: Any, pattern: Any) -> Any:
    return _fits(call, text, "pattern", pattern)


@implements("$in_range")
def _in_range(call: Call, value: Any, bounds: Any) -> Any:
    return _fits(call, value, "in_range", bounds)


@implements("$valid_values")
def _valid_values(call: Call, value: Any, known: Any) -> Any:
    return _fits(call, value, "valid_values", known)


@implements("$xor")
def _xor(call: Call, first: Any, second: Any) -> Any:
    return is_true(call.operand(first)) != is_true(call.operand(second))


@implements("$union")
def _union(call: Call, *lists: Any) -> Any:
    return _once([entry for one in lists for entry in _of(call, one, list)])


@implements("$intersection")
def _intersection(call: Call, first: Any, *others: Any) -> Any:
    rest = [_of(call, one, list) for one in others]
    return _once([entry for entry in _of(call, first, list) if all(entry in one for one in rest)])


@implements("$round")
def _round(call: Call, number: Any) -> Any:
    return math.floor(_of(call, number, int, float) + 0.5)


@implements("$floor")
def _floor(call: Call, number: Any) -> Any:
    return math.floor(_of(call, number, int, float))


@implements("$ceil")
def _ceil(call: Call, number: Any) -> Any:
    return math.ceil(_of(call, number, int, float))


def _operand(call: Call, raw: Any) -> Any:
    return bare(plain(call.operand(raw)))


def _of(call: Call, raw: Any, *kinds: type) -> Any:
    """The value of an operand, of one of these kinds."""
    value = _operand(call, raw)
    if not isinstance(value, kinds) or (isinstance(value, bool) and int in kinds):
        names = {str: "text", list: "a list", dict: "a map", int: "a number"}
        raise call.failure(f"{call.name} needs {' or '.join(names[one] for one in kinds if one in names)}")
    return value


def _entries(call: Call, raw: Any) -> list[Any]:
    value = _of(call, raw, list, dict)
    return list(value.values()) if isinstance(value, Mapping) else value


def _once(entries: list[Any]) -> list[Any]:
    return [one for number, one in enumerate(entries) if one not in entries[:number]]


def _fits(call: Call, raw: Any, operator: str, operand: Any) -> bool:
    """Whether a value meets a constraint, as those of properties are checked."""
    clause = _operand(call, operand)
    fault = clause_fault(operator, clause)
    if fault is not None:
        raise call.failure(f"{call.name}: {fault}")
    return violation(_operand(call, raw), {operator: clause}) is None
