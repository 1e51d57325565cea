from __future__ import annotations

import io

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
