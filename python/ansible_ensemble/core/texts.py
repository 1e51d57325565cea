"""Texts that every file and terminal can take."""

from __future__ import annotations

import re
from typing import Any

_USER_INFO = re.compile(r"(\w+://)[^/\s]*@")


def without_credentials(text: str) -> str:
    """The text without user and password in its URLs."""
    return _USER_INFO.sub(r"\1", text)


def well_formed(value: Any) -> Any:
    """The value with U+FFFD in place of lone surrogates in its texts, which no UTF-8 file can hold; marks are kept.

    JSON of a tool may hold them, as escapes.
    """
    if isinstance(value, str):
        return value if _is_well_formed(value) else type(value)(_replaced(value))
    if isinstance(value, dict):
        return type(value)({well_formed(key): well_formed(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return type(value)([well_formed(item) for item in value])
    return value


def _is_well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _replaced(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
