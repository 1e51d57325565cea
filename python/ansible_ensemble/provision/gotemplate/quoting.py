"""Texts in quotes as Go writes them."""

from __future__ import annotations

_NAMED = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\"}


def quoted(text: str, quote: str = '"', ascii_only: bool = False) -> str:
    """A text in quotes, with Go's escapes."""
    if text.isascii() and text.isprintable() and quote not in text and "\\" not in text:
        return f"{quote}{text}{quote}"
    return quote + "".join(_escaped(character, quote, ascii_only) for character in text) + quote


def _escaped(character: str, quote: str, ascii_only: bool) -> str:
    if character == quote:
        return "\\" + quote
    if character in _NAMED:
        return _NAMED[character]
    if character.isprintable() and (character.isascii() or not ascii_only):
        return character
    point = ord(character)
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    if point < 0x80:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def can_be_raw(text: str) -> bool:
    """Whether a text can stand in backquotes as it is."""
    return not any(c in "`\x7f\ufeff" or (c < " " and c != "\t") or "\udc80" <= c <= "\udcff" for c in text)
