"""What a plain scalar means: the core schema of YAML 1.2, section 10.3.2."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import Sensitive
from ansible_ensemble.documents.places import changed


class VaultText(str):
    """The text of a value encrypted by Ansible Vault, as it stands after `!vault`."""

    __slots__ = ()


class Written:
    """A number that is written in another way than Python does: `007`, `0x1F`, `+5`, `1.10`, `1e3`.

    Attributes:
        written: its text.
    """

    written: str

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_read, (self.written,)


class WrittenInt(Written, int):
    """An integer of this kind."""


class WrittenFloat(Written, float):
    """A float of this kind."""


def is_written(value: object) -> bool:
    """Tell whether a value is a number that has a text of its own."""
    return isinstance(value, Written)


def as_written(value: object) -> str:
    """Return the text of a scalar; a number from a file is as written there: the version 1.10 is not 1.1."""
    return value.written if isinstance(value, Written) else str(value)


def with_texts(value: Any) -> Any:
    """Return data in which each number that has a text of its own is that text, as JSON would lose it."""
    if isinstance(value, Sensitive):
        return value
    if isinstance(value, dict | list):
        return changed(value, with_texts)
    return as_written(value) if is_written(value) else value


def as_read(text: str) -> object:
    """Return what an unquoted scalar means; a number whose text could not be had from it keeps its text.

    Raises:
        ValueError: an integer has more digits than Python converts.
    """
    value = resolve_plain(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or str(value) == text:
        return value
    made = WrittenInt(value) if isinstance(value, int) else WrittenFloat(value)
    made.written = text
    return made


def resolve_plain(text: str) -> object:
    """Return what an unquoted scalar means: null, a boolean, an integer, a float or the string itself.

    `yes`, `no`, `on`, `off`, times and dates are strings; `010` is ten and `0o10` eight.

    Raises:
        ValueError: an integer has more digits than Python converts.
    """
    if text[:1] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    kind = match.lastgroup
    if kind == "int":
        return int(text)
    if kind == "hex":
        return int(text[2:], 16)
    if kind == "oct":
        return int(text[2:], 8)
    return float(text)


def spoken_boolean(value: object) -> bool | None:
    """Return what a word was in YAML 1.1, where `yes` and `off` are booleans; None for any other value."""
    return _SPOKEN.get(value.lower()) if isinstance(value, str) else None


_SPOKEN = {"yes": True, "on": True, "no": False, "off": False}
_WORDS: dict[str, object] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_FIRST = frozenset({"", *(word[:1] for word in _WORDS), *"0123456789+-."})
_NUMBER = regex(
    r"(?P<int>[-+]?[0-9]+)"
    r"|(?P<hex>0x[0-9a-fA-F]+)"
    r"|(?P<oct>0o[0-7]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
