"""Data as block style YAML that the reader reads back as it was."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import Sensitive
from ansible_ensemble.documents.scalars import VaultText, resolve_plain
from ansible_ensemble.documents.yaml import MAX_DEPTH

_LONGEST_KEY = 1000
"""A key may have 1024 characters (YAML 1.2, 7.4.2); longer ones are written with `? `."""

_LARGEST_INTEGER = 4300 * 3
"""In bits; Python does not read more than 4300 decimal digits."""


def emit_yaml(value: Any, indent: int = 0) -> str:
    """Return maps, lists, tuples, scalars and `VaultText` as lines of YAML in block style, the last one ended too.

    Each begins with `indent` spaces. A scalar is one line, or a `|` block that begins on it.
    """
    lines: list[str] = []
    memo: dict[str, str] = {}
    if isinstance(value, (dict, list, tuple)) and value:
        _emit(lines.append, value, indent, memo, 1)
    else:
        lines.append(f"{' ' * indent}{_scalar(value, indent, memo)}\n")
    return "".join(lines)


def _emit(write: Callable[[str], None], value: Any, indent: int, memo: dict[str, str], depth: int) -> None:
    """Write a map or a list that has entries."""
    if depth > MAX_DEPTH:
        raise EnsembleError(f"the value is nested deeper than {MAX_DEPTH}: it cannot be stored")
    if isinstance(value, Sensitive):
        raise _in_clear()
    pad = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            name = _key(key, memo)
            explicit = len(name) > _LONGEST_KEY
            if explicit:
                write(f"{pad}? {name}\n")
                name = ""
            if isinstance(item, (dict, list, tuple)) and item:
                write(f"{pad}{name}:\n")
                _emit(write, item, indent + 2, memo, depth + 1)
            else:
                write(f"{pad}{name}: {_scalar(item, indent, memo)}\n")
    else:
        for item in value:
            if isinstance(item, (dict, list, tuple)) and item:
                inner: list[str] = []
                _emit(inner.append, item, indent + 2, memo, depth + 1)
                inner[0] = f"{pad}- {inner[0].lstrip(' ')}"
                for line in inner:
                    write(line)
            else:
                write(f"{pad}- {_scalar(item, indent, memo)}\n")


def _key(key: Any, memo: dict[str, str]) -> str:
    if isinstance(key, Sensitive):
        raise _in_clear()
    if isinstance(key, str):
        return _text(key, memo)
    return _scalar(key, 0, memo)


def _scalar(value: Any, indent: int, memo: dict[str, str]) -> str:
    if isinstance(value, Sensitive):
        raise _in_clear()
    if isinstance(value, str):
        if isinstance(value, VaultText):
            return f"!vault {_block(value, indent) or _quoted(value)}"
        if "\n" in value:
            return _block(value, indent) or _quoted(value)
        return _text(value, memo)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    raise EnsembleError(f"a value of type {type(value).__name__} cannot be stored in YAML")


def _number(value: float) -> str:
    if isinstance(value, int):
        if value.bit_length() > _LARGEST_INTEGER:
            raise EnsembleError("an integer has too many digits: it cannot be stored", hint="store it as a text")
        return int.__repr__(value)
    if math.isfinite(value):
        return float.__repr__(value)
    return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"


def _text(value: str, memo: dict[str, str]) -> str:
    """Return a string on one line, plain where every reader of YAML 1.1 and 1.2 takes it for a string."""
    text = memo.get(value)
    if text is None:
        plain = _PLAIN.fullmatch(value) and value.lower() not in _YAML_1_1_WORDS and resolve_plain(value) == value
        text = memo[value] = str.__str__(value) if plain else _quoted(value)
    return text


def _quoted(value: str) -> str:
    text = json.dumps(str.__str__(value), ensure_ascii=False)
    return _UNPRINTABLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xD800 <= code <= 0xDFFF:
        raise EnsembleError("a text holds bytes that are not UTF-8: it cannot be stored", hint="encode it, as base64")
    return f"\\u{code:04x}"


def _block(value: str, indent: int) -> str | None:
    """Return a text of several lines as a `|` block, None where a block would not give back exactly the text."""
    body = value.removesuffix("\n")
    if not body.strip() or body.endswith("\n") or "\r" in body or "\t" in body or _UNPRINTABLE.search(body):
        return None
    if body.lstrip("\n")[0] == " ":
        return None
    pad = " " * (indent + 2)
    lines = [pad + line if line else "" for line in body.split("\n")]
    if any(line.isspace() for line in lines):
        return None
    return "\n".join(["|" if body != value else "|-", *lines])


def _in_clear() -> EnsembleError:
    return EnsembleError("a sensitive value would be written in clear", hint="encode it before it is stored")


_PLAIN = regex(r"[A-Za-z_/](?:[-\w./+@=%$~^,;()*!?&'<>|]|:(?=[^\s:])|(?<=[^\s:]) (?=[^\s#:]))*", re.ASCII)
_YAML_1_1_WORDS = frozenset({"y", "n", "yes", "no", "on", "off"})
# What YAML does not allow unescaped, and what readers take for a line break or a byte order mark.
_UNPRINTABLE = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
