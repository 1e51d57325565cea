"""The syntax of paths: `::app::.targets[.name=db]::url?`.

A path is segments joined by `::`. A segment is a key, then filters in brackets, then `?` for "the first match only";
each may be left out. A key is a name, a number, `$variable`, `*` (all), or a special key that begins with a dot. A
filter is a path that must give something, or with `=` or `!=` a path and what its value must (not) be; `!` before it
turns it round (facts of Unfurl's language: "Expressions").
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput

#: Keys that are neither names nor numbers.
_SIGNS = ("*", ".", "..")


class Variable(Struct, frozen=True):
    """`$name`: the value of a variable."""

    name: str


class Filter(Struct, frozen=True):
    """A condition on what a segment found.

    Attributes:
        path: leads from the thing found to the value that is tested; None is the thing itself.
        negated: whether the condition must not hold.
        test: text or variable the value must equal; None: the value must be there and be true.
        turned: whether `!` before it turns it round.
    """

    path: Path | None
    negated: bool = False
    test: str | Variable | None = None
    turned: bool = False


class Segment(Struct, frozen=True):
    """One step of a path.

    Attributes:
        key: what is looked up; None is the thing itself.
        filters: conditions on what is found.
        first: whether only the first match counts.
    """

    key: str | int | Variable | None
    filters: tuple[Filter, ...] = ()
    first: bool = False


class Path(Struct, frozen=True):
    """A parsed path."""

    segments: tuple[Segment, ...]
    text: str


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path:
    """Parse a path."""
    parser = _Parser(text)
    path = parser.path(nested=False)
    if parser.at < len(text):
        raise parser.failure(f'unexpected "{text[parser.at]}"')
    return path


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def failure(self, problem: str) -> InvalidInput:
        return InvalidInput(
            f'"{self.text}" is not a path: {problem} at character {self.at + 1}',
            hint="a path looks like ::app::url or .targets::db[.type=x]::port; text is written {q: text}",
        )

    def peek(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        if self.peek(text):
            self.at += len(text)
            return True
        return False

    def path(self, *, nested: bool) -> Path:
        start = self.at
        segments = [self.segment(nested)]
        while self.take("::"):
            segments.append(self.segment(nested))
        return Path(tuple(segments), self.text[start : self.at])

    def segment(self, nested: bool) -> Segment:
        key = self.key(nested)
        filters = []
        while self.take("["):
            filters.append(self.filter())
        return Segment(key, tuple(filters), self.take("?"))

    def key(self, nested: bool) -> str | int | Variable | None:
        start = self.at
        while self.at < len(self.text):
            if self.peek("::") or self.text[self.at] in "[]?" or (nested and (self.peek("=") or self.peek("!="))):
                break
            self.at += 1
        key = self.text[start : self.at].strip()
        if not key:
            return None
        if key.startswith("$"):
            if not key[1:].isidentifier():
                self.at = start
                raise self.failure(f'"{key}" is not a variable')
            return Variable(key[1:])
        if key not in _SIGNS and not any(sign.isalnum() or sign == "_" for sign in key):
            self.at = start
            raise self.failure(f'"{key}" is no name')
        return int(key) if key.lstrip("-").isdecimal() and key.count("-") <= 1 else key

    def filter(self) -> Filter:
        negated = self.take("!") and not self.peek("=")
        if self.text[self.at - 1] == "!" and self.peek("="):
            self.at -= 1
        turned = negated
        path = None if self.peek("=") or self.peek("!=") or self.peek("]") else self.path(nested=True)
        test: str | Variable | None = None
        if self.take("!="):
            negated = not negated
            test = self.test()
        elif self.take("="):
            test = self.test()
        if not self.take("]"):
            raise self.failure('"]" is missing')
        if path is None and test is None:
            raise self.failure("an empty filter")
        return Filter(path, negated, test, turned)

    def test(self) -> str | Variable:
        end = self.text.find("]", self.at)
        text = self.text[self.at : end if end >= 0 else len(self.text)].strip()
        if "[" in text:
            raise self.failure('"[" in what is compared')
        self.at = end if end >= 0 else len(self.text)
        return Variable(text[1:]) if text.startswith("$") and text[1:].isidentifier() else text
