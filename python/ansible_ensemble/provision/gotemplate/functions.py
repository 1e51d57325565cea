"""What templates may call: functions with the types of their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_type_hints

from msgspec import Struct

from ansible_ensemble.core.budget import Budget, Fault


class Function(Struct, frozen=True):
    """A function with its signature, which is read from its annotations.

    Attributes:
        call: the function.
        parameters: types of the arguments; Any takes everything.
        rest: the type of further arguments; None when there are none.
        budgeted: whether it takes the budget first.
    """

    call: Callable[..., Any]
    parameters: tuple[Any, ...]
    rest: Any
    budgeted: bool

    def check_count(self, name: str, count: int) -> None:
        """Raise Fault when there are too few or too many arguments."""
        least = len(self.parameters)
        if self.rest is None and count != least:
            raise Fault(f"wrong number of args for {name}: want {least} got {count}")
        if count < least:
            raise Fault(f"wrong number of args for {name}: want at least {least} got {count}")

    def type_at(self, position: int) -> Any:
        """The type of an argument."""
        return self.parameters[position] if position < len(self.parameters) else self.rest


@cache
def function_of(call: Callable[..., Any], method: bool = False) -> Function:
    """The function that a Python function is; of a method, the object itself is no argument."""
    hints = get_type_hints(call)
    parameters = list(inspect.signature(call).parameters.values())[1 if method else 0 :]
    budgeted = bool(parameters) and hints.get(parameters[0].name) is Budget
    parameters = parameters[1:] if budgeted else parameters
    rest = next((hints[p.name] for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    fixed = tuple(hints[p.name] for p in parameters if p.kind is not p.VAR_POSITIONAL)
    return Function(call, fixed, rest, budgeted)


def functions_of(table: Mapping[str, Callable[..., Any]]) -> dict[str, Function]:
    """A table of functions."""
    return {name: function_of(call) for name, call in table.items()}


def methods_of(table: Mapping[str, Callable[..., Any]]) -> dict[str, Function]:
    """A table of methods."""
    return {name: function_of(call, method=True) for name, call in table.items()}
