"""What a patch consists of."""

from __future__ import annotations

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.provision.client.patch import difference

CASES: list[tuple[str, dict[str, Any], dict[str, Any], list[dict[str, Any]]]] = [
    ("nothing", {"A": [1]}, {"A": [1]}, []),
    (
        "a value",
        {"A": 1, "B": 2},
        {"A": 1, "B": 3},
        [{"op": "test", "path": "/B", "value": 2}, {"op": "replace", "path": "/B", "value": 3}],
    ),
    ("a new key", {"P": {}}, {"P": {"a/b~c": None}}, [{"op": "add", "path": "/P/a~1b~0c", "value": None}]),
    (
        "a key that goes",
        {"P": {"k": {"x": 1}}},
        {"P": {}},
        [{"op": "test", "path": "/P/k", "value": {"x": 1}}, {"op": "remove", "path": "/P/k"}],
    ),
    (
        "an array as a whole",
        {"T": ["a", "b"]},
        {"T": ["a", "c"]},
        [{"op": "test", "path": "/T", "value": ["a", "b"]}, {"op": "replace", "path": "/T", "value": ["a", "c"]}],
    ),
    (
        "a truth is no number",
        {"V": [{"x": 1}]},
        {"V": [{"x": True}]},
        [{"op": "test", "path": "/V", "value": [{"x": 1}]}, {"op": "replace", "path": "/V", "value": [{"x": True}]}],
    ),
    (
        "another shape",
        {"V": {"x": 1}},
        {"V": None},
        [{"op": "test", "path": "/V", "value": {"x": 1}}, {"op": "replace", "path": "/V", "value": None}],
    ),
]


@pytest.mark.parametrize(("old", "new", "operations"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_patch_tests_what_it_changes(old: Any, new: Any, operations: Any) -> None:
    assert difference(old, new) == operations
    # `==` takes True for 1
    assert repr(difference(old, new)) == repr(operations)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text("a/~ä", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a/~ä", max_size=3), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text("a/~ä", max_size=3), values, max_size=4)


@given(objects, objects)
def test_a_patch_makes_the_new_of_the_old(old: dict[str, Any], new: dict[str, Any]) -> None:
    patched = jsonpatch.apply_patch(copy.deepcopy(old), difference(old, new))
    assert repr(_sorted(patched)) == repr(_sorted(new))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
