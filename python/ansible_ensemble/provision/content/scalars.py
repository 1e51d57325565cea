"""What an unquoted word of YAML means, as the field's tools read it."""

from __future__ import annotations

import re

_WORDS: dict[str, object] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **{word: True for base in ("true", "yes", "on") for word in (base, base.capitalize(), base.upper())},
    **{word: False for base in ("false", "no", "off") for word in (base, base.capitalize(), base.upper())},
}
_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_OF_BASE = re.compile(r"(?P<sign>[-+]?)0(?P<base>[xXoObB]?)(?P<digits>[0-9a-fA-F_]+)")
_BASES = {"": 8, "o": 8, "x": 16, "b": 2}
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?")


def meaning(text: str) -> object:
    """Null, a truth value, a number, or the text itself; times are texts.

    `yes` and `off` are truth values and `0755` is octal, as in YAML 1.1, because content of the field is written so.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if match := _OF_BASE.fullmatch(text):
        return _of_base(match, text)
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _of_base(match: re.Match[str], text: str) -> object:
    try:
        return int(match["sign"] + match["digits"], _BASES[match["base"].lower()])
    except ValueError:
        return float(text) if _FLOAT.fullmatch(text) else text
