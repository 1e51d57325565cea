"""Functions of TOSCA 2.0 that 1.3 does not have. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

import math
from typing import Any

from ansible_ensemble.expressions.context import Call
from ansible_ensemble.expressions.keywords import entity
from ansible_ensemble.functions.logic import is_true
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.language.conditions import FUNCTIONS
from ansible_ensemble.language.schema import clause_fault
from ansible_ensemble.language.values import violation
from ansible_ensemble.views.data import bare, plain
from ansible_ensemble.views.entities import NodeView


@implements("$length")
def _length(call: Call, whole: Any) -> Any:
    return _made(call, whole)


@implements("$has_prefix")
def _has_prefix(call: Call, whole: Any, part: Any) -> Any:
    return _made(call, whole, part)


@implements("$has_suffix")
def _has_suffix(call: Call, whole: Any, part: Any) -> Any:
    return _made(call, whole, part)


@implements("$contains")
def _contains(call: Call, whole: Any, part: Any) -> Any:
    return _made(call, whole, part)


@implements("$has_entry")
def _has_entry(call: Call, whole: Any, entry: Any) -> Any:
    return _made(call, whole, entry)


@implements("$has_key")
def _has_key(call: Call, whole: Any, key: Any) -> Any:
    return _made(call, whole, key)


@implements("$has_all_entries")
def _has_all_entries(call: Call, whole: Any, wanted: Any) -> Any:
    return _made(call, whole, wanted)


@implements("$has_all_keys")
def _has_all_keys(call: Call, whole: Any, wanted: Any) -> Any:
    return _made(call, whole, wanted)


@implements("$has_any_entry")
def _has_any_entry(call: Call, whole: Any, wanted: Any) -> Any:
    return _made(call, whole, wanted)


@implements("$has_any_key")
def _has_any_key(call: Call, whole: Any, wanted: Any) -> Any:
    return _made(call, whole, wanted)


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
    return _made(call, *lists)


@implements("$intersection")
def _intersection(call: Call, first: Any, *others: Any) -> Any:
    return _made(call, first, *others)


@implements("$round")
def _round(call: Call, number: Any) -> Any:
    return math.floor(_number(call, number) + 0.5)


@implements("$floor")
def _floor(call: Call, number: Any) -> Any:
    return math.floor(_number(call, number))


@implements("$ceil")
def _ceil(call: Call, number: Any) -> Any:
    return math.ceil(_number(call, number))


@implements("$node_index")
def _node_index(call: Call, name: Any = None) -> Any:
    node = entity(call.context, call.text(name) if name is not None else "SELF").owner
    if not isinstance(node, NodeView):
        raise call.failure(f"{call.name} is of an instance")
    return [one.name for one in node.siblings()].index(node.name)


def _operand(call: Call, raw: Any) -> Any:
    return bare(plain(call.operand(raw)))


def _made(call: Call, *operands: Any) -> Any:
    """What the function of this name makes of values."""
    try:
        return FUNCTIONS[call.name.removeprefix("$")](*[_operand(call, one) for one in operands])
    except (TypeError, AttributeError) as error:
        raise call.failure(f"{call.name} takes values of other types: {error}") from error


def _number(call: Call, raw: Any) -> float:
    value = _operand(call, raw)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise call.failure(f"{call.name} needs a number")
    return value


def _fits(call: Call, raw: Any, operator: str, operand: Any) -> bool:
    """Whether a value meets a constraint, as those of properties are checked."""
    clause = _operand(call, operand)
    fault = clause_fault(operator, clause)
    if fault is not None:
        raise call.failure(f"{call.name}: {fault}")
    return violation(_operand(call, raw), {operator: clause}) is None
