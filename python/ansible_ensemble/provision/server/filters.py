r"""What a websocket asks to be told of: `type.action.key`.

Each part is `*` for any, or a comma list of names; in names `\1` is a dot, `\2` a comma and `\3` a star.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TypeAlias

#: Type, action and key of events; None is any.
Match: TypeAlias = tuple[str | None, str | None, str | None]

#: How many matches the lists of one filter may stand for.
_MOST = 1000

_ESCAPED = {"\\1": ".", "\\2": ",", "\\3": "*"}


class InvalidFilter(ValueError):
    """A text that asks for no events."""


def parse_filter(text: str) -> list[Match]:
    """The matches that a filter stands for; the key may contain dots.

    Raises:
        InvalidFilter: it has not three parts, or stands for too many.
    """
    parts = text.split(".", 2)
    if len(parts) != 3 or not all(parts):
        raise InvalidFilter("a filter is type.action.key")
    named = [_names(part) for part in parts]
    if len(named[0]) * len(named[1]) * len(named[2]) > _MOST:
        raise InvalidFilter("the filter is too long")
    types, actions, keys = named
    return list(product(types, actions, keys))


def matches_of(type_: str, action: str, key: str) -> Iterator[Match]:
    """The matches that an event fulfils."""
    return product((type_, None), (action, None), (key, None))


def _names(part: str) -> list[str | None]:
    return [None if name == "*" else _unescaped(name) for name in part.split(",")]


def _unescaped(name: str) -> str:
    for escaped, meant in _ESCAPED.items():
        name = name.replace(escaped, meant)
    return name
