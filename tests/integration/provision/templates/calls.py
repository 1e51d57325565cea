"""Calls of sprig's functions with fixed and with chance arguments."""

from __future__ import annotations

import json
import random
from pathlib import Path

import yaml

TABLE = Path(__file__).parents[3] / "unit/provision/sprig/calls.yaml"

CALLS: list[str] = [call for call, _ in yaml.load(TABLE.read_text(), yaml.CSafeLoader)]

_PATTERNS = [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "\\w",
    "\\d",
    "\\s",
    "\\b",
    "^",
    "$",
    "(a|b)",
    "(?:ab)",
    "(?i)A",
    "[[:alpha:]]",
    "é",
    "(b)?",
    "\\pL",
    "x*?",
]
_REPEATS = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,}"]
_LETTERS = ["a", "b", "A", "B", "é", " ", "-", "_", "x", "1", "2", ".", "\n", "ab", "aab"]
_OF_ONE = [
    "snakecase",
    "kebabcase",
    "camelcase",
    "title",
    "untitle",
    "swapcase",
    "initials",
    "trim",
    "nospace",
    "quote",
    "squote",
]
_OF_ONE += [
    "b64enc",
    "b32enc",
    "sha256sum",
    "adler32sum",
    "base",
    "dir",
    "clean",
    "ext",
    "toJson",
    "int",
    "float64",
    "regexQuoteMeta",
]
_OF_NUMBER = ["trunc", "abbrev", "wrap", "indent", "repeat", "nindent"]

# These take the bytes of a character apart, or make joints out of nothing; that is not followed.
_BROKEN_THERE = ["camelcase", "initials", "nospace"]


def _ascii_word(text: str) -> str:
    return '"x' + text.replace("é", "e")[1:]


def call_of_text(generator: random.Random) -> str:
    """A call of a function that takes a text, with a text made by chance."""
    text = json.dumps("".join(generator.choice(_LETTERS) for _ in range(generator.randint(0, 8))), ensure_ascii=False)
    kind = generator.randrange(4)
    if kind == 0:
        name = generator.choice(_OF_ONE)
        return f"{name} {_ascii_word(text) if name in _BROKEN_THERE else text}"
    if kind == 1:
        return f"{generator.choice(_OF_NUMBER)} {generator.randint(0, 9)} {text}"
    pattern = json.dumps(
        "".join(generator.choice(_PATTERNS) + generator.choice(_REPEATS) for _ in range(generator.randint(1, 4))),
        ensure_ascii=False,
    )
    return generator.choice(
        [
            f"mustRegexMatch {pattern} {text}",
            f"mustRegexFind {pattern} {text}",
            f"mustRegexFindAll {pattern} {text} -1 | join `|`",
            f'mustRegexReplaceAll {pattern} {text} "<$1>"',
            f"mustRegexSplit {pattern} {text} {generator.choice([-1, 0, 1, 2, 3])} | join `|`",
        ]
    )
