"""Values as text: like YAML, on one line if short, without control characters."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

from ansible_ensemble.core.json_text import not_finite
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import REDACTED, Sensitive

#: The longest value that is shown on one line.
ONE_LINE = 72
#: The most lines of a value that are shown when not all are asked for.
FEW_LINES = 12
#: Characters of a line that are shown at least where not all is asked for.
LONG_LINE = 1000

_SECRET = "(sensitive value)"
_WORDS = frozenset(("", "<<", "null", "~", "true", "false", "yes", "no", "on", "off", ".inf", "+.inf", "-.inf", ".nan"))
_PUNCTUATION = frozenset(",[]{}?")
_NUMBER = regex(r"[-+]?(\.\d+|\d[\d_]*(\.\d*)?)([eE][-+]?\d+)?\Z|0[xo][\da-fA-F]+\Z")
_PLAIN = regex(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`](.*\S)?\Z|-[^\s].*\S\Z|/.*\Z")


def clean(text: str) -> str:
    """The text with control characters written out, so that a value cannot move the cursor or set colours."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def is_secret(value: Any) -> bool:
    """Whether the value is redacted, or marked as sensitive."""
    return isinstance(value, Sensitive) or (isinstance(value, str) and value == REDACTED)


def one_line(value: Any) -> str:
    """The value on one line, however long."""
    if is_secret(value):
        return _SECRET
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return not_finite(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_inner(key)}: {_inner(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_inner, value)) + "]"
    return clean(str(value))


def _inner(value: Any) -> str:
    """The value inside a list or map, where a text with their punctuation needs quotes."""
    if isinstance(value, str) and not is_secret(value) and not _PUNCTUATION.isdisjoint(value):
        return _quoted(value)
    return one_line(value)


def _string(text: str) -> str:
    if (
        text.lower() in _WORDS
        or _NUMBER.match(text)
        or not _PLAIN.match(text)
        or ": " in text
        or " #" in text
        or text.endswith(":")
        or not text.isprintable()
    ):
        return _quoted(text)
    return text


def _quoted(text: str) -> str:
    return json.dumps(clean(text), ensure_ascii=False)


def is_short(value: Any) -> bool:
    """Whether the value is best shown on one line."""
    return not _has_lines(value) and len(one_line(value)) <= ONE_LINE


def _has_lines(value: Any) -> bool:
    if is_secret(value):
        return False
    if isinstance(value, dict):
        return any(map(_has_lines, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_lines, value))
    return isinstance(value, str) and "\n" in value.rstrip("\n")


def block(value: Any) -> list[str]:
    """The value as lines of block-style YAML, without the indentation of the place it is put at."""
    if is_secret(value):
        return [_SECRET]
    if isinstance(value, str) and "\n" in value:
        return clean(value).rstrip("\n").split("\n")
    if isinstance(value, dict) and value:
        return [line for key, item in value.items() for line in _entry(f"{one_line(key)}:", item, "  ")]
    if isinstance(value, (list, tuple)) and value:
        return [line for item in value for line in _entry("-", item, "  ")]
    return [one_line(value)]


def _entry(head: str, value: Any, indent: str) -> Iterable[str]:
    if is_short(value):
        return [f"{head} {one_line(value)}"]
    mark = " |" if isinstance(value, str) and "\n" in value else ""
    return [head + mark, *(indent + line for line in block(value))]


def _lines(value: Any) -> list[str]:
    if isinstance(value, str) and "\n" in value and not is_secret(value):
        return clean(value).removesuffix("\n").split("\n")  # empty ones at its end may be what differs
    return block(value)


def diff_lines(before: Any, after: Any, context: int = 2) -> list[str]:
    """The lines that differ, each with `+ `, `- ` or blanks before it, and `...` where equal lines are left out."""
    import difflib  # here, for few values have differences to show

    old = [] if before is None else _lines(before)
    new = [] if after is None else _lines(after)
    lines = difflib.unified_diff(old, new, n=context, lineterm="")
    shown: list[str] = []
    for number, line in enumerate(lines):
        if number < 2:
            continue
        if line.startswith("@@"):
            if shown or not line.startswith(("@@ -1,", "@@ -1 ", "@@ -0,")):
                shown.append("  ...")
            continue
        shown.append(f"{line[0]} {line[1:]}")
    return shown


def few(lines: list[str], *, every: bool, limit: int = FEW_LINES) -> list[str]:
    """The lines, or the first of them and how many more there are; long ones without their ends."""
    if every:
        return lines
    shown = [line if len(line) <= LONG_LINE + 100 else _without_end(line) for line in lines[: limit + 1]]
    if len(lines) <= limit + 1:
        return shown
    return [*shown[:limit], f"... ({len(lines) - limit} more lines; -v shows all)"]


def _without_end(line: str) -> str:
    return f"{line[:LONG_LINE]}... ({len(line) - LONG_LINE} more characters; -v shows all)"
