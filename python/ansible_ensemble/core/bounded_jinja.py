"""Jinja's sandbox, bounded: templates can neither leave it nor make it work without end.

The base of each environment that renders templates of somebody who is not trusted: of a project, and of the server of
machines. Loops, calls, inclusions, filters and all that puts values together pay from a budget, and only those
attributes can be reached that are named here: none of functions, modules, frames, classes or exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time, timedelta
from functools import partial, wraps
from types import BuiltinMethodType, MethodType
from typing import Any

from jinja2 import Environment, Template, Undefined, nodes
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import SandboxedEnvironment, SandboxedFormatter
from jinja2.utils import Cycler, Namespace

from ansible_ensemble.core.budget import CHARACTERS_PER_STEP, MOST_BITS, Budget, Fault
from ansible_ensemble.core.regex import regex

COUNTED, PAID = "a turn", "a value"  # filters that are put in; no template can say these names
_OF_JINJA = (Environment, Context, nodes.EvalContext)
_MADE = (nodes.Concat, nodes.List, nodes.Tuple, nodes.Dict)
_WIDE = regex(r"\d{5}")
_PERCENT = regex(r"%(?:\([^)]*\))?[#0\- +]*(\*|\d{5,})?(?:\.(\*|\d{5,})?)?")

_OF_TEXTS = (
    "capitalize casefold center count endswith expandtabs find format format_map index isalnum isalpha isascii"
    " isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip"
    " partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines"
    " startswith strip swapcase title upper zfill"
)
#: Methods of texts that may compare each character with each of what they are given.
_SLOW = frozenset({"lstrip", "rfind", "rindex", "rpartition", "rsplit", "rstrip", "strip"})
_OF_TIMES = (
    "astimezone date day days fold hour isocalendar isoformat isoweekday microsecond microseconds minute month second"
    " seconds strftime time timestamp timetuple total_seconds tzinfo utcoffset weekday year"
)
_OF_LOOPS = "changed cycle depth depth0 first index index0 last length nextitem previtem revindex revindex0"
_ATTRIBUTES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (str, _OF_TEXTS),
    ((list, tuple), "copy count index"),
    (Mapping, "copy get items keys values"),
    (LoopContext, _OF_LOOPS),
    (Cycler, "current next reset"),
    ((date, time, timedelta), _OF_TIMES),
)


class Bounded(SandboxedEnvironment):
    """What each bounded environment has: `budget` is what the rendering under way may use."""

    intercepted_binops = frozenset({"+", "*", "**", "%", "//"})
    budget: Budget

    def bound(self, budget: Budget) -> None:
        """Take a budget; filters have been chosen."""
        self.budget = budget
        self.filters.update({COUNTED: self.counted, PAID: self.paid})

    def _generate(self, source: nodes.Template, *arguments: Any, **options: Any) -> str:
        """Let loops count their turns, and what is put together be paid for."""
        for loop in source.find_all(nodes.For):
            loop.iter = _through(COUNTED, loop.iter)
        for node in [source, *source.find_all(nodes.Node)]:
            for name, child in node.iter_fields():
                if isinstance(child, list):
                    setattr(node, name, [_paid_for(item) for item in child])
                else:
                    setattr(node, name, _paid_for(child))
        return super()._generate(source, *arguments, **options)

    def _load_template(self, name: str, globals: Any) -> Template:
        self.budget.spend()
        return super()._load_template(name, globals)

    def call(self, context: Context, called: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call something; the call, its arguments and what it gives are paid for."""
        self.pay_all(*arguments, *named.values())
        result = super().call(context, called, *arguments, **named)
        if isinstance(result, range):  # to look for something in it takes one long step
            self.budget.items(_length(result))
        return self.paid(result) if isinstance(result, (str, list, dict, tuple)) else result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Put two values together, if the result is not too large."""
        self.pay_all(left, right)
        if operator == "%" and isinstance(left, str):
            self.percent(left, right)
        if operator == "*" and not (isinstance(left, (int, float)) and isinstance(right, (int, float))):
            self.budget.hold(_size(left) * _size(right))
        if isinstance(left, int) and isinstance(right, int) and _bits(operator, left, right) > MOST_BITS:
            raise Fault("the number is too large")
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether an attribute is one of those that are named above."""
        if attr.startswith("_"):
            return False
        if isinstance(obj, (Namespace, Undefined)):
            return isinstance(obj, Namespace) or isinstance(value, Undefined)
        known = next((names for kinds, names in _ATTRIBUTES if isinstance(obj, kinds)), "")
        return attr in known.split() and super().is_safe_attribute(obj, attr, value)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """An attribute, else an item; methods that make much of little pay."""
        return self.paying_method(super().getattr(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An item, else an attribute; methods that make much of little pay."""
        return self.paying_method(super().getitem(obj, argument))

    def wrap_str_format(self, value: Any) -> Any:
        """Jinja's own hook for this, where its version has one; see `getattr`."""
        made = self.paying_method(value)
        return None if made is value else made

    def paying_method(self, value: Any) -> Any:
        """A method of a text that can make much of little, or reach what it formats, such that it is bounded.

        At access, as it can be called by other ways than `call`.
        """
        if not isinstance(value, (MethodType, BuiltinMethodType)) or not isinstance(value.__self__, str):
            return value
        text, name = value.__self__, value.__name__
        if name in ("format", "format_map"):
            return partial(self._format if name == "format" else self._format_map, text)
        if name == "join":
            return lambda values: self.join(values, text)
        if name == "replace":
            return partial(self.replace, text)
        if name in _SLOW:
            return partial(self._compared, value, text)
        if name in ("center", "ljust", "rjust", "zfill", "expandtabs"):
            return partial(self._padded, value, text)
        return value

    def _padded(self, method: Callable[..., str], text: str, *arguments: Any) -> str:
        width = arguments[0] if arguments and isinstance(arguments[0], int) else 0
        self.budget.hold(max(width, 0) * (text.count("\t") if method.__name__ == "expandtabs" else 1) + len(text))
        return method(*arguments)

    def _compared(self, method: Callable[..., Any], text: str, *arguments: Any, **named: Any) -> Any:
        self.pay_comparison(text, *arguments, *named.values())
        return method(*arguments, **named)

    def pay_comparison(self, text: Any, chars: Any = None, *_more: Any) -> None:
        """Pay for comparing each character of a text with each of another: Python does so in one step."""
        if isinstance(chars, str):
            self.budget.spend(len(str(text)) * len(chars) // CHARACTERS_PER_STEP)

    def _format(self, text: str, /, *arguments: Any, **named: Any) -> str:
        self.pay_all(*arguments, *named.values())
        return _Formatter(self).vformat(str(text), arguments, named)

    def _format_map(self, text: str, values: Mapping[str, Any], /) -> str:
        return _Formatter(self).vformat(str(text), (), values)

    def percent(self, text: str, values: Any) -> None:
        """Refuse a width that makes much of little, and pay for what `%` makes."""
        if any(match[1] or match[2] for match in _PERCENT.finditer(text)):
            raise Fault("the width in a format is too large")
        self.budget.hold(len(text) + text.count("%") * self.budget.pay(values))

    def concatenated(self, parts: Iterable[str]) -> str:
        """Texts as one; Jinja's `concat`."""
        texts = list(parts)
        self.budget.hold(sum(map(len, texts)))
        return "".join(texts)

    def counted(self, values: Iterable[Any]) -> Iterator[Any]:
        """Items, each of which is a step."""
        for value in values:
            self.budget.spend()
            yield value

    def paid(self, value: Any) -> Any:
        """A value that has been paid for."""
        self.budget.pay(value)
        return value

    def pay_all(self, *values: Any) -> None:
        """Pay for what something is given."""
        self.budget.spend()
        for value in values:
            self.budget.spend(_length(value) if isinstance(value, range) else 0)
            self.budget.pay(value)

    def paying(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that pays for what it is given."""

        @wraps(call)
        def run(*arguments: Any, **named: Any) -> Any:
            given = [value for value in (*arguments, *named.values()) if not isinstance(value, _OF_JINJA)]
            self.pay_all(*given)
            made = call(*arguments, **named)
            return list(self.counted(made)) if isinstance(made, Iterator) else self.paying_method(made)

        return run

    def trim(self, value: Any, chars: str | None = None) -> str:
        """The text without some characters at its ends."""
        text = str(value)
        self.pay_comparison(text, chars)
        return text.strip(chars)

    def join(self, values: Iterable[Any], separator: str = "") -> str:
        """The items as one text."""
        items = list(self.counted(values))
        self.budget.pay(items)
        texts = list(map(str, items))
        self.budget.hold(sum(map(len, texts)) + len(separator) * len(texts))
        return separator.join(texts)

    def replace(self, value: Any, old: str, new: str, count: int = -1) -> str:
        """The text with one part for another."""
        text = str(self.paid(value))
        self.budget.hold(len(text) + text.count(old) * len(new))
        return text.replace(old, new, -1 if count is None else count)


class _Formatter(SandboxedFormatter):
    """`str.format`, whose fields are looked up in the sandbox."""

    def __init__(self, environment: Bounded) -> None:
        super().__init__(environment)
        self._budget, self._made = environment.budget, 0

    def convert_field(self, value: Any, conversion: Any) -> Any:
        self._budget.pay(value)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        if _WIDE.search(format_spec):
            raise Fault("the width in a format is too large")
        self._budget.pay(value)
        text = str(super().format_field(value, format_spec))
        self._made += len(text)
        self._budget.hold(self._made)
        return text


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
        node.nodes = [_through(PAID, item) for item in node.nodes]
    return _through(PAID, node)


def _length(values: range) -> int:
    return max(0, (values.stop - values.start) // values.step + 1)  # `len` fails for the longest


def _size(value: Any) -> int:
    """How often a multiplication repeats, or how long what it repeats is."""
    if isinstance(value, (str, list, tuple)):
        return len(value)
    return max(value, 0) if isinstance(value, int) else 0


def _bits(operator: str, left: int, right: int) -> int:
    if operator == "**":
        return left.bit_length() * max(right, 0)
    return left.bit_length() + right.bit_length()
