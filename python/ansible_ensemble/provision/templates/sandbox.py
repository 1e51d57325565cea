"""Jinja for templates of machines: the filters whose result is about as large as what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ansible_ensemble.core.bounded_jinja import Bounded
from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.sprig.encoding import encoded

_FILTERS = (
    "abs bool capitalize count d default dictsort first float int items last length list lower map max min reject"
    " rejectattr reverse select selectattr sort string title trim unique upper urlencode wordcount"
)
_GLOBALS = ("dict", "namespace", "range")


class BoundedEnvironment(Bounded, ImmutableSandboxedEnvironment):
    """The environment of one rendering."""

    def __init__(self, budget: Budget, texts: Mapping[str, str]) -> None:
        super().__init__(
            loader=_Texts(texts),
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            optimized=False,
            finalize=self.paid,
        )
        self.filters = {name: self.paying(call) for name, call in self.filters.items() if name in _FILTERS.split()}
        self.filters |= {"indent": self._indent, "join": self.join, "replace": self.replace, "trim": self.trim}
        self.filters |= {"round": _round, "tojson": self._to_json}
        self.globals = {name: self.globals[name] for name in _GLOBALS}
        self.concat = self.concatenated  # type: ignore[method-assign]
        self.bound(budget)

    def paid(self, value: Any) -> Any:
        """A value that is text or data; nothing else is printed."""
        if not isinstance(value, (str, int, float, list, tuple, dict, Undefined, type(None))):
            raise Fault(f"a {type(value).__name__} is no value")
        return super().paid(value)

    def _indent(self, text: str, width: int = 4, first: bool = False) -> str:
        self.budget.hold(len(text) + (text.count("\n") + 1) * max(width, 0))
        pad = " " * width
        lines = text.split("\n")
        indented = [pad + line if line and (first or number) else line for number, line in enumerate(lines)]
        return "\n".join(indented)

    def _to_json(self, value: Any, indent: int = 0) -> str:
        self.budget.hold(max(indent, 0) * 100)
        self.budget.pay(value)
        return encoded(value, " " * indent, html=False)


class _Texts(BaseLoader):
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def get_source(self, _environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], template, lambda: True


def _round(value: float, precision: int = 0) -> float:
    if abs(precision) > 100:
        raise Fault("the precision is too large")
    return round(float(value), precision)
