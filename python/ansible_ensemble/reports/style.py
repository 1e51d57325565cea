"""Colour and emphasis of text reports: Ansible's colours for how an operation ended."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from msgspec import Struct

from ansible_ensemble.core.actions import Action

_RESET = "\x1b[0m"
_STRONG = "\x1b[1m"
_FAINT = "\x1b[2m"
_RED = "\x1b[31m"
_GREEN = "\x1b[32m"
_YELLOW = "\x1b[33m"
_CYAN = "\x1b[36m"

_TERMINAL = {"green": _GREEN, "yellow": _YELLOW, "red": _RED, "cyan": _CYAN, "blue": _CYAN, "grey": ""}
#: The colours of actions on pages and in graphs.
WEB = {
    "green": "#2e7d32", "yellow": "#b26a00", "red": "#c62828", "cyan": "#00838f", "blue": "#1565c0", "grey": "#757575"
}  # fmt: skip
#: The colours of statuses on pages and in graphs.
STATUS_COLOURS = {"ok": "green", "degraded": "yellow", "drifted": "yellow", "error": "red", "unknown": "red"}
_BY_SYMBOL = {action.value: _TERMINAL[action.colour] for action in Action}
_BY_WORD = {
    "ok": _GREEN,
    "changed": _YELLOW,
    "degraded": _YELLOW,
    "drifted": _YELLOW,
    "not checked": _CYAN,
    "skipped": _CYAN,
    "ignored": _CYAN,
    "absent": _FAINT,
    "pending": _CYAN,
    "error": _RED,
    "failed": _RED,
    "unreachable": _RED,
    "stopped": _RED,
    "unknown": _RED,
    "blocked": _YELLOW,
    "cancelled": _YELLOW,
    "interrupted": _RED,
}


class Style(Struct, frozen=True):
    """How text suits the place where it is shown; without colour every method returns its text as it is.

    Attributes:
        colour: whether terminal escape codes may be used.
        columns: the width of the terminal in cells; None where lines may have any length.
    """

    colour: bool = False
    columns: int | None = None

    def room(self, indent: int) -> int | None:
        """The width that is left beside an indentation."""
        return None if self.columns is None else self.columns - indent

    def strong(self, text: str) -> str:
        """Emphasised text."""
        return self._paint(_STRONG, text)

    def faint(self, text: str) -> str:
        """De-emphasised text."""
        return self._paint(_FAINT, text)

    def good(self, text: str) -> str:
        """Text of success."""
        return self._paint(_GREEN, text)

    def bad(self, text: str) -> str:
        """Text of failure."""
        return self._paint(_RED, text)

    def changed(self, text: str) -> str:
        """Text of what changed something, or would."""
        return self._paint(_YELLOW, text)

    def skipped(self, text: str) -> str:
        """Text of what did not have to run, or was left out."""
        return self._paint(_CYAN, text)

    def warning(self, text: str) -> str:
        """Text of a warning."""
        return self._paint(_YELLOW, text)

    def symbol(self, symbol: str, text: str | None = None) -> str:
        """A plan's symbol, or another text, in the symbol's colour."""
        return self._paint(_BY_SYMBOL.get(symbol, ""), symbol if text is None else text)

    def status(self, word: str) -> str:
        """The word of a status in its colour."""
        return self._paint(_BY_WORD.get(word, ""), word)

    def _paint(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self.colour and code and text else text


def style_for(stream: TextIO, environment: Mapping[str, str], *, no_colour: bool = False) -> Style:
    """The style that suits a stream.

    Colour is used on a terminal that is able to, unless the user or `NO_COLOR` or `ANSIBLE_NOCOLOR` says no;
    `ANSIBLE_FORCE_COLOR` says yes where there is no terminal, as it does for Ansible itself. A terminal's width is its
    own, unless `COLUMNS` says another one.
    """
    columns = _columns(stream, environment)
    if no_colour or environment.get("NO_COLOR") or _is_true(environment.get("ANSIBLE_NOCOLOR")):
        return Style(columns=columns)
    if _is_true(environment.get("ANSIBLE_FORCE_COLOR")):
        return Style(colour=True, columns=columns)
    return Style(colour=stream.isatty() and environment.get("TERM") != "dumb", columns=columns)


def _columns(stream: TextIO, environment: Mapping[str, str]) -> int | None:
    """The width of a terminal; None if the stream is none, or one that does not know."""
    if not stream.isatty():
        return None
    said = environment.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except OSError:  # io.UnsupportedOperation is one, too
        return None


def _is_true(text: str | None) -> bool:
    return text is not None and text.lower() in ("1", "true", "yes", "on", "y", "t")
