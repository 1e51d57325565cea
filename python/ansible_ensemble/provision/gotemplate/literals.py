"""The value of a literal, by Go's rules for constants."""

from __future__ import annotations

import re

from ansible_ensemble.core.budget import Fault

LEAST, MOST = -(2**63), 2**63 - 1
_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "'": 39, '"': 34}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|\\", re.DOTALL)
_OCTAL = re.compile(r"[+-]?0[0-7_]+")
_MARKS_OF_FLOAT = frozenset(".eEpP")


def text_of(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 is kept (surrogateescape), because a string of Go is bytes."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The bytes of a text, as Go sees them."""
    return text.encode("utf-8", "surrogateescape")


def unquoted(quoted: str) -> str:
    """The text of a string in quotes or backquotes; raise Fault for an unknown escape."""
    if quoted.startswith("`"):
        return quoted[1:-1].replace("\r", "")
    inside = quoted[1:-1]
    if "\\" not in inside:
        return inside
    quote, parts, position = quoted[0], [], 0
    for match in _ESCAPE.finditer(inside):
        parts += [bytes_of(inside[position : match.start()]), _escaped(match, quote)]
        position = match.end()
    return text_of(b"".join([*parts, bytes_of(inside[position:])]))


def _escaped(match: re.Match[str], quote: str) -> bytes:
    hexadecimal, octal, short, long, letter = match.groups()
    other = "'" if quote == '"' else '"'
    if letter in _ESCAPES and letter != other:
        return bytes([_ESCAPES[letter]])
    if hexadecimal or (octal and int(octal, 8) < 256):
        return bytes([int(hexadecimal, 16) if hexadecimal else int(octal, 8)])
    point = int(short or long or "110000", 16)
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise Fault("invalid syntax")
    return chr(point).encode()


def character(quoted: str) -> int:
    """The number of a character in single quotes."""
    data = unquoted(quoted)
    if len(data) != 1:
        raise Fault(f"malformed character constant: {quoted}")
    point = ord(data)
    return point - 0xDC00 if 0xDC80 <= point <= 0xDCFF else point


def number(text: str) -> int | float:
    """The value of a number; raise Fault for what is too large, complex or malformed."""
    if text.endswith("i") and not text.startswith(("0x", "0X")):
        raise Fault(f"complex numbers are not supported: {text}")
    try:
        return _integer(text)
    except ValueError:
        return _float(text)


def _integer(text: str) -> int:
    value = int(text.replace("_", ""), 8) if _OCTAL.fullmatch(text) else int(text, 0)
    if not LEAST <= value <= MOST:
        raise Fault(f"{text} overflows int")
    return value


def _float(text: str) -> float:
    try:
        value = float.fromhex(text.replace("_", "")) if "x" in text.lower() else float(text)
    except (ValueError, OverflowError):
        value = float("inf")
    if value in (float("inf"), float("-inf")) or not _MARKS_OF_FLOAT & set(text):
        raise Fault(f'illegal number syntax: "{text}"')
    return value
