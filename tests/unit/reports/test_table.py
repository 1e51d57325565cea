from __future__ import annotations

import pytest

from ansible_ensemble.reports.table import clip, fold, table, width


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
    assert clip("\x1b[31mabcdef\x1b[0m", 4) == "\x1b[31mabc\x1b[0m…"


@pytest.mark.parametrize(
    ("text", "cells", "lines"),
    [
        ("short", 10, ["short"]),
        ("two words", 6, ["two", "words"]),
        ("a_long_name", 8, ["a_long_", "name"]),
        ("indivisible", 4, ["indi", "visi", "ble"]),
        ("日本語", 4, ["日本", "語"]),
        ("\x1b[31mred words\x1b[0m", 5, ["\x1b[31mred\x1b[0m", "\x1b[31mwords\x1b[0m"]),
        ("x", 0, ["x"]),
    ],
)
def test_fold(text, cells, lines):
    assert fold(text, cells) == lines


def test_a_table_takes_no_more_room_than_there_is():
    rows = [["NAME", "WHY", "N"], ["a_long_name_of_an_instance", "it is new", "1"]]
    lines = table(rows, columns=26, right={2})
    assert lines == [
        "NAME          WHY        N",
        "a_long_name_  it is new  1",
        "of_an_",
        "instance",
    ]
    assert table(rows, columns=200) == table(rows)


def test_columns_to_spare_go_first():
    rows = [["1", "a_name", "reason"], ["2", "b_name", "reason"]]
    assert table(rows, columns=14, spare=(0, 2)) == ["a_name  reason", "b_name  reason"]
    assert table(rows, columns=9, spare=(0, 2)) == ["a_name", "b_name"]


def test_a_terminal_that_is_too_narrow_gets_all_of_it():
    rows = [["instances", "operations", "statuses"]]
    assert table(rows, columns=3) == ["instance  operatio  statuses", "s         ns"]
