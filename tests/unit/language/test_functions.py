from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.language.function_check import calls
from ansible_ensemble.language.functions import function_name, functions, is_computed


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"get_input": "a"}, "get_input"),
        ({"concat": ["a"]}, "concat"),
        ({"token": ["a:b", ":", 0]}, "token"),
        ({"eval": "::a", "vars": {}}, "eval"),
        ({"ref": "::a", "foreach": "x"}, "ref"),
        ({"eval": "::a", "kwargs": {}}, None),
        ({"concat": ["a"], "sep": "-"}, "concat"),
        ({"_generate": {"preset": "password"}, "len": 20}, "_generate"),
        ({"generate_string": {}}, "generate_string"),
        ({"quote": "x"}, "quote"),
        ({"get_property": "x"}, "get_property"),
        ({"add": [1, 2]}, None),
        ({"token": "a credential's"}, None),
        ({"concat": "x"}, "concat"),
        ({"get_input": "a", "b": 1}, None),
        ({"eval": "x", "other": 1}, None),
        ({}, None),
        ({1: 2}, None),
        ("get_input", None),
    ],
)
def test_function_name(value: Any, name: str | None) -> None:
    assert function_name(value) == name


@pytest.mark.parametrize(
    ("value", "computed"),
    [
        ("{{ x }}", True),
        ("{% if x %}{% endif %}", True),
        ("#jinja2: x\n", True),
        ("{ x }", False),
        ({"get_env": "HOME"}, True),
        ([{"get_input": "a"}], False),
    ],
)
def test_is_computed(value: Any, computed: bool) -> None:
    assert is_computed(value) is computed


def test_calls_finds_functions_however_deep_but_not_inside_of_expressions() -> None:
    value = {
        "a": [{"concat": ["x", {"get_property": ["SELF", "p"]}]}],
        "b": {"eval": {"get_input": "a"}},
        "c": {
            "q": {"get_input": "b"},
        },
        "d": {"quote": {"get_input": "b"}},
    }
    assert sorted(name for name, _, _ in calls(value, None)) == ["concat", "get_property"]


FAULTS: dict[str, tuple[dict[str, Any], str | None]] = {
    "too few": ({"get_property": ["SELF"]}, "it takes an entity and the name of a value of it"),
    "no list": ({"concat": "x"}, "it takes a list of at least one value"),
    "a computed list": ({"concat": {"eval": "::a"}}, None),
    "of a wrong kind": ({"token": ["a", "b", True]}, "it takes a text, a separator and the number of a part"),
    "computed ones": ({"token": ["{{ a }}", {"get_input": "b"}, {"get_input": "c"}]}, None),
    "too many": ({"eq": [1, 2, 3]}, "it takes 2 arguments"),
    "one for which a list may stand": ({"has_env": ["A", "B"]}, "it takes 1 argument"),
    "none where there may be none": ({"get_env": None}, None),
    "a list as one value": ({"to_label": ["a", "b"], "sep": "-"}, None),
    "an unknown option": ({"concat": ["a"], "spe": "-"}, 'it takes no "spe"'),
    "any number": ({"and": [1, 2, 3, 4]}, None),
}


@pytest.mark.parametrize(("call", "fault"), FAULTS.values(), ids=FAULTS)
def test_the_shape_of_a_call(call: dict[str, Any], fault: str | None) -> None:
    name = next(iter(call))
    found = functions()[name].fault(name, call)
    assert (found and found[0]) == fault
