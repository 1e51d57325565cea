"""What a Python function gets that asks for it by a first parameter `ctx` or `context`, by the names of Unfurl's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.expressions.context import Call
from ansible_ensemble.views.data import MISSING, bare, plain
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.view import View

_NAMES = ("ctx", "context")


def asks_for_context(run: Callable[..., Any]) -> bool:
    """Whether a function's first parameter is the context."""
    try:
        parameters = iter(inspect.signature(run).parameters)
    except (TypeError, ValueError):  # one that is not written in Python
        return False
    return next(parameters, None) in _NAMES


class Values(Mapping[str, Any]):
    """The properties and attributes of a part of the model; each is evaluated when it is read."""

    def __init__(self, view: View, call: Call) -> None:
        self._view = view
        self._call = call

    def __getitem__(self, name: str) -> Any:
        value = self._view.lookup(name, self._call.context.tracker)
        if value is MISSING:
            raise KeyError(name)
        self._call.sensitive = self._call.sensitive or is_sensitive(value)
        return bare(plain(value))

    def __iter__(self) -> Iterator[str]:
        return iter(self._view.names())

    def __len__(self) -> int:
        return len(self._view.names())


class Template(Struct, frozen=True):
    """What a part of the model was made by."""

    name: str
    type: str


class Resource(Struct, frozen=True):
    """A part of the model: its name and type, its properties and attributes, and its template."""

    name: str
    type: str
    attributes: Values
    template: Template


def _resource(view: View, call: Call) -> Resource:
    name = view.template_name if isinstance(view, NodeView) else view.name
    return Resource(view.name, view.type_name, Values(view, call), Template(name, view.type_name))


class PythonContext:
    """Where a function is evaluated: what for, and with which variables and options."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.kw = call.expression
        self.vars = {name: bare(plain(value)) for name, value in call.context.variables.items()}

    @property
    def currentResource(self) -> Resource | None:  # noqa: N802
        """The part of the model that relative paths start from; None for the topology."""
        view = self._call.context.current
        return _resource(view, self._call) if isinstance(view, View) else None

    def query(self, expression: Any) -> Any:
        """The value of an expression."""
        return bare(plain(self._call.operand(expression)))
