from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import SensitiveList, SensitiveMap, SensitiveStr
from ansible_ensemble.core.texts import MAX_NESTING, cut, deeper_than, is_cut, named_texts, storable, with_text_keys


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({2: "a", None: "b", True: "c", (1, 2): "d"}, {"2": "a", "null": "b", "true": "c", "(1, 2)": "d"}),
        ({"at": datetime(2026, 1, 2, tzinfo=UTC)}, {"at": "2026-01-02 00:00:00+00:00"}),
        ({"path": Path("/x"), "set": {1}}, {"path": "/x", "set": [1]}),
        (MappingProxyType({"a": (b"x",)}), {"a": ("b'x'",)}),
    ],
)
def test_what_json_does_not_know_becomes_what_it_knows(value: Any, plain: Any) -> None:
    assert storable(value) == plain


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: (v,), lambda v: {"k": v}, lambda v: [1, {"k": v}]])
@pytest.mark.parametrize("leaf", [1, [], {}])
def test_nesting_has_a_limit(wrap: Any, leaf: Any) -> None:
    value = leaf
    while not deeper_than(value, MAX_NESTING):
        assert storable(value) == value
        value = wrap(value)
    with pytest.raises(InvalidInput, match="deeper than 100"):
        storable(value)
    for _ in range(5000):
        value = wrap(value)
    assert deeper_than(value, MAX_NESTING)


def test_an_integer_has_at_most_as_many_digits_as_can_be_read() -> None:
    assert storable(10**3000) == 10**3000
    with pytest.raises(InvalidInput, match="too many digits"):
        storable([10**4400])


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("\ud800x", "\ufffdx"),
        ("é😀", "é😀"),
        ({"\udcff": ["\udfff", 1, None, True]}, {"\ufffd": ["\ufffd", 1, None, True]}),
        (("a", "\ud800"), ("a", "\ufffd")),
        (SensitiveStr("\ud800"), SensitiveStr("\ufffd")),
        (SensitiveMap(a="\ud800"), SensitiveMap(a="\ufffd")),
        (SensitiveList(["\ud800"]), SensitiveList(["\ufffd"])),
    ],
)
def test_lone_surrogates_are_replaced(value: Any, clean: Any) -> None:
    made = storable(value)
    assert made == clean
    assert type(made) is type(clean)


def test_what_was_cut_is_known_for_it() -> None:
    assert is_cut(cut("a" * 30, 20))
    assert not is_cut(cut("a" * 20, 20))
    assert is_cut("a\n[... 7 bytes cut ...]\nb")
    assert not is_cut("a ... b")


def test_texts_have_the_name_under_which_they_stand():
    value = {"src": ["a", {"dest": "b"}], "mode": 420, "then": ("c", ["d"])}
    assert [*named_texts(value, "args")] == [("src", "a"), ("dest", "b"), ("then", "c"), ("then", "d")]
    assert [*named_texts("x", "args")] == [("args", "x")]


def test_keys_of_several_kinds_become_texts():
    value = {1: ["a", {None: 2}], "b": 3, 1.5: 4}
    assert with_text_keys(value) == {"1": ["a", {"None": 2}], "b": 3, "1.5": 4}
