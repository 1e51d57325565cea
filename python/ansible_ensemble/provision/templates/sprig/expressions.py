"""Regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from ..budget import Budget
from ..fault import Fault
from ..patterns.matcher import Expression, Spans, compiled
from ..values import Value

_REFERENCE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))", re.ASCII)


def _match(budget: Budget, pattern: str, text: str) -> bool:
    try:
        expression = compiled(pattern)
    except Fault:
        return False
    return expression.find(budget, text) is not None


def _must_match(budget: Budget, pattern: str, text: str) -> bool:
    return compiled(pattern).find(budget, text) is not None


def _find(budget: Budget, pattern: str, text: str) -> str:
    spans = compiled(pattern).find(budget, text)
    return text[spans[0] : spans[1]] if spans else ""


def _find_all(budget: Budget, pattern: str, text: str, most: int) -> list[str]:
    matches = islice(compiled(pattern).all(budget, text), None if most < 0 else most)
    return [text[spans[0] : spans[1]] for spans in matches]


def _replaced(budget: Budget, pattern: str, text: str, new: Callable[[Expression, Spans], str]) -> str:
    expression, parts, end, size = compiled(pattern), list[str](), 0, len(text)
    for spans in expression.all(budget, text):
        parts += [text[end : spans[0]], new(expression, spans)]
        end = spans[1]
        size += len(parts[-1])
        if size > budget.limits.output:
            budget.hold(size)
    return "".join([*parts, text[end:]])


def _replace_literally(budget: Budget, pattern: str, text: str, new: str) -> str:
    return _replaced(budget, pattern, text, lambda _expression, _spans: new)


def _replace(budget: Budget, pattern: str, text: str, new: str) -> str:
    """Replace all matches; `$1` and `${name}` stand for what a group has matched."""

    def expanded(expression: Expression, spans: Spans) -> str:
        budget.hold(len(new))
        return _REFERENCE.sub(lambda match: _referred(match, expression, spans, text), new)

    return _replaced(budget, pattern, text, expanded)


def _referred(match: re.Match[str], expression: Expression, spans: Spans, text: str) -> str:
    if match[1]:
        return "$"
    name = match[2] or match[3]
    number = int(name[:6]) if name.isdecimal() else expression.names.get(name, -1)
    if not 0 <= number < expression.groups or spans[2 * number] < 0:
        return ""
    return text[spans[2 * number] : spans[2 * number + 1]]


def _split(budget: Budget, pattern: str, text: str, most: int) -> list[str]:
    expression = compiled(pattern)
    if most == 0:
        return []
    if pattern and not text:
        return [""]
    parts, start, end = list[str](), 0, 0
    for spans in expression.all(budget, text):
        if 0 < most == len(parts) + 1:
            break
        end = spans[0]
        if spans[1] != 0:
            parts.append(text[start:end])
        start = spans[1]
    return [*parts, text[start:]] if end != len(text) else parts


def _quote_meta(text: str) -> str:
    return re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text)


TABLE: dict[str, Callable[..., Value]] = {
    "mustRegexMatch": _must_match,
    "regexFind": _find,
    "regexFindAll": _find_all,
    "regexMatch": _match,
    "regexQuoteMeta": _quote_meta,
    "regexReplaceAll": _replace,
    "regexReplaceAllLiteral": _replace_literally,
    "regexSplit": _split,
}
