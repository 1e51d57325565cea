r"""Regular expressions as Go has them, by RE2: they take time in proportion to the text, whatever a request asks for.

What RE2 takes and Go does not is refused here: `\C`, which is a part of a character, and a name of a group that another
group has, or that is not ASCII. Properties of characters (`\p{L}`) are those of RE2's version of Unicode.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

import re2

#: Bytes that a compiled expression may take, with what it remembers of the texts that it has seen.
_MOST_MEMORY = 1024 * 1024

#: Characters of an expression, and its groups: what each step remembers is as long as there are groups.
_LONGEST, _MOST_GROUPS = 10_000, 100

#: Steps of the program of an expression that may run over many texts.
_MOST_STEPS_OF_MANY = 2_000

#: The parts of a valid expression in which `\C` or the beginning of a group may stand for itself or not.
_PART = re.compile(
    r"\\Q.*?(?:\\E|\Z)|(?P<byte>\\C)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?P?<(?P<name>[^>]*)>", re.DOTALL
)
_NO_CHARACTER = re.compile("[\ud800-\udfff]")


class InvalidPattern(ValueError):
    """A text that is no regular expression, or one that is too large."""


class Match(Protocol):
    """Where an expression matches."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Start and end of the whole, or of a group; -1 and -1 for one that is no part of the match."""


class Pattern:
    """A regular expression.

    Attributes:
        groups: how many groups it has.
        names: the numbers of those with names.
        size: of how many steps its program consists.

    Raises:
        InvalidPattern: it is none, or one that is too large.
    """

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise InvalidPattern("error parsing regexp: expression too large")
        try:
            self._regexp = re2.compile(text, _options())
        except UnicodeEncodeError:
            raise InvalidPattern("error parsing regexp: invalid UTF-8") from None
        except re2.error as error:
            raise InvalidPattern(f"error parsing regexp: {error.args[0].decode(errors='replace')}") from None
        _check_as_go_does(text)
        self.groups: int = self._regexp.groups
        if self.groups > _MOST_GROUPS:
            raise InvalidPattern(f"error parsing regexp: more than {_MOST_GROUPS} groups")
        self.names: dict[str, int] = self._regexp.groupindex
        self.size: int = self._regexp.programsize

    def is_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in a text."""
        return self.first(text) is not None

    def first(self, text: str) -> Match | None:
        """The leftmost match; of those that start there the one that the expression prefers."""
        found: Match | None = self._regexp.search(_searchable(text))
        return found

    def all(self, text: str) -> Iterator[Match]:
        """All matches that do not overlap; an empty one right behind another does not count."""
        before = -1
        for match in self._regexp.finditer(_searchable(text)):
            start, end = match.span()
            if start < end or start != before:
                yield match
            before = end


@lru_cache(maxsize=128)
def compiled(text: str) -> Pattern:
    """The pattern of a text, made once.

    Raises:
        InvalidPattern: it is none, or one that is too large.
    """
    return Pattern(text)


def compiled_for_many(text: str) -> Pattern:
    """The pattern of a filter or of a schema, whose texts no budget bounds.

    Raises:
        InvalidPattern: it is none, or one that is too large.
    """
    pattern = compiled(text)
    if pattern.size > _MOST_STEPS_OF_MANY:
        raise InvalidPattern("error parsing regexp: expression too large")
    return pattern


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    return options


def _check_as_go_does(text: str) -> None:
    names = set[str]()
    for part in _PART.finditer(text):
        if part["byte"]:
            raise InvalidPattern(r"error parsing regexp: invalid escape sequence: \C")
        if (name := part["name"]) is None:
            continue
        if name in names or not name.isascii():
            raise InvalidPattern(f"error parsing regexp: invalid or duplicate name of a group: {name}")
        names.add(name)


def _searchable(text: str) -> str:
    """The text with U+FFFD for each byte that is no part of a character, as Go reads it."""
    return text if text.isascii() else _NO_CHARACTER.sub("\ufffd", text)
