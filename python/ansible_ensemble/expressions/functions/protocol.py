"""What a function of the expression language is, and what it gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.documents.scalars import as_written, is_written
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.data import bare


@dataclass(slots=True)
class Call:
    """One call of a function.

    Attributes:
        name: the function's name.
        raw: what is given to it, not evaluated.
        expression: the map it stands in, with its options.
        context: where it is evaluated.
        sensitive: whether a value given to it was sensitive.
    """

    name: str
    raw: Any
    expression: Mapping[Any, Any]
    context: Context
    sensitive: bool = False

    def value(self, raw: Any) -> Any:
        """The value of what is given: text is text."""
        return self._noted(self.context.evaluate(raw))

    def operand(self, raw: Any) -> Any:
        """The value of an operand: text is a path, `{q: text}` is text."""
        return self._noted(self.context.query(raw))

    def option(self, name: str, default: Any = None) -> Any:
        """The value of an option beside the function."""
        return self.value(self.expression[name]) if self.expression.get(name) is not None else default

    def operands(self, least: int, most: int | None = None) -> list[Any]:
        """What is given as a list of raw operands.

        Raises:
            InvalidInput: they are too few or too many.
        """
        operands = self.raw if isinstance(self.raw, list) else [self.raw]
        if len(operands) < least or (most is not None and len(operands) > most):
            wanted = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
            raise self.failure(f"{self.name} takes {wanted} arguments and got {len(operands)}")
        return operands

    def text(self, raw: Any) -> str:
        """The value of what is given as text.

        Raises:
            InvalidInput: it is a map or a list.
        """
        given = self.value(raw)
        value = given if is_written(given) else bare(given)
        if isinstance(value, (dict, list)) or value is None:
            kind = "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else "null"
            raise self.failure(f"{self.name} needs text and got {kind}")
        return as_text(value)

    def failure(self, message: str, hint: str | None = None) -> InvalidInput:
        """An error that names the expression and where it stands."""
        return self.context.failure(message, hint)

    def _noted(self, value: Any) -> Any:
        self.sensitive = self.sensitive or is_sensitive(value)
        return value


def as_text(value: Any) -> str:
    """A scalar as it is written in YAML."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return as_written(value)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the expression language.

    Attributes:
        name: what it is called by.
        run: computes it.
        top: whether it may stand without `eval` around it.
        list_only: whether it is one only if it is given a list (its name is a common key of data).
        options: keys that may stand beside it.
        taints: whether its result is sensitive if a value given to it is.
        safe: whether an expression that was put together from other values may use it.
        runs: whether it runs code of the project or reaches the system, which takes trust.
        doc: what it does, with an example.
    """

    name: str
    run: Callable[[Call], Any]
    top: bool = False
    list_only: bool = False
    options: frozenset[str] = frozenset()
    taints: bool = True
    safe: bool = True
    runs: bool = False
    doc: str = ""


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
