"""How a Python function becomes a function of the expression language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from ansible_ensemble.expressions.context import Call, Function


def function(
    *names: str,
    top: bool = False,
    list_only: bool = False,
    options: tuple[str, ...] = (),
    taints: bool = True,
    safe: bool = True,
    runs: bool = False,
) -> Callable[[Callable[[Call], Any]], tuple[Function, ...]]:
    """Make a function of the language of a Python function; several names are aliases."""

    def made(run: Callable[[Call], Any]) -> tuple[Function, ...]:
        doc = run.__doc__ or ""
        return tuple(Function(name, run, top, list_only, frozenset(options), taints, safe, runs, doc) for name in names)

    return made


def functions_of(module: ModuleType) -> Iterator[Function]:
    """The functions of the language that a module defines, in order."""
    for value in vars(module).values():
        if isinstance(value, tuple) and value and isinstance(value[0], Function):
            yield from value
