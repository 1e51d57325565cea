"""The functions that Go's text/template has of its own; `and` and `or` are part of the evaluator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate import printing
from ansible_ensemble.provision.gotemplate.literals import bytes_of
from ansible_ensemble.provision.gotemplate.values import Value, equal, indexed, length, less, pay, sliced, truth

_HTML = {"\0": "\ufffd", '"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SCRIPT = {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}


def _eq(first: Any, *others: Any) -> bool:
    if not others:
        raise Fault("missing argument for comparison")
    return any(equal(first, other) for other in others)


def _ne(first: Any, second: Any) -> bool:
    return not equal(first, second)


def _lt(first: Any, second: Any) -> bool:
    return less(first, second)


def _le(first: Any, second: Any) -> bool:
    return less(first, second) or equal(first, second)


def _gt(first: Any, second: Any) -> bool:
    return not _le(first, second)


def _ge(first: Any, second: Any) -> bool:
    return not less(first, second)


def _not(value: Any) -> bool:
    return not truth(value)


def _len(value: Any) -> int:
    return length(value)


def _index(value: Any, *indexes: Any) -> Value:
    return indexed(value, indexes)


def _slice(value: Any, *indexes: Any) -> Value:
    return sliced(value, indexes)


def _call(function: Any, *_arguments: Any) -> Value:
    raise Fault("call of nil" if function is None else "no value here is a function")


def _print(budget: Budget, *values: Any) -> str:
    return printing.joined(_paid(budget, values))


def _println(budget: Budget, *values: Any) -> str:
    return printing.line(_paid(budget, values))


def _printf(budget: Budget, format_: str, *values: Any) -> str:
    return printing.formatted(budget, format_, _paid(budget, values))


def _paid(budget: Budget, values: tuple[Value, ...]) -> tuple[Value, ...]:
    pay(budget, values)
    return values


def _argument(budget: Budget, values: tuple[Value, ...]) -> str:
    """The one text that is escaped, as `print` would have it."""
    shown = ["<no value>" if value is None else value for value in values]
    return shown[0] if len(shown) == 1 and isinstance(shown[0], str) else _print(budget, *shown)


def _html(budget: Budget, *values: Any) -> str:
    return "".join(_HTML.get(character, character) for character in _argument(budget, values))


def _js(budget: Budget, *values: Any) -> str:
    return "".join(map(_script, _argument(budget, values)))


def _script(character: str) -> str:
    if character in _SCRIPT:
        return _SCRIPT[character]
    if character < " ":
        return f"\\u00{ord(character):02X}"
    return character if character.isprintable() or character == "\x7f" else f"\\u{_rune(character):04X}"


def _rune(character: str) -> int:
    return 0xFFFD if 0xDC80 <= ord(character) <= 0xDCFF else ord(character)


def _urlquery(budget: Budget, *values: Any) -> str:
    return quote_plus(bytes_of(_argument(budget, values)), safe="~")


TABLE: dict[str, Callable[..., Value]] = {
    "call": _call,
    "eq": _eq,
    "ge": _ge,
    "gt": _gt,
    "html": _html,
    "index": _index,
    "js": _js,
    "le": _le,
    "len": _len,
    "lt": _lt,
    "ne": _ne,
    "not": _not,
    "print": _print,
    "printf": _printf,
    "println": _println,
    "slice": _slice,
    "urlquery": _urlquery,
}
JUNCTIONS = ("and", "or")
