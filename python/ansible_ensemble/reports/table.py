"""Tables of text: columns aligned by the width that a terminal shows."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter
from textwrap import wrap

from ansible_ensemble.core.regex import regex

_ESCAPES = regex(r"\x1b\[[0-9;]*[A-Za-z]")
_COLOURS = regex(r"(\x1b\[[0-9;]*m)")
_RESET = "\x1b[0m"
#: What a text is best broken behind.
_BREAKS = " ._/:,-"
#: The narrowest that a column becomes for the sake of a terminal's width.
_NARROWEST = 8

#: Characters, each with the escape codes that colour it.
_Painted = list[tuple[str, str]]
_ASCII = regex(r"[\x00-\x7f]+")


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
    """The text, or as much of it as fits, ended by an ellipsis."""
    if width(text) <= cells:
        return text
    characters = _painted(text)
    return _text(characters[: _fitting(characters, cells - 1)]) + "…"


def fold(text: str, cells: int) -> list[str]:
    """The text in lines of at most so many cells, broken behind blanks and punctuation where it can be."""
    if width(text) <= cells:
        return [text]
    rest, lines = _painted(text), []
    while rest:
        fits = max(1, _fitting(rest, cells))
        if fits < len(rest):
            good = [end for end in range(fits // 2, fits + 1) if end and _ends_well(rest, end)]
            fits = good[-1] if good else fits
        lines.append(_text(_without_blanks(rest[:fits], -1)))
        rest = _without_blanks(rest[fits:], 0)
    return lines


def prose(text: str, columns: int | None) -> list[str]:
    """A text in lines of at most so many cells, with no word broken; its own lines are kept."""
    if columns is None:
        return text.split("\n")
    lines = (
        [line] if width(line) <= columns else wrap(line, columns, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )
    return [part for parts in lines for part in parts]


def labelled(label: str, text: str, columns: int | None) -> list[str]:
    """A message behind its label, which may be painted, as prose."""
    first, *others = prose(f"{_ESCAPES.sub('', label)} {text}", columns)
    return [label + first[width(label) :], *others]


def table(
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    gap: int = 2,
    columns: int | None = None,
    spare: Sequence[int] = (),
    empty: Collection[int] = (),
) -> list[str]:
    """Lines of a table of as many cells in each row; see `row_lines`."""
    lines = row_lines(rows, right=right, gap=gap, columns=columns, spare=spare, empty=empty)
    return [line for row in lines for line in row]


def row_lines(
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    gap: int = 2,
    columns: int | None = None,
    spare: Sequence[int] = (),
    empty: Collection[int] = (),
) -> Iterator[list[str]]:
    """The lines of each row of a table of as many cells in each row.

    Args:
        rows: the cells, which may be painted.
        right: numbers of the columns that are aligned to the right.
        gap: how many blanks are between two columns.
        columns: how wide the lines may be; None if as wide as they are. Cells that are too wide take several lines.
        spare: numbers of the columns to leave out where there is too little room, the first of them first.
        empty: numbers of the columns to leave out where there is nothing below their heads.
    """
    widths = [max(map(width, column)) for column in zip(*rows)]
    shown = [one for one in range(len(widths)) if one not in empty or any(row[one] for row in rows[1:])]
    for number in spare:
        if number in shown and not _room(columns, gap, [widths[one] for one in shown]):
            shown.remove(number)
    fitted = dict(zip(shown, _fitted([widths[one] for one in shown], columns, gap)))
    for row in rows:
        folded = [fold(row[number], fitted[number]) for number in shown]
        yield [
            (" " * gap).join(pad(cell, fitted[one], right=one in right) for one, cell in zip(shown, cells)).rstrip()
            for cells in zip_longest(*folded, fillvalue="")
        ]


def _room(columns: int | None, gap: int, widths: Sequence[int]) -> bool:
    """Whether columns of these widths fit."""
    return columns is None or sum(widths) + gap * (len(widths) - 1) <= columns


def _fitted(widths: list[int], columns: int | None, gap: int) -> list[int]:
    """The widths, of which the largest are reduced until all fit; those that are narrow anyway stay as they are."""
    while not _room(columns, gap, widths) and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _painted(text: str) -> _Painted:
    code, characters = "", []
    for part in _COLOURS.split(text):
        if _COLOURS.fullmatch(part):
            code = "" if part == _RESET else code + part
        else:
            characters += [(character, code) for character in part]
    return characters


def _text(characters: _Painted) -> str:
    runs = ((code, "".join(one for one, _other in run)) for code, run in groupby(characters, key=itemgetter(1)))
    return "".join(f"{code}{run}{_RESET}" if code else run for code, run in runs)


def _fitting(characters: _Painted, cells: int) -> int:
    """How many of the characters fit."""
    taken = 0
    for number, (character, _other) in enumerate(characters):
        taken += width(character)
        if taken > cells:
            return number
    return len(characters)


def _without_blanks(characters: _Painted, end: int) -> _Painted:
    """The characters without the blanks at the beginning, 0, or the end, -1."""
    while characters and characters[end][0] == " ":
        del characters[end]
    return characters


def _ends_well(characters: _Painted, end: int) -> bool:
    return characters[end - 1][0] in _BREAKS or characters[end][0] == " "
