"""Functions of TOSCA 2.0 that 1.3 does not have. Operands are expressions: text is a path, `{q: text}` is text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ansible_ensemble.expressions.context import Call, Function
from ansible_ensemble.expressions.keywords import entity
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.language.conditions import FUNCTIONS, OPERATORS
from ansible_ensemble.language.functions import functions
from ansible_ensemble.language.schema import clause_fault
from ansible_ensemble.language.values import violation
from ansible_ensemble.views.data import bare, plain
from ansible_ensemble.views.entities import NodeView


def _fits(operator: str) -> Callable[[Any, Any], bool]:
    """Whether a value meets a constraint, as those of properties are checked."""

    def fits(value: Any, clause: Any) -> bool:
        fault = clause_fault(operator, clause)
        if fault is not None:
            raise ValueError(fault)
        return violation(value, {operator: clause}) is None

    return fits


def _whole(rounded: Callable[[float], int]) -> Callable[[Any], int]:
    def of_number(number: Any) -> int:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise TypeError("it needs a number")
        return rounded(number)

    return of_number


def _of_values(made: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the values of its operands, of which its declaration says how many there are."""

    def run(call: Call, *operands: Any) -> Any:
        try:
            return made(*[bare(plain(call.operand(one))) for one in operands])
        except (TypeError, AttributeError, ValueError) as error:
            raise call.failure(f"{call.name} takes values of other types: {error}") from error

    return run


_MADE: Mapping[str, Callable[..., Any]] = {
    **FUNCTIONS,
    **{name: _fits(operator) for name, operator in OPERATORS.items()},
    "round": _whole(lambda number: math.ceil(number - 0.5)),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
}
#: Functions of values that are declared; others, such as `$and`, are those of 1.3 by another name.
OF_VALUES = tuple(
    Function(functions()[f"${name}"], _of_values(made)) for name, made in _MADE.items() if f"${name}" in functions()
)


@implements("$node_index")
def _node_index(call: Call, name: Any = None) -> Any:
    node = entity(call.context, call.text(name) if name is not None else "SELF").owner
    if not isinstance(node, NodeView):
        raise call.failure(f"{call.name} is of an instance")
    return [one.name for one in node.siblings()].index(node.name)
