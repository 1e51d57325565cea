"""Files of YAML and JSON: what they mean, and where each value is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.provision.content.document import meaning, parse
from ansible_ensemble.provision.content.writing import yaml_text

YAML, JSON = Path("file.yaml"), Path("file.json")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("y", "y"),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-12", -12),
        ("1_000", 1000),
        ("0755", 493),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("08", 8.0),
        ("0xyz", "0xyz"),
        ("1.50", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.2.3", "1.2.3"),
        ("2024-05-01", "2024-05-01"),
        ("1:30", "1:30"),
        (".inf", ".inf"),
    ],
)
def test_what_a_word_means(text: str, value: object) -> None:
    found = meaning(text)
    assert (found, type(found)) == (value, type(value))


def test_values_and_their_places() -> None:
    document = parse("a: &a\n  b: [1, two]\n  c: |\n    first\n    second\nd: *a\ne: !!str 5\nf: '6'\n", YAML)
    whole = {"b": [1, "two"], "c": "first\nsecond\n"}
    assert document.value == {"a": whole, "d": whole, "e": "5", "f": "6"}
    assert document.spot(("a", "b", 1)).value == Place("file.yaml", 2, 10)
    assert document.spot(("a", "b")).key == Place("file.yaml", 2, 3)
    assert (document.spot(("a", "c")).first, document.spot(("e",)).first) == (4, 0)
    assert document.spot(("a", "gone", "more")).value == document.spot(("a",)).value


def test_merged_entries_give_way_to_own_ones() -> None:
    text = "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz:\n  <<: [*x, *y]\n  a: 3\n"
    document = parse(text, YAML)
    assert document.value["z"] == {"a": 3, "b": 1, "c": 2}
    assert document.spot(("z", "a")).value.line == 5


def test_json_is_json() -> None:
    text = '{"a": "\\ud83d\\ude00\\/\\u00e9",\t"b": [1.5e2, null, true]}'
    assert parse(text, JSON).value == json.loads(text) == {"a": "😀/é", "b": [150.0, None, True]}
    with pytest.raises(InvalidInput, match=r"file.json:2:3: JSON is malformed"):
        parse('{"a":\n  yes}', JSON)


@pytest.mark.parametrize("text", ["a: 1\n<<: 5\n", "a: {? {b: c} : d}\n", "a: !!int x\n", "a: \x01\n", "'"])
def test_what_is_no_data(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse(text, YAML)


_TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_TEXTS, _DATA, max_size=4))
def test_what_is_written_is_read_again(value: dict[str, Any]) -> None:
    assert parse(yaml_text({"whole": value}), YAML).value == {"whole": value}
