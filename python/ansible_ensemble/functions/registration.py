"""How a Python function becomes what a function of the expression language does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from ansible_ensemble.expressions.context import Function
from ansible_ensemble.expressions.values import parameter
from ansible_ensemble.language.functions import FunctionDeclaration, functions


def implements(
    name: str, *, taints: bool = True, safe: bool = True, runs: bool = False
) -> Callable[[Callable[..., Any]], Function]:
    """Make what a declared function does of a Python function: of a call, and of arguments and options as written.

    Raises:
        TypeError: there is no such declaration, or it has another shape.
    """

    def made(run: Callable[..., Any]) -> Function:
        declaration = functions().get(name)
        if declaration is None:
            raise TypeError(f"there is no declaration of the function {name}")
        if not _fits(run, declaration):
            raise TypeError(f"the function {name} is declared with other arguments or options than it is made with")
        return Function(declaration, run, taints, safe, runs)

    return made


def _fits(run: Callable[..., Any], declaration: FunctionDeclaration) -> bool:
    """Whether a Python function takes, after the call, the arguments and options that are declared."""
    _call, *parameters = inspect.signature(run).parameters.values()
    kinds = [one.kind for one in parameters]
    single = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    least, most = declaration.arguments or (1, 1)
    is_open = inspect.Parameter.VAR_POSITIONAL in kinds
    required = sum(one.default is one.empty for one in single)
    fits = (required <= least if is_open else required == least) and most == (None if is_open else len(single))
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return fits and bool(declaration.options)
    options = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    return fits and options == {parameter(option) for option in declaration.options}


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
