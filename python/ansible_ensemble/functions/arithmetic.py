"""Arithmetic and comparison. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.functions.registration import function
from ansible_ensemble.language.scalars import UNITS, scalar_value
from ansible_ensemble.views.data import bare

#: A power may not have more digits than this.
_MOST_BITS = 4096
_ROUNDINGS: dict[Any, Callable[[float], int]] = {"ceil": math.ceil, "floor": math.floor, "round": round}


@function("eq")
def eq(call: Call) -> Any:
    """Whether two values are equal.

    Example: `{eval: {eq: [.name, {q: app}]}}`
    """
    first, second = _pair(call)
    return bool(first == second)


@function("ne")
def ne(call: Call) -> Any:
    """Whether two values differ.

    Example: `{eval: {ne: [.::port, 80]}}`
    """
    first, second = _pair(call)
    return bool(first != second)


@function("gt")
def gt(call: Call) -> Any:
    """Whether the first value is greater; scalars with units are compared by what they mean.

    Example: `{eval: {gt: [.::size, {q: 4 GB}]}}`
    """
    return _compare(call, operator.gt)


@function("ge")
def ge(call: Call) -> Any:
    """Whether the first value is greater or equal.

    Example: `{eval: {ge: [.::replicas, 3]}}`
    """
    return _compare(call, operator.ge)


@function("lt")
def lt(call: Call) -> Any:
    """Whether the first value is less.

    Example: `{eval: {lt: [.::replicas, 3]}}`
    """
    return _compare(call, operator.lt)


@function("le")
def le(call: Call) -> Any:
    """Whether the first value is less or equal.

    Example: `{eval: {le: [.::replicas, 3]}}`
    """
    return _compare(call, operator.le)


@function("add")
def add(call: Call) -> Any:
    """The sum of two numbers, or one text or list after the other.

    Example: `{eval: {add: [.::port, 1]}}`
    """
    first, second = _pair(call)
    if isinstance(first, (str, list)) and type(first) is type(second):
        return first + second  # type: ignore[operator]
    return _compute(call, operator.add, first, second)


@function("sub")
def sub(call: Call) -> Any:
    """The difference of two numbers.

    Example: `{eval: {sub: [.::port, 1]}}`
    """
    return _compute(call, operator.sub, *_pair(call))


@function("mul")
def mul(call: Call) -> Any:
    """The product of two numbers.

    Example: `{eval: {mul: [.::replicas, 2]}}`
    """
    return _compute(call, operator.mul, *_pair(call))


@function("div")
def div(call: Call) -> Any:
    """The quotient of two numbers; a whole one is an integer.

    Example: `{eval: {div: [.::memory, 2]}}`
    """
    result = _compute(call, operator.truediv, *_pair(call))
    return int(result) if isinstance(result, float) and result.is_integer() else result


@function("mod")
def mod(call: Call) -> Any:
    """The remainder of a division.

    Example: `{eval: {mod: [.::index, 2]}}`
    """
    return _compute(call, operator.mod, *_pair(call))


@function("pow")
def pow_(call: Call) -> Any:
    """The first number to the power of the second.

    Example: `{eval: {pow: [2, .::bits]}}`
    """
    first, second = (_number(call, value) for value in _pair(call))
    if abs(second) > _MOST_BITS or (isinstance(first, int) and first.bit_length() * abs(second) > _MOST_BITS):
        raise call.failure("the result of pow is too large")
    return _compute(call, operator.pow, first, second)


@function("scalar")
def scalar(call: Call) -> Any:
    """A scalar with a unit as a number of base units: bytes, seconds, Hz, bits per second [TOSCA 1.3, 3.3.6].

    Example: `{eval: {scalar: 4 GB}}`
    """
    return _whole(_scalar(call, call.text(call.operands(1, 1)[0])))


@function("scalar_value", options=("unit", "round"))
def scalar_value_(call: Call) -> Any:
    """A scalar as a number of the given unit, rounded to `round` digits; without a unit, its number as written.

    Example: `{eval: {scalar_value: 4 GB, unit: MB}}`
    """
    operands = call.operands(1, 2)
    text = call.text(operands[0])
    unit = call.text(operands[1]) if len(operands) > 1 else call.option("unit")
    unit = str(unit) if unit is not None else text.strip().lstrip("+-.0123456789eE").strip()
    for kind in UNITS:
        value, one = scalar_value(text, kind), scalar_value(f"1 {unit}", kind)
        if value is not None and one is not None:
            return _whole(_rounded(call, value / one))
    raise call.failure(f'"{text}" is no scalar that can be told in "{unit}"', hint="for instance 4 GB in MB")


def _rounded(call: Call, value: float) -> float:
    wanted = bare(call.option("round"))
    if wanted is None:
        return value
    if wanted in _ROUNDINGS:
        # what a unit's factor adds or loses in the last digits makes no other number
        return _ROUNDINGS[wanted](round(value, 9))
    if isinstance(wanted, int) and not isinstance(wanted, bool):
        return round(value, wanted)
    raise call.failure(f'round is "{wanted}"', hint="it is a number of digits, ceil, floor or round")


def _pair(call: Call) -> tuple[Any, Any]:
    first, second = call.operands(2, 2)
    return bare(call.operand(first)), bare(call.operand(second))


def _compare(call: Call, compare: Callable[[Any, Any], bool]) -> bool:
    first, second = _pair(call)
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
    try:
        return compute(_number(call, first), _number(call, second))
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


def _scalar(call: Call, text: str) -> float:
    value = scalar_value(text, "scalar-unit")
    if value is None:
        raise call.failure(f'"{text}" is no scalar with a unit', hint="for instance 4 GB, 10 s or 2.4 GHz")
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
