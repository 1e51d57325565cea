from __future__ import annotations

import pytest

from ansible_ensemble.reports.table import clip, table, width


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("", 0), ("é", 1), ("e\u0301", 1), ("日本", 4), ("\x1b[31mred\x1b[0m", 3), ("a\u200bb", 2)],
)
def test_width(text, cells):
    assert width(text) == cells


def test_columns_are_aligned():
    assert table([["a", "1", "x"], ["日本", "10", "y"]], right={1}) == ["a      1  x", "日本  10  y"]


def test_no_blanks_at_the_end():
    assert table([["a", ""], ["b", "c"]]) == ["a", "b  c"]


def test_no_rows():
    assert table([]) == []


def test_clip():
    assert clip("abcdef", 4) == "abc…"
    assert clip("日本語", 5) == "日本…"
    assert clip("abc", 3) == "abc"
