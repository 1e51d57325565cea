"""Jinja's sandbox, bounded: templates can neither leave it nor make it work without end.

Loops, calls, inclusions, filters and all that puts values together pay from the budget. There are only those filters
and methods whose result is about as large as what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound, Undefined, nodes
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from ansible_ensemble.provision.gotemplate.budget import Budget
from ansible_ensemble.provision.gotemplate.fault import Fault
from ansible_ensemble.provision.gotemplate.values import pay
from ansible_ensemble.provision.sprig.encoding import encoded

_FILTERS = (
    "abs bool capitalize count d default dictsort first float int items last length list lower map max min reject"
    " rejectattr reverse select selectattr sort string title trim unique upper urlencode wordcount"
)
_METHODS = (
    "capitalize count endswith find get index isalnum isalpha isdigit islower isnumeric isspace istitle isupper items"
    " keys lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit rstrip split splitlines"
    " startswith strip swapcase title upper values"
)
_OF_LOOPS = "changed cycle depth depth0 first index index0 last length nextitem previtem revindex revindex0"
_GLOBALS = ("dict", "namespace", "range")
_COUNTED, _PAID = "a turn", "a value"  # filters that are put in; no template can say these names
_MOST_BITS = 4096
_MADE = (nodes.Concat, nodes.List, nodes.Tuple, nodes.Dict)


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The environment of one rendering.

    Args:
        budget: what the rendering may use.
        texts: templates that may be included, by name.
    """

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, budget: Budget, texts: Mapping[str, str]) -> None:
        super().__init__(
            loader=_Texts(texts),
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            optimized=False,
            finalize=self._paid,
        )
        self._budget = budget
        self.filters = {name: self._paying(call) for name, call in self.filters.items() if name in _FILTERS.split()}
        self.filters |= {"indent": self._indent, "join": self._join, "replace": self._replace, "round": _round}
        self.filters |= {"tojson": self._to_json, _COUNTED: self._counted, _PAID: self._paid}
        self.globals = {name: self.globals[name] for name in _GLOBALS}
        self.concat = self._concatenated  # type: ignore[method-assign]

    def _generate(self, source: nodes.Template, *arguments: Any, **options: Any) -> str:
        """Let loops count their turns, and what is put together be paid for."""
        for loop in source.find_all(nodes.For):
            loop.iter = _through(_COUNTED, loop.iter)
        for node in [source, *source.find_all(nodes.Node)]:
            for name, child in node.iter_fields():
                if isinstance(child, list):
                    setattr(node, name, [_paid_for(item) for item in child])
                else:
                    setattr(node, name, _paid_for(child))
        return super()._generate(source, *arguments, **options)

    def _load_template(self, name: str, globals: Any) -> Template:
        self._budget.spend()
        return super()._load_template(name, globals)

    def call(self, context: Context, called: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call something; the call, its arguments and what it gives are paid for."""
        self._pay_all(*arguments, *named.values())
        result = super().call(context, called, *arguments, **named)
        return self._paid(result) if isinstance(result, (str, list, dict, tuple)) else result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Put two values together, if the result is not too large."""
        self._pay_all(left, right)
        if operator == "%" and not isinstance(left, (int, float)):
            raise Fault("texts are not formatted by %")
        if operator == "*" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            self._budget.hold(_size(left) * _size(right))
        if isinstance(left, int) and isinstance(right, int) and _bits(operator, left, right) > _MOST_BITS:
            raise Fault("the number is too large")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether an attribute is one of those that are named above."""
        if isinstance(obj, Namespace):
            return not attr.startswith("_")
        known = _METHODS if isinstance(obj, (str, list, tuple, dict)) else _OF_LOOPS
        return attr in known.split() and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """Nothing formats texts: a width in a format may be of any size."""

    def _concatenated(self, parts: Iterable[str]) -> str:
        texts = list(parts)
        self._budget.hold(sum(map(len, texts)))
        return "".join(texts)

    def _counted(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self._budget.spend()
            yield value

    def _paid(self, value: Any) -> Any:
        """A value that is text or data; nothing else is printed."""
        if not isinstance(value, (str, int, float, list, tuple, dict, Undefined, type(None))):
            raise Fault(f"a {type(value).__name__} is no value")
        pay(self._budget, value)
        return value

    def _pay_all(self, *values: Any) -> None:
        self._budget.spend()
        for value in values:
            self._budget.spend(len(value) if isinstance(value, range) else 0)
            pay(self._budget, value)

    def _paying(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that pays for what it is given."""

        @wraps(call)
        def paying(*arguments: Any, **named: Any) -> Any:
            given = [value for value in (*arguments, *named.values()) if not isinstance(value, (Environment, Context))]
            self._pay_all(*given)
            return call(*arguments, **named)

        return paying

    def _join(self, values: Iterable[Any], separator: str = "") -> str:
        items = list(self._counted(values))
        pay(self._budget, items)
        texts = list(map(str, items))
        self._budget.hold(sum(map(len, texts)) + len(separator) * len(texts))
        return separator.join(texts)

    def _replace(self, value: Any, old: str, new: str) -> str:
        text = str(self._paid(value))
        self._budget.hold(len(text) + text.count(old) * len(new))
        return text.replace(old, new)

    def _indent(self, text: str, width: int = 4, first: bool = False) -> str:
        self._budget.hold(len(text) + (text.count("\n") + 1) * max(width, 0))
        pad = " " * width
        lines = text.split("\n")
        indented = [pad + line if line and (first or number) else line for number, line in enumerate(lines)]
        return "\n".join(indented)

    def _to_json(self, value: Any, indent: int = 0) -> str:
        self._budget.hold(max(indent, 0) * 100)
        pay(self._budget, value)
        return encoded(value, " " * indent, html=False)


class _Texts(BaseLoader):
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def get_source(self, _environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        if template not in self._texts:
            raise TemplateNotFound(template)
        return self._texts[template], template, lambda: True


def _through(name: str, value: Any) -> nodes.Filter:
    """A value that goes through a filter."""
    made = nodes.Filter(value, name, [], [], None, None, lineno=value.lineno)
    made.set_environment(value.environment)
    return made


def _paid_for(node: Any) -> Any:
    """An expression that makes a value, such that it pays; what is assigned to is none."""
    if not isinstance(node, _MADE) or (isinstance(node, nodes.Tuple) and node.ctx != "load"):
        return node
    if isinstance(node, nodes.Concat):
        node.nodes = [_through(_PAID, item) for item in node.nodes]
    return _through(_PAID, node)


def _round(value: float, precision: int = 0) -> float:
    if abs(precision) > 100:
        raise Fault("the precision is too large")
    return round(float(value), precision)


def _size(value: Any) -> int:
    """How often a multiplication repeats, or how long what it repeats is."""
    if isinstance(value, (str, list, tuple)):
        return len(value)
    return max(value, 0) if isinstance(value, int) else 0


def _bits(operator: str, left: int, right: int) -> int:
    if operator == "**":
        return left.bit_length() * max(right, 0)
    return left.bit_length() + right.bit_length()
