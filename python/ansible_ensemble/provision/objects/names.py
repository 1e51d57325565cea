"""Which names objects may have: at least two characters, the first a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

_LETTER = r"[^\W\d_]"
_LETTER_OR_DIGIT = r"[^\W_]"

NAME = re.compile(rf"{_LETTER}[-\w .]+")
#: Of machines and templates, which may begin with a digit.
NAME_OR_NUMBER = re.compile(rf"{_LETTER_OR_DIGIT}[-\w .]+")
#: Of users, which may contain `@`.
USER_NAME = re.compile(rf"{_LETTER}[-\w .@]+")
#: Of params, which may contain `/`.
PARAM_NAME = re.compile(rf"{_LETTER}[-\w ./]+")


def problems_of_uuid(field: str, text: str) -> Iterator[str]:
    """Whether a field holds a UUID as clients write it, in lower case: another spelling would be another key."""
    try:
        canonical = str(UUID(text))
    except ValueError:
        canonical = ""
    if not text or canonical != text:
        yield f"Invalid {field} `{text}`"
