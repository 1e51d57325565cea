"""Markdown's tables and code blocks, with escaped values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ansible_ensemble.core.regex import regex

_TICKS = regex(r"`{3,}")


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """The lines of a table; none if it has no row. Cells are escaped."""
    lines = [_row(cells) for cells in rows]
    return [_row(heads), _row(["---"] * len(heads)), *lines, ""] if lines else []


def escaped(text: str) -> str:
    """The text as Markdown shows it as it is, in one line of the source."""
    for character in "\\|`*_<>[]":
        text = text.replace(character, f"\\{character}")
    return text.replace("\r", "").replace("\n", "<br>")


def fenced(text: str, language: str) -> list[str]:
    """The lines of a code block, fenced by more ticks than are in the text."""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(text)), default=2))
    return [f"{ticks}{language}", *text.rstrip("\n").split("\n"), ticks]


def _row(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(escaped(str(cell or '')) for cell in cells)} |"
