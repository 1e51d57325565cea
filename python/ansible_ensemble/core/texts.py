"""Data that every file, reader and terminal can take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.regex import regex

#: Where a part of a text was left out: by `cut`, or by an ellipsis.
CUT = regex(r"(\n?\[?\.\.\.(?: \d+ \w+ cut \.\.\.\])?\n?|…)")
_USER_INFO = regex(r"(\w+://)[^/\s]*@")
#: A URL up to its query, and the query.
URL_QUERY = regex(r"(\w+://[^\s?#'\"]+\?)([^\s#'\"]+)")

MAX_NESTING = 100
"""How deep maps and lists that an operation returns may be nested: every file and reader has room for so many."""

_GAP = " cut ...]"
#: In bits; no reader here takes an integer of more than 4300 decimal digits.
_LARGEST_INTEGER = 4300 * 3


def without_credentials(text: str) -> str:
    """The text without user and password in its URLs."""
    return _USER_INFO.sub(r"\1", text)


def with_shown_urls(text: str) -> str:
    """The text for people: its URLs are without user and password, and without queries, which may hold tokens."""
    return URL_QUERY.sub(r"\1...", without_credentials(text))


def cut(text: str, limit: int) -> str:
    """The text with its middle left out where it is longer than so many characters; it says how much is missing.

    What remains of a secret at the gap is masked by `Redactor.text`, which knows a gap when it sees one.
    """
    half = limit // 2
    if len(text) <= limit:
        return text
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters{_GAP}\n{text[-half:]}"


def is_cut(text: str) -> bool:
    """Whether a part of the text was left out, and a line in it says how much."""
    return _GAP in text


def is_file_name(text: str) -> bool:
    """Whether it names a file of a folder, and is no path."""
    return Path(text).name == text


def storable(value: Any) -> Any:
    """The value as each file of the ensemble can hold it; marks are kept.

    Lone surrogates, which no UTF-8 file can hold, become U+FFFD (JSON of a tool may hold them, as escapes); keys become
    texts as in JSON, and what JSON does not know becomes its text.
    """
    if deeper_than(value, MAX_NESTING):
        raise InvalidInput(f"it is nested deeper than {MAX_NESTING}", hint="return it as a text")
    return _storable(value)


def deeper_than(value: Any, limit: int) -> bool:
    """Whether maps and lists are nested deeper than so many; a loop, for a deep value is what it is about."""
    level = [value]
    for _turn in range(limit):
        level = [item for one in level if isinstance(one, _NESTED) for item in _items(one)]
        if not level:
            return False
    return any(isinstance(one, _NESTED) for one in level)


_NESTED = (Mapping, list, tuple, set, frozenset)


def _items(value: Any) -> Any:
    return value.values() if isinstance(value, Mapping) else value


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value if _is_well_formed(value) else type(value)(_replaced(value))
    if isinstance(value, int):
        if value.bit_length() > _LARGEST_INTEGER:
            raise InvalidInput("it holds an integer with too many digits", hint="return it as a text")
        return value
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, Mapping):
        kind = type(value) if isinstance(value, dict) else dict
        return kind({_key(key): _storable(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return type(value)([_storable(item) for item in value])
    if isinstance(value, (set, frozenset)):
        return [_storable(item) for item in value]
    return _storable(str(value))


def _key(key: Any) -> str:
    """A key as JSON has it."""
    if isinstance(key, bool) or key is None:
        return {None: "null", True: "true", False: "false"}[key]
    text: str = _storable(key if isinstance(key, str) else str(key))
    return text


def _is_well_formed(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _replaced(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)


def named_texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a value and of what is in it, each with the key that it, or its list, stands under."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key in value:
            yield from named_texts(value[key], str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from named_texts(item, name)


def with_text_keys(value: Any) -> Any:
    """Plain data with text as keys, which JSON can sort: those of one map in YAML may be of several kinds."""
    if isinstance(value, dict):
        return {str(key): with_text_keys(item) for key, item in value.items()}
    return [with_text_keys(item) for item in value] if isinstance(value, list) else value
