"""How a Python function becomes what a function of the expression language does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from ansible_ensemble.expressions.context import Function
from ansible_ensemble.language.functions import functions


def implements(
    name: str, *, taints: bool = True, safe: bool = True, runs: bool = False
) -> Callable[[Callable[..., Any]], Function]:
    """Make what a declared function does of a Python function: of a call, and of arguments and options as written."""
    return lambda run: Function(functions()[name], run, taints, safe, runs)


def functions_of(modules: tuple[ModuleType, ...], others: tuple[Function, ...] = ()) -> Mapping[str, Function]:
    """The functions that modules implement, and others, by name and alias.

    Raises:
        TypeError: a declared function is implemented nowhere.
    """
    made = [*(one for module in modules for one in _made(module)), *others]
    found = {name: one for one in made for name in one.declaration.names}
    missing = functions().keys() - found.keys()
    if missing:
        raise TypeError(f"nothing implements {', '.join(sorted(missing))}")
    return found


def _made(module: ModuleType) -> Iterator[Function]:
    return (one for one in vars(module).values() if isinstance(one, Function))
