"""Regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from time import thread_time_ns

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.values import Value
from ansible_ensemble.provision.rules.pattern import InvalidPattern, Match, Pattern, compiled

_REFERENCE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))", re.ASCII)

# One step of the evaluator takes some microseconds. A search reads each character once, with at worst all of the
# expression's program. But for each match, all that is behind it may be read: that is paid for as it takes time.
_WORK_PER_STEP = 500
_NANOSECONDS_PER_STEP = 5_000


def _expression(budget: Budget, pattern: str, text: str) -> Pattern:
    """A compiled pattern, and pay for a search in a text."""
    try:
        expression = compiled(pattern)
    except InvalidPattern as error:
        raise Fault(str(error)) from None
    budget.spend(1 + expression.size * len(text) // _WORK_PER_STEP)
    return expression


def _all(budget: Budget, expression: Pattern, text: str) -> Iterator[Match]:
    paid = thread_time_ns()
    for match in expression.all(text):
        steps = (thread_time_ns() - paid) // _NANOSECONDS_PER_STEP
        budget.spend(1 + steps)
        paid += steps * _NANOSECONDS_PER_STEP
        yield match


def _matched(match: Match, text: str, group: int = 0) -> str:
    start, end = match.span(group)
    return text[start:end]


def _match(budget: Budget, pattern: str, text: str) -> bool:
    try:
        compiled(pattern)
    except InvalidPattern:
        return False
    return _must_match(budget, pattern, text)


def _must_match(budget: Budget, pattern: str, text: str) -> bool:
    return _expression(budget, pattern, text).is_in(text)


def _find(budget: Budget, pattern: str, text: str) -> str:
    match = _expression(budget, pattern, text).first(text)
    return _matched(match, text) if match else ""


def _find_all(budget: Budget, pattern: str, text: str, most: int) -> list[str]:
    matches = _all(budget, _expression(budget, pattern, text), text)
    return [_matched(match, text) for match in islice(matches, None if most < 0 else most)]


def _replaced(budget: Budget, expression: Pattern, text: str, new: Callable[[Match], str]) -> str:
    parts, end, size = list[str](), 0, len(text)
    for match in _all(budget, expression, text):
        start, after = match.span()
        parts += [text[end:start], new(match)]
        end = after
        size += len(parts[-1])
        if size > budget.limits.output:
            budget.hold(size)
    return "".join([*parts, text[end:]])


def _replace_literally(budget: Budget, pattern: str, text: str, new: str) -> str:
    return _replaced(budget, _expression(budget, pattern, text), text, lambda _match: new)


def _replace(budget: Budget, pattern: str, text: str, new: str) -> str:
    """Replace all matches; `$1` and `${name}` stand for what a group has matched."""
    expression = _expression(budget, pattern, text)

    def expanded(match: Match) -> str:
        budget.hold(len(new))
        return _REFERENCE.sub(lambda reference: _referred(reference, expression, match, text), new)

    return _replaced(budget, expression, text, expanded)


def _referred(reference: re.Match[str], expression: Pattern, match: Match, text: str) -> str:
    if reference[1]:
        return "$"
    name = reference[2] or reference[3]
    number = int(name[:6]) if name.isdecimal() else expression.names.get(name, -1)
    return _matched(match, text, number) if 0 <= number <= expression.groups else ""


def _split(budget: Budget, pattern: str, text: str, most: int) -> list[str]:
    expression = _expression(budget, pattern, text)
    if most == 0:
        return []
    if pattern and not text:
        return [""]
    parts, start, end = list[str](), 0, 0
    for match in _all(budget, expression, text):
        if 0 < most == len(parts) + 1:
            break
        end, after = match.span()
        if after != 0:
            parts.append(text[start:end])
        start = after
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
