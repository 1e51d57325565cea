from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.language.functions import calls, function_name, is_computed


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"get_input": "a"}, "get_input"),
        ({"concat": ["a"]}, "concat"),
        ({"token": ["a:b", ":", 0]}, "token"),
        ({"eval": "::a", "vars": {}}, "eval"),
        ({"ref": "::a", "foreach": "x"}, "eval"),
        ({"token": "a credential's"}, None),
        ({"concat": "x"}, None),
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
        "c": {"q": {"get_input": "b"}},
    }
    assert sorted(name for name, _, _ in calls(value, None)) == ["concat", "get_property"]
