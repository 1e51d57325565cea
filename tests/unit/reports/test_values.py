from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.reports.values import block, clean, diff_lines, few, is_short, one_line

PLAIN = [None, True, False, 0, -7, 1.5, "", "a", "a b", "true", "no", "null", "~", "12", "1e3", "0x1f", "- a", "-a"]
TRICKY = [
    "a: b",
    "0:?",
    "a #b",
    "#a",
    "@x",
    "`x",
    "x:",
    "{a}",
    "[a]",
    " a",
    "a ",
    "/etc/app",
    "http://x:80",
    "it's",
    '"',
    "é",
    ".",
]


@pytest.mark.parametrize("value", [*PLAIN, *TRICKY, [], {}, [1, "a"], {"a": {"b": [True, None]}}, ["0:?"]], ids=repr)
def test_one_line_reads_back_as_yaml(value):
    assert parse_yaml(one_line(value), "test").data == value


@pytest.mark.parametrize("value", [{"a": [1, {"b": "x" * 90}], "c": {}}, ["y" * 80, [1, 2]], {"t": "l1\nl2"}], ids=repr)
def test_a_block_reads_back_as_yaml(value):
    data = parse_yaml("\n".join(block(value)), "test").data
    assert data == value or {k: v.rstrip("\n") for k, v in data.items()} == value


def test_control_characters_are_written_out():
    assert clean("a\x1b[31mb\x00") == "a\\x1b[31mb\\x00"


def test_short_and_long():
    assert is_short("a\n")
    assert not is_short("a\nb")
    assert not is_short("x" * 100)


def test_a_diff_shows_only_what_is_near_a_change():
    before, after = ({f"k{n}": n for n in range(30)} for _ in range(2))
    after["k15"] = "new"
    lines = diff_lines(before, after)
    assert "- k15: 15" in lines
    assert "+ k15: new" in lines
    assert len(lines) == 7
    assert lines[0] == "  ..."


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("a\n\n\n", "a\n\n\nb\n", ["  ", "  ", "+ b"]),
        ("a\n", "a\n\n", ["  a", "+ "]),
        ("a\nb", "a\nb\n", []),
    ],
)
def test_a_diff_of_empty_lines_at_the_end(before, after, lines):
    found = [line for line in diff_lines(before, after) if line != "  ..."]
    assert found == lines


PRINTABLE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"], exclude_characters="\xa0"), max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | PRINTABLE
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PRINTABLE, inner, max_size=3), max_leaves=8
)


@given(DATA)
def test_any_data_reads_back_from_one_line(value):
    assert parse_yaml(one_line(value), "test").data == value


@given(st.text())
def test_no_text_can_drive_the_terminal(text):
    assert all(character.isprintable() for character in one_line(text))


@pytest.mark.parametrize("secret", ["hunter2", "two\nlines", {"a": "hunter2"}, ["hunter2"], 4711], ids=repr)
def test_a_marked_value_is_never_shown(secret):
    marked = mark_sensitive(secret)
    for value in (marked, {"key": marked}, [marked]):
        assert "(sensitive value)" in one_line(value)
        assert "(sensitive value)" in "\n".join(block(value))
        assert not {"hunter2", "4711", "lines"} & set(re.findall(r"\w+", one_line(value) + "\n".join(block(value))))


def test_few_lines_and_few_of_a_long_one():
    lines = ["x" * 5000, *map(str, range(50))]
    assert few(lines, every=True) == lines
    shown = few(lines, every=False, limit=3)
    assert shown[0] == f"{'x' * 1000}... (4000 more characters; -v shows all)"
    assert shown[1:] == ["0", "1", "... (48 more lines; -v shows all)"]
