"""What a websocket asks to be told of."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.server.filters import InvalidFilter, matches_of, parse_filter


@pytest.mark.parametrize(
    ("text", "matches"),
    [("*.*.*", [(None, None, None)]), ("a.b.c.d", [("a", "b", "c.d")]),
     ("a,b.*.c", [("a", None, "c"), ("b", None, "c")]),
     ("\\3.a\\1b.c\\2d", [("*", "a.b", "c,d")])],
)  # fmt: skip
def test_stands_for(text, matches):
    assert parse_filter(text) == matches


@pytest.mark.parametrize("text", ["", "a", "a.b", "..", "a..b", ".".join([",".join("abcdefghijk")] * 3)])
def test_refuses(text):
    with pytest.raises(InvalidFilter):
        parse_filter(text)


def test_an_event_fulfils_what_names_it_or_any():
    assert len(set(matches_of("a", "b", "c"))) == 8
    assert {("a", "b", "c"), (None, None, None), ("a", None, "c")} <= set(matches_of("a", "b", "c"))
