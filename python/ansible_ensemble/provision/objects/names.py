"""Which names objects may have."""

from __future__ import annotations

import re

_LETTER = r"[^\W\d_]"
_LETTER_OR_DIGIT = r"[^\W_]"
_NAME = re.compile(rf"{_LETTER}[-\w .]+")
_PATTERNS = {
    "machines": re.compile(rf"{_LETTER_OR_DIGIT}[-\w .]+"),
    "templates": re.compile(rf"{_LETTER_OR_DIGIT}[-\w .]+"),
    "users": re.compile(rf"{_LETTER}[-\w .@]+"),
    "params": re.compile(rf"{_LETTER}[-\w ./]+"),
}


def is_valid_name(kind: str, name: str) -> bool:
    """Whether objects of a kind may have this name: at least two characters, the first a letter.

    Names of machines and templates may begin with a digit; users' may contain `@`, params' `/`.
    """
    return bool(_PATTERNS.get(kind, _NAME).fullmatch(name))
