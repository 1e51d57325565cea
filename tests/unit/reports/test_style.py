from __future__ import annotations

import fcntl
import io
import os
import struct
import termios

import pytest

from ansible_ensemble.reports.style import Style, style_for


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "no_colour", "colour"),
    [
        (Terminal(), {}, False, True),
        (io.StringIO(), {}, False, False),
        (Terminal(), {}, True, False),
        (Terminal(), {"NO_COLOR": "1"}, False, False),
        (Terminal(), {"NO_COLOR": ""}, False, True),
        (Terminal(), {"TERM": "dumb"}, False, False),
        (Terminal(), {"ANSIBLE_NOCOLOR": "1"}, False, False),
        (io.StringIO(), {"ANSIBLE_FORCE_COLOR": "true"}, False, True),
        (io.StringIO(), {"ANSIBLE_FORCE_COLOR": "true", "NO_COLOR": "1"}, False, False),
    ],
)
def test_when_colour_is_used(stream, environment, no_colour, colour):
    assert style_for(stream, environment, no_colour=no_colour).colour is colour


def test_plain_style_returns_the_text():
    style = Style()
    assert [style.strong("a"), style.bad("b"), style.symbol("+"), style.status("ok")] == ["a", "b", "+", "ok"]


def test_an_unknown_word_has_no_colour():
    assert Style(colour=True).status("whatever") == "whatever"


def test_only_a_terminal_has_a_width():
    assert style_for(Terminal(), {"COLUMNS": "72"}).columns == 72
    assert style_for(Terminal(), {"COLUMNS": "wide"}).columns is None, "one that does not know"
    assert style_for(io.StringIO(), {"COLUMNS": "72"}).columns is None
    assert (Style().room(2), Style(columns=80).room(2)) == (None, 78)


def test_a_terminal_knows_its_width():
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as stream:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 93, 0, 0))
        assert style_for(stream, {}).columns == 93
    os.close(ours)
