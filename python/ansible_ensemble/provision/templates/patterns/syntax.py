"""From the text of a pattern to what it consists of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from ..fault import Fault
from . import characters
from .characters import Characters

MOST_REPEATED = 1000
MOST_NESTED = 100
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_COUNT = re.compile(r"\{([0-9]{1,5})(,([0-9]{0,5}))?\}")
_GROUP = re.compile(r"\?(?:P?<(?P<name>\w+)>|(?P<flags>[imsU]*(?:-[imsU]+)?)(?P<end>[:)]))", re.ASCII)
_CODE = re.compile(r"x\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|([0-7]{3}|0[0-7]{0,2})")
_PROPERTY = re.compile(r"(\^?)(?:\{(\^?)(\w+)\}|([A-Z]))")
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")
_ASSERTIONS = {"A": "start", "z": "end", "b": "boundary", "B": "within"}


@dataclass(frozen=True, slots=True)
class One:
    """One character out of some."""

    characters: Characters


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on a position: start, end, line start, line end, boundary, within."""

    condition: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another."""

    items: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One or another; the first that matches counts."""

    options: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """Several times; as often as possible unless it is lazy."""

    item: Pattern
    least: int
    most: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Group:
    """What is remembered under a number."""

    item: Pattern
    number: int


Pattern: TypeAlias = One | Assertion | Sequence | Choice | Repeat | Group


@dataclass(frozen=True, slots=True)
class Parsed:
    """A pattern with the numbers of its named groups; group 0 is the whole."""

    pattern: Pattern
    groups: int
    names: dict[str, int]


def parse(text: str) -> Parsed:
    """Read a pattern; raise Fault with the words of Go's regexp for what is none."""
    parser = _Parser(text)
    pattern = parser.choice()
    if parser.rest:
        raise _wrong(f"unexpected ): `{text}`")
    return Parsed(pattern, parser.groups, parser.names)


