"""Arithmetic and comparison. Operands are expressions: text is a path, `{q: text}` is text.

Those of `eq` and `ne` are values, as in Unfurl: text is a path only where it begins as one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.budget import MOST_BITS
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.language.functions import function_name
from ansible_ensemble.language.scalars import UNITS, scalar_value
from ansible_ensemble.views.data import bare

_ROUNDINGS: dict[Any, Callable[[float], int]] = {"ceil": math.ceil, "floor": math.floor, "round": round}


@implements("eq")
def _eq(call: Call, first: Any, second: Any) -> Any:
    first, second = _values(call, first, second)
    return bool(first == second)


@implements("ne")
def _ne(call: Call, first: Any, second: Any) -> Any:
    first, second = _values(call, first, second)
    return bool(first != second)


@implements("gt")
def _gt(call: Call, first: Any, second: Any) -> Any:
    return _compare(call, first, second, operator.gt)


@implements("ge")
def _ge(call: Call, first: Any, second: Any) -> Any:
    return _compare(call, first, second, operator.ge)


@implements("lt")
def _lt(call: Call, first: Any, second: Any) -> Any:
    return _compare(call, first, second, operator.lt)


@implements("le")
def _le(call: Call, first: Any, second: Any) -> Any:
    return _compare(call, first, second, operator.le)


@implements("add")
def _add(call: Call, first: Any, second: Any) -> Any:
    first, second = _pair(call, first, second)
    if isinstance(first, str) and isinstance(second, str):
        return call.joined([first, second])
    if isinstance(first, list) and isinstance(second, list):
        return call.chained([first, second])
    return _compute(call, operator.add, first, second)


@implements("sub")
def _sub(call: Call, first: Any, second: Any) -> Any:
    return _compute(call, operator.sub, *_pair(call, first, second))


@implements("mul")
def _mul(call: Call, first: Any, second: Any) -> Any:
    return _compute(call, operator.mul, *_pair(call, first, second))


@implements("div")
def _div(call: Call, first: Any, second: Any) -> Any:
    result = _compute(call, operator.truediv, *_pair(call, first, second))
    return int(result) if isinstance(result, float) and result.is_integer() else result


@implements("mod")
def _mod(call: Call, first: Any, second: Any) -> Any:
    return _compute(call, operator.mod, *_pair(call, first, second))


@implements("pow")
def _pow(call: Call, first: Any, second: Any) -> Any:
    first, second = (_number(call, value) for value in _pair(call, first, second))
    if abs(second) > MOST_BITS or (isinstance(first, int) and first.bit_length() * abs(second) > MOST_BITS):
        raise call.failure("the result of pow is too large")
    return _compute(call, operator.pow, first, second)


@implements("scalar")
def _scalar(call: Call, text: Any) -> Any:
    return _whole(_with_unit(call, call.text(text)))


@implements("scalar_value")
def _scalar_value(call: Call, scalar: Any, into: Any = None, *, unit: Any = None, round: Any = None) -> Any:
    text = call.text(scalar)
    unit = call.text(into) if into is not None else call.value(unit)
    unit = str(unit) if unit is not None else text.strip().lstrip("+-.0123456789eE").strip()
    for kind in UNITS:
        value, one = scalar_value(text, kind), scalar_value(f"1 {unit}", kind)
        if value is not None and one is not None:
            return _whole(_rounded(value / one, bare(call.value(round)), call))
    raise call.failure(f'"{text}" is not a scalar that can be converted to "{unit}"', hint="for instance 4 GB in MB")


def _rounded(value: float, wanted: Any, call: Call) -> float:
    if wanted is None:
        return value
    if wanted in _ROUNDINGS:
        # what a unit's factor adds or loses in the last digits makes no other number
        return _ROUNDINGS[wanted](round(value, 9))
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        return round(value, wanted)
    raise call.failure(f'round is "{wanted}"', hint="it is a number of digits, ceil, floor or round")


def _pair(call: Call, first: Any, second: Any) -> tuple[Any, Any]:
    return bare(call.operand(first)), bare(call.operand(second))


def _values(call: Call, *written: Any) -> list[Any]:
    """What `eq` and `ne` compare."""
    return [bare(call.value(one) if _is_data(one) else call.operand(one)) for one in written]


def _is_data(written: Any) -> bool:
    if isinstance(written, dict):
        return function_name(written, nested=True) is None
    return isinstance(written, str) and not written.startswith((".", ":", "$"))


def _compare(call: Call, first: Any, second: Any, compare: Callable[[Any, Any], bool]) -> bool:
    first, second = _pair(call, first, second)
    if isinstance(first, str) and isinstance(second, str):
        scalars = scalar_value(first, "scalar-unit"), scalar_value(second, "scalar-unit")
        if None not in scalars:
            first, second = scalars
    elif isinstance(first, str) or isinstance(second, str):
        first, second = _number(call, first), _number(call, second)
    try:
        return bool(compare(first, second))
    except TypeError:
        raise call.failure(f"{call.name} cannot compare {_kind(first)} with {_kind(second)}") from None


def _compute(call: Call, compute: Callable[[Any, Any], Any], first: Any, second: Any) -> Any:
    numbers = _number(call, first), _number(call, second)
    if sum(number.bit_length() for number in numbers if isinstance(number, int)) > MOST_BITS:
        raise call.failure(f"the numbers that {call.name} is given are too large")
    try:
        return compute(*numbers)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        raise call.failure(f"{call.name} fails: {error}") from None


def _number(call: Call, value: Any) -> int | float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        found = scalar_value(value, "scalar-unit")
        if found is not None:
            return _whole(found)
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
    raise call.failure(f"{call.name} needs numbers and got {_kind(value)}")


def _with_unit(call: Call, text: str) -> float:
    value = scalar_value(text, "scalar-unit")
    if value is None:
        raise call.failure(f'"{text}" is not a scalar with a unit', hint="for instance 4 GB, 10 s or 2.4 GHz")
    return value


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _kind(value: Any) -> str:
    match value:
        case None | bool():
            return as_text(value)
        case str():
            return "text"
        case dict():
            return "a map"
        case list():
            return "a list"
    return "a number"
