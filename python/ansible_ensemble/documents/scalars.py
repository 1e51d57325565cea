"""What a plain scalar means: the core schema of YAML 1.2, section 10.3.2."""

from __future__ import annotations

import re


class VaultText(str):
    """The text of a value encrypted by Ansible Vault, as it stands after `!vault`."""

    __slots__ = ()


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


_WORDS: dict[str, object] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_FIRST = frozenset({"", *(word[:1] for word in _WORDS), *"0123456789+-."})
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)"
    r"|(?P<hex>0x[0-9a-fA-F]+)"
    r"|(?P<oct>0o[0-7]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