def _wrong(message: str) -> Fault:
    return Fault(f"error parsing regexp: {message}")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._flags = frozenset[str]()
        self._depth = 0
        self.groups = 1
        self.names: dict[str, int] = {}

    @property
    def rest(self) -> bool:
        """Whether something is left."""
        return self._at < len(self._text)

    def _ahead(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self) -> str:
        if not self.rest:
            raise _wrong(f"trailing backslash at end of expression: `{self._text}`")
        self._at += 1
        return self._text[self._at - 1]

    def choice(self) -> Pattern:
        flags = self._flags
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise _wrong("expression nests too deeply")
        options = [self._sequence()]
        while self._ahead("|"):
            self._at += 1
            options.append(self._sequence())
        self._flags = flags
        self._depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Pattern:
        items: list[Pattern] = []
        while self.rest and not self._ahead("|") and not self._ahead(")"):
            start = self._at
            if self._ahead("\\Q"):
                items += self._quoted()
            elif (atom := self._atom()) is not None:
                items.append(self._repeated(atom, start))
        return Sequence(tuple(items))

    def _quoted(self) -> list[Pattern]:
        end = self._text.find("\\E", self._at)
        inside = self._text[self._at + 2 : end if end >= 0 else None]
        self._at = end + 2 if end >= 0 else len(self._text)
        return [One(characters.one(character, "i" in self._flags)) for character in inside]

    def _repeated(self, atom: Pattern, start: int) -> Pattern:
        repeated = False
        while (count := self._count()) is not None:
            if repeated:
                raise _wrong(f"invalid nested repetition operator: `{self._text[start : self._at]}`")
            lazy = self._ahead("?")
            self._at += lazy
            atom, repeated = Repeat(atom, *count, lazy != ("U" in self._flags)), True
        return atom

    def _count(self) -> tuple[int, int | None] | None:
        """How often what stands before is repeated; None when it is not."""
        for mark, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self._ahead(mark):
                self._at += 1
                return least, most
        match = _COUNT.match(self._text, self._at)
        if match is None:
            return None
        self._at = match.end()
        least = int(match[1])
        most = least if match[2] is None else int(match[3]) if match[3] else None
        if least > MOST_REPEATED or (most is not None and not least <= most <= MOST_REPEATED):
            raise _wrong(f"invalid repeat count: `{match[0]}`")
        return least, most

    def _atom(self) -> Pattern | None:
        if self._ahead("(?"):
            return self._special_group()
        character = self._take()
        if character == "(":
            return self._group(None)
        if character in "*+?":
            raise _wrong(f"missing argument to repetition operator: `{character}`")
        if character == "[":
            return One(self._class())
        if character == "\\":
            return self._escape()
        if character == "^":
            return Assertion("line start" if "m" in self._flags else "start")
        if character == "$":
            return Assertion("line end" if "m" in self._flags else "end")
        if character == ".":
            return One((lambda _: True) if "s" in self._flags else "\n".__ne__)
        return One(characters.one(character, "i" in self._flags))

    def _group(self, name: str | None) -> Pattern:
        number = self.groups
        self.groups += 1
        if name is not None:
            if name in self.names:
                raise _wrong(f"duplicate capture group name: `{name}`")
            self.names[name] = number
        return Group(self._closed(), number)

    def _closed(self) -> Pattern:
        inside = self.choice()
        if not self._ahead(")"):
            raise _wrong(f"missing closing ): `{self._text}`")
        self._at += 1
        return inside

    def _special_group(self) -> Pattern | None:
        match = _GROUP.match(self._text, self._at + 1)
        if match is None:
            raise _wrong(f"invalid or unsupported Perl syntax: `{self._text[self._at : self._at + 3]}`")
        self._at = match.end()
        if match["name"]:
            return self._group(match["name"])
        flags = self._flags
        on, _, off = match["flags"].partition("-")
        self._flags = (flags | set(on)) - set(off)
        if match["end"] == ")":
            return None
        inside = self._closed()
        self._flags = flags
        return inside

    def _escape(self) -> Pattern:
        if (found := self._set()) is not None:
            return One(found)
        letter = self._text[self._at : self._at + 1]
        if letter in _ASSERTIONS and letter:
            self._at += 1
            return Assertion(_ASSERTIONS[letter])
        return One(characters.one(self._code(), "i" in self._flags))

    def _set(self) -> Characters | None:
        r"""What `\d` and `\p{L}` and their like stand for."""
        letter = self._text[self._at : self._at + 1]
        if letter and letter.lower() in characters.NAMED and letter.isascii():
            self._at += 1
            found = characters.of(characters.NAMED[letter.lower()], "i" in self._flags)
            return characters.neither(found) if letter.isupper() else found
        if letter not in ("p", "P"):
            return None
        match = _PROPERTY.match(self._text, self._at + 1)
        if match is None:
            raise _wrong(f"invalid character class range: `\\{letter}`")
        self._at = match.end()
        found = characters.category(match[3] or match[4])
        return characters.neither(found) if (letter == "P") != bool(match[2] or match[1]) else found

    def _code(self) -> str:
        """The character that an escape stands for."""
        match = _CODE.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            point = int(match[1] or match[2], 16) if match[3] is None else int(match[3], 8)
            if point > 0x10FFFF:
                raise _wrong(f"invalid escape sequence: `\\{match[0]}`")
            return chr(point)
        letter = self._take()
        if letter in _ESCAPES:
            return _ESCAPES[letter]
        if letter.isascii() and not letter.isalnum():
            return letter
        raise _wrong(f"invalid escape sequence: `\\{letter}`")

    def _class(self) -> Characters:
        """The inside of brackets, of which the first is taken."""
        start, several = self._at - 1, list[Characters]()
        negated = self._ahead("^")
        self._at += negated
        while not several or not self._ahead("]"):
            if not self.rest:
                raise _wrong(f"missing closing ]: `{self._text[start:]}`")
            several.append(self._member())
        self._at += 1
        found = characters.any_of(several)
        return characters.neither(found) if negated else found

    def _member(self) -> Characters:
        folds = "i" in self._flags
        match = _POSIX.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
            if match[2] not in characters.POSIX:
                raise _wrong(f"invalid character class range: `{match[0]}`")
            found = characters.of(characters.POSIX[match[2]], folds)
            return characters.neither(found) if match[1] else found
        if self._ahead("\\"):
            self._at += 1
            if (named := self._set()) is not None:
                return named
            self._at -= 1
        start = self._at
        low = self._single()
        if not self._ahead("-") or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return characters.one(low, folds)
        self._at += 1
        high = self._single()
        if high < low:
            raise _wrong(f"invalid character class range: `{self._text[start : self._at]}`")
        return characters.within(low, high, folds)

    def _single(self) -> str:
        character = self._take()
        return self._code() if character == "\\" else character
