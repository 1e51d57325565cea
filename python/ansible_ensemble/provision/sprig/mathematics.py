"""Integers of 64 bits, and floats by way of decimals."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable
from decimal import Decimal
from functools import reduce
from typing import Any

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.values import Value
from ansible_ensemble.provision.sprig.conversion import floating, integer, wrapped


def _add(*values: Any) -> int:
    return wrapped(sum(map(integer, values)))


def _add1(value: Any) -> int:
    return wrapped(integer(value) + 1)


def _sub(first: Any, second: Any) -> int:
    return wrapped(integer(first) - integer(second))


def _mul(first: Any, *others: Any) -> int:
    return reduce(lambda product, factor: wrapped(product * integer(factor)), others, integer(first))


def _div(first: Any, second: Any) -> int:
    """Division towards zero."""
    return wrapped(_quotient(integer(first), integer(second)))


def _mod(first: Any, second: Any) -> int:
    dividend, divisor = integer(first), integer(second)
    return dividend - _quotient(dividend, divisor) * divisor


def _quotient(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise Fault("integer divide by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _max(first: Any, *others: Any) -> int:
    return max(map(integer, (first, *others)))


def _min(first: Any, *others: Any) -> int:
    return min(map(integer, (first, *others)))


def _maxf(first: Any, *others: Any) -> float:
    return max(map(floating, (first, *others)))


def _minf(first: Any, *others: Any) -> float:
    return min(map(floating, (first, *others)))


def _decimal(value: Any) -> Decimal:
    number = floating(value)
    if not math.isfinite(number):
        raise Fault(f"Cannot create a Decimal from {number}")
    return Decimal(repr(number))


def _folded(step: Callable[[Decimal, Decimal], Decimal], values: tuple[Any, ...]) -> float:
    return float(reduce(step, map(_decimal, values)))


def _addf(*values: Any) -> float:
    return _folded(lambda total, value: total + value, (0, *values))


def _add1f(value: Any) -> float:
    return _addf(value, 1)


def _subf(first: Any, *others: Any) -> float:
    return _folded(lambda total, value: total - value, (first, *others))


def _mulf(first: Any, *others: Any) -> float:
    return _folded(lambda total, value: total * value, (first, *others))


def _divf(first: Any, *others: Any) -> float:
    if any(not floating(other) for other in others):
        raise Fault("decimal division by 0")
    return _folded(lambda total, value: total / value, (first, *others))


def _ceil(value: Any) -> float:
    number = floating(value)
    return float(math.ceil(number)) if math.isfinite(number) else number


def _floor(value: Any) -> float:
    number = floating(value)
    return float(math.floor(number)) if math.isfinite(number) else number


def _round(value: Any, places: int, *options: float) -> float:
    """Rounds up from the fraction that the option gives, a half by default."""
    scaled = floating(value) * 10.0 ** max(min(places, 300), -300)
    if not math.isfinite(scaled):
        return floating(value)
    fraction, whole = math.modf(scaled)
    up = fraction >= (options[0] if options else 0.5)
    return (
        (math.ceil(scaled) if up else math.floor(scaled)) / 10.0 ** max(min(places, 300), -300)
        if up or whole or fraction
        else 0.0
    )


def _until(budget: Budget, count: int) -> list[int]:
    return _until_step(budget, 0, count, 1 if count > 0 else -1)


def _until_step(budget: Budget, start: int, stop: int, step: int) -> list[int]:
    if step == 0 or (stop < start) != (step < 0):
        return []
    numbers = range(start, stop, step)
    budget.items(len(numbers))
    return list(numbers)


def _seq(budget: Budget, *bounds: int) -> str:
    """The numbers from a first to a last one, as the command of this name prints them."""
    if not 1 <= len(bounds) <= 3:
        return ""
    start = bounds[0] if len(bounds) > 1 else 1
    end = bounds[-1]
    step = bounds[1] if len(bounds) == 3 else (1 if end >= start else -1)
    if len(bounds) == 3 and (end < start) != (step < 0):
        return ""
    return " ".join(map(str, _until_step(budget, start, end + (1 if end >= start else -1), step)))


def _rand_int(least: int, most: int) -> int:
    if least >= most:
        raise Fault("invalid argument to randInt")
    return least + secrets.randbelow(most - least)


TABLE: dict[str, Callable[..., Value]] = {
    "add": _add,
    "add1": _add1,
    "add1f": _add1f,
    "addf": _addf,
    "biggest": _max,
    "ceil": _ceil,
    "div": _div,
    "divf": _divf,
    "floor": _floor,
    "max": _max,
    "maxf": _maxf,
    "min": _min,
    "minf": _minf,
    "mod": _mod,
    "mul": _mul,
    "mulf": _mulf,
    "randInt": _rand_int,
    "round": _round,
    "seq": _seq,
    "sub": _sub,
    "subf": _subf,
    "until": _until,
    "untilStep": _until_step,
}
