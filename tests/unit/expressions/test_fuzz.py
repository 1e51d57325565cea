"""Whatever is written as an expression: it has a value, it waits for one, or it is refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.expressions.path import parse_path
from ansible_ensemble.expressions.special import SPECIAL_KEYS
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.views.data import plain

#: those that reach out of the model, or need a second to start
LEFT_OUT = {"lookup", "python", "tempfile", "template", "file"}
NAMES = sorted(set(function_table()) - LEFT_OUT)

PATHS = st.lists(
    st.sampled_from(
        ["app", "db", "tags", "::", "::", "[", "]", "=", "!", "?", "*", "0", "-1", "$item", "$x", *SPECIAL_KEYS]
    ),
    max_size=8,
).map("".join)
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-10, 10**6),
    st.floats(),
    st.sampled_from(
        ["SELF", "HOST", "TARGET", "app", "db", "port", "4 GB", "password", "size", "database", "src", "ab:c"]
    ),
    st.text(max_size=6),
    PATHS,
)


def expressions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arguments = st.one_of(inner, st.lists(inner, max_size=4))
    call = st.builds(lambda name, value: {name: value}, st.sampled_from(NAMES), arguments)
    options = st.dictionaries(
        st.sampled_from(
            ["vars", "select", "foreach", "strict", "trace", "then", "else", "sep", "max", "allowed", "round"]
        ),
        inner,
        max_size=2,
    )
    return st.one_of(
        call,
        st.builds(lambda value, more: {"eval": value, **more}, st.one_of(call, inner), options),
        st.builds(lambda value, more: {**value, **more}, call, options),
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
    )


@given(expression=st.recursive(ATOMS, expressions, max_leaves=12))
def test_expressions(model: Any, expression: Any) -> None:
    if "app" not in model.instances.by_name:
        model.instance("app", mode="slow")
    scope = model.evaluator().scope(model.instances.get("app"))
    try:
        value = scope.evaluate(expression)
    except EnsembleError:
        return
    assert "nan" in repr(value) or plain(value) == value


@given(text=st.one_of(PATHS, st.text(max_size=20)))
def test_paths(text: str) -> None:
    try:
        path = parse_path(text)
    except EnsembleError as error:
        assert text in error.message
    else:
        assert path.text == text


@pytest.mark.parametrize(
    "expression",
    [
        {"eval": {"python": "x\0y#f"}},
        {"eval": {"python": "#"}},
        {"eval": {"file": "a\0b"}, "select": "contents"},
        {"eval": {"file": "image.txt", "encoding": "rot13"}, "select": "contents"},
        {"eval": {"validate": [1, {"$ref": "http://nowhere.example/x"}]}},
        {"eval": {"lookup": {5: 1}}},
        {"eval": {"template": "{% endfor %}"}},
        {"eval": {"template": "{{ x }}", "overrides": {"nonsense": 1}}},
        {"eval": "::db::tags", "foreach": {"key": "::db::settings", "value": 1}},
        {"eval": "$x::$y", "vars": {"x": {"a": 1}, "y": []}},
    ],
    ids=str,
)
def test_what_was_once_a_surprise(model: Any, expression: Any, tmp_path: Path) -> None:
    with pytest.raises(EnsembleError):
        model.evaluate(expression, "app")
