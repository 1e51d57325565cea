"""Tables of text: columns aligned by the width that a terminal shows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ASCII = re.compile(r"[\x00-\x7f]+")


def width(text: str) -> int:
    """The number of terminal cells that a text takes; escape codes take none, wide characters two."""
    text = _ESCAPES.sub("", text)
    others = _ASCII.sub("", text)
    return len(text) - len(others) + sum(map(_cells, others))


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """The text filled with blanks to a width, behind it or, for `right`, before it."""
    blanks = " " * max(0, cells - width(text))
    return blanks + text if right else text + blanks


def clip(text: str, cells: int) -> str:
    """The plain text, or as much of it as fits, ended by an ellipsis."""
    if width(text) <= cells:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > cells - 1:
            break
        kept += character
    return kept + "…"


def table(rows: Sequence[Sequence[str]], *, right: Collection[int] = (), gap: int = 2) -> list[str]:
    """Lines of a table of as many cells in each row; the columns of the numbers in `right` are aligned to the right."""
    widths = [max(map(width, column)) for column in zip(*rows)]
    return [
        (" " * gap).join(pad(cell, widths[number], right=number in right) for number, cell in enumerate(row)).rstrip()
        for row in rows
    ]
