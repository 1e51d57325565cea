"""Which characters an item of a pattern stands for."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

from ..fault import Fault

Characters: TypeAlias = Callable[[str], bool]

_DIGITS, _SPACES = "0123456789", "\t\n\f\r "
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
WORD = frozenset(_DIGITS + _LETTERS + "_")
NAMED: dict[str, frozenset[str]] = {"d": frozenset(_DIGITS), "w": WORD, "s": frozenset(_SPACES)}
POSIX: dict[str, frozenset[str]] = {
    "alnum": frozenset(_DIGITS + _LETTERS),
    "alpha": frozenset(_LETTERS),
    "ascii": frozenset(map(chr, range(128))),
    "blank": frozenset("\t "),
    "cntrl": frozenset([*map(chr, range(32)), "\x7f"]),
    "digit": frozenset(_DIGITS),
    "graph": frozenset(map(chr, range(33, 127))),
    "lower": frozenset(_LETTERS[:26]),
    "print": frozenset(map(chr, range(32, 127))),
    "punct": frozenset(_PUNCTUATION),
    "space": frozenset("\t\n\v\f\r "),
    "upper": frozenset(_LETTERS[26:]),
    "word": WORD,
    "xdigit": frozenset("0123456789abcdefABCDEF"),
}
_CATEGORIES = frozenset(
    [
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Pe",
        "Pf",
        "Pi",
        "Po",
        "Ps",
        "S",
        "Sc",
        "Sk",
        "Sm",
        "So",
        "Z",
        "Zl",
        "Zp",
        "Zs",
    ]
)


def cases(character: str) -> frozenset[str]:
    """A character in both cases, with others that fold to the same."""
    return frozenset(
        c for c in (character, character.lower(), character.upper(), _FOLDS.get(character, "")) if len(c) == 1
    )


_FOLDS = {"k": "\u212a", "K": "\u212a", "\u212a": "k", "s": "\u017f", "S": "\u017f", "\u017f": "S"}


def one(character: str, folds: bool) -> Characters:
    """One character, in either case if it folds."""
    if not folds:
        return character.__eq__
    return frozenset(cases(character)).__contains__


def within(low: str, high: str, folds: bool) -> Characters:
    """The characters from one to another."""
    if not folds:
        return lambda character: low <= character <= high
    return lambda character: any(low <= c <= high for c in cases(character))


def of(allowed: frozenset[str], folds: bool = False) -> Characters:
    """The characters of a set."""
    if not folds:
        return allowed.__contains__
    return frozenset(c for character in allowed for c in cases(character)).__contains__


def category(name: str) -> Characters:
    """The characters of a Unicode category; raise Fault for another name."""
    if name == "Any":
        return lambda _: True
    if name not in _CATEGORIES:
        raise Fault(f"invalid character class range: `\\p{{{name}}}`: only general categories are supported")
    return lambda character: _category(character).startswith(name)


@lru_cache(maxsize=4096)
def _category(character: str) -> str:
    return unicodedata.category(character)


def neither(some: Characters) -> Characters:
    """All other characters."""
    return lambda character: not some(character)


def any_of(several: Iterable[Characters]) -> Characters:
    """The characters of one or another."""
    all_of_them = tuple(several)
    if len(all_of_them) == 1:
        return all_of_them[0]
    return lambda character: any(some(character) for some in all_of_them)
