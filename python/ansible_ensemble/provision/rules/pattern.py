"""Regular expressions that take time in proportion to the text, whatever a request asks for.

Python's own go back to try again, which can take for ever; it would stop all that the server does. This is Glushkov's
automaton: each character of the expression is a position, and the text is read once with the set of positions that it
may be at. The syntax is that of RE2, without word boundaries, names of scripts and flags inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

#: Of how many characters an expression may consist, after `{n}` was written out: in a request, and in a schema.
IN_REQUEST, IN_SCHEMA = 256, 2000

#: Before and after the text, so that `^` and `$` are positions like others.
_BEGIN, _END = -1, -2

_COUNTED = re.compile(r"\{(\d{1,3})(,(\d{0,3}))?\}")
_FLAGS = re.compile(r"\(\?([is]+)\)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CLASSES: dict[str, Callable[[str], bool]] = {
    "d": lambda character: "0" <= character <= "9",
    "w": lambda character: character == "_" or (character.isascii() and character.isalnum()),
    "s": lambda character: character in " \t\n\r\f",
}


class InvalidPattern(ValueError):
    """A text that is no regular expression, or one that is too long."""


class _Fragment(NamedTuple):
    """A part of the expression: whether it matches nothing at all, and the sets of positions it begins and ends at."""

    empty: bool
    first: int
    last: int


_NOTHING = _Fragment(True, 0, 0)
_Accepts = Callable[[str], bool]


class Pattern:
    """A regular expression.

    Args:
        text: the expression.
        most: of how many characters it may consist.

    Raises:
        InvalidPattern: it is none, or one that is too long.
    """

    def __init__(self, text: str, most: int = IN_REQUEST) -> None:
        parsed = _Parser(text, most)
        self._whole = parsed.whole()
        self._positions, self._follow = parsed.positions, parsed.follow
        self._accepting: dict[int, int] = {}
        self._following: dict[int, int] = {}

    def is_in(self, text: str) -> bool:
        """Whether the expression matches anywhere in a text."""
        if self._whole.empty:
            return True
        at = 0
        for symbol in (_BEGIN, *map(ord, text), _END):
            at = (self._after(at) | self._whole.first) & self._those_that_accept(symbol)
            if at & self._whole.last:
                return True
        return False

    def _those_that_accept(self, symbol: int) -> int:
        if (known := self._accepting.get(symbol)) is None:
            accepting = (1 << number for number, accepts in enumerate(self._positions) if accepts(symbol))
            known = self._accepting[symbol] = sum(accepting)
        return known

    def _after(self, at: int) -> int:
        """The positions that may come after a set of them."""
        if (known := self._following.get(at)) is None:
            known, rest = 0, at
            while rest:
                lowest = rest & -rest
                known |= self._follow[lowest.bit_length() - 1]
                rest ^= lowest
            if len(self._following) < 10_000:
                self._following[at] = known
        return known


class _Parser:
    """Reads an expression, and makes its positions."""

    def __init__(self, text: str, most: int) -> None:
        self._most = most
        flags = _FLAGS.match(text)
        self._text, self._at = text, flags.end() if flags else 0
        self._flags = flags[1] if flags else ""
        self._atoms = self._depth = 0
        self.positions: list[Callable[[int], bool]] = []
        self.follow: list[int] = []

    def whole(self) -> _Fragment:
        """The whole expression."""
        made = self._alternatives()
        if self._at < len(self._text):
            raise InvalidPattern("unexpected )")
        return made

    def _alternatives(self) -> _Fragment:
        made = self._sequence()
        while self._took("|"):
            other = self._sequence()
            made = _Fragment(made.empty or other.empty, made.first | other.first, made.last | other.last)
        return made

    def _sequence(self) -> _Fragment:
        made = _NOTHING
        while self._next() not in ("", "|", ")"):
            made = self._joined(made, self._repeated())
        return made

    def _repeated(self) -> _Fragment:
        start = self._at
        made = self._atom()
        if counted := _COUNTED.match(self._text, self._at):
            made = self._counted(made, start, counted)
        elif (sign := self._next()) and sign in "*+?":
            self._at += 1
            made = made if sign == "?" else self._looped(made)
            made = made._replace(empty=made.empty or sign != "+")
        else:
            return made
        self._took("?")  # which match is found does not matter
        if (sign := self._next()) and (sign in "*+?" or _COUNTED.match(self._text, self._at)):
            raise InvalidPattern("nested repetition")
        return made

    def _counted(self, made: _Fragment, start: int, counted: re.Match[str]) -> _Fragment:
        least, comma, most = int(counted[1]), counted[2], counted[3]
        last = int(most) if most else max(least, 1) if comma else least
        if last < least or last > self._most:
            raise InvalidPattern("invalid repeat count")
        copies = [made, *(self._again(start) for _ in range(last - 1))][:last]
        if comma and not most:
            copies[-1] = self._looped(copies[-1])
        whole = _NOTHING
        for number, copy in enumerate(copies):
            whole = self._joined(whole, copy._replace(empty=copy.empty or number >= least))
        self._at = counted.end()
        return whole

    def _again(self, start: int) -> _Fragment:
        """Another copy of what begins there."""
        self._at = start
        return self._atom()

    def _joined(self, one: _Fragment, other: _Fragment) -> _Fragment:
        self._let_follow(one.last, other.first)
        return _Fragment(
            one.empty and other.empty,
            one.first | (other.first if one.empty else 0),
            other.last | (one.last if other.empty else 0),
        )

    def _looped(self, made: _Fragment) -> _Fragment:
        self._let_follow(made.last, made.first)
        return made

    def _let_follow(self, ends: int, begins: int) -> None:
        while ends:
            lowest = ends & -ends
            self.follow[lowest.bit_length() - 1] |= begins
            ends ^= lowest

    def _atom(self) -> _Fragment:
        self._atoms += 1
        if self._atoms > self._most:
            raise InvalidPattern("expression too large")
        character = self._take()
        if character == "(":
            return self._group()
        if character in "*+?":
            raise InvalidPattern(f"missing argument to repetition operator: {character}")
        if character in "^$":
            mark = _BEGIN if character == "^" else _END
            return self._position(lambda symbol: symbol == mark)
        accepts = self._accepts(character)
        return self._position(lambda symbol: symbol >= 0 and accepts(chr(symbol)))

    def _group(self) -> _Fragment:
        self._depth += 1
        if self._depth > 50:
            raise InvalidPattern("expression nests too deeply")
        if self._next() == "?" and not self._took("?:"):
            raise InvalidPattern("invalid or unsupported group")
        made = self._alternatives()
        if not self._took(")"):
            raise InvalidPattern("missing )")
        self._depth -= 1
        return made

    def _accepts(self, character: str) -> _Accepts:
        if character == ".":
            return (lambda _: True) if "s" in self._flags else (lambda given: given != "\n")
        if character == "[":
            return self._cased(self._set())
        if character == "\\":
            return self._cased(self._escape())
        return self._cased(lambda given: given == character)

    def _cased(self, accepts: _Accepts) -> _Accepts:
        if "i" not in self._flags:
            return accepts
        return lambda given: accepts(given.lower()) or accepts(given.upper())

    def _escape(self) -> _Accepts:
        character = self._take()
        if known := _CLASSES.get(character.lower()):
            return known if character.islower() else lambda given: not known(given)
        if character.isascii() and character.isalnum() and character not in _ESCAPED:
            raise InvalidPattern(f"invalid or unsupported escape: \\{character}")
        meant = _ESCAPED.get(character, character)
        return lambda given: given == meant

    def _set(self) -> _Accepts:
        negated = self._took("^")
        members: list[_Accepts] = []
        while not members or self._next() != "]":
            members.append(self._member())
        self._at += 1
        return lambda given: any(accepts(given) for accepts in members) != negated

    def _member(self) -> _Accepts:
        low = self._take()
        if low == "[" and self._next() == ":":
            raise InvalidPattern("unsupported class")
        if low == "\\":
            return self._escape()
        if self._next() != "-" or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return lambda given: given == low
        self._at += 1
        high = self._take()
        if high == "\\":
            high = self._take()
        if high < low:
            raise InvalidPattern(f"invalid character class range: {low}-{high}")
        return lambda given: low <= given <= high

    def _position(self, accepts: Callable[[int], bool]) -> _Fragment:
        mark = 1 << len(self.positions)
        self.positions.append(accepts)
        self.follow.append(0)
        return _Fragment(False, mark, mark)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        if not (character := self._next()):
            raise InvalidPattern("it ends too early")
        self._at += 1
        return character

    def _took(self, expected: str) -> bool:
        found = self._text.startswith(expected, self._at)
        self._at += len(expected) if found else 0
        return found
