from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.configurators.helm_values import hide_secrets, secret_paths, shown_values
from ansible_ensemble.core.sensitive import mark_sensitive
from tests.unit.configurators.conftest import FakeTask

MASKED = "<<REDACTED>>"
CHANGED = f"{MASKED} (changed)"
SECRET = mark_sensitive("new")


@pytest.mark.parametrize(
    ("inputs", "paths"),
    [
        ({"values": {"a": 1, "b": {"c": SECRET, "d": 2}}}, {("b", "c")}),
        ({"values": {"users": [{"name": "x", "key": SECRET}]}}, {("users",)}),
        ({"values": {"b": mark_sensitive({"c": 1})}}, {("b",)}),
        ({"set": {"a.b": SECRET, "c": 1, r"x\.y.z": SECRET, "l[0].k": SECRET}}, {("a", "b"), ("x.y", "z"), ("l",)}),
        ({}, set()),
    ],
)
def test_secrets_are_known_by_where_they_are(
    task: Callable[..., FakeTask], inputs: dict[str, Any], paths: set[tuple[str, ...]]
) -> None:
    assert secret_paths(task(inputs=inputs)) == paths


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"a": {"b": "old"}}, {"a": {"b": "new"}}, ({"a": {"b": MASKED}}, {"a": {"b": CHANGED}})),
        ({"a": {"b": "new"}}, {"a": {"b": "new"}}, ({"a": {"b": MASKED}}, {"a": {"b": MASKED}})),
        ({}, {"a": {"b": "new", "c": 1}}, ({}, {"a": {"b": MASKED, "c": 1}})),
        ({"n": 1, "t": "x"}, {"n": 2, "t": "y"}, ({"n": 1, "t": "x"}, {"n": 2, "t": "y"})),
        (
            {"gone": {"t": "was a secret", "n": 5, "l": ["x", True]}},
            {},
            ({"gone": {"t": MASKED, "n": 5, "l": [MASKED, True]}}, {}),
        ),
        ({"password": "old"}, {"password": "x"}, ({"password": MASKED}, {"password": CHANGED})),
    ],
)
def test_values_are_shown_without_secrets(
    task: Callable[..., FakeTask], before: dict[str, Any], after: dict[str, Any], shown: tuple[Any, Any]
) -> None:
    assert shown_values(task(inputs={"values": {"a": {"b": SECRET}}}), before, after) == shown


def test_the_secrets_of_before_are_masked_as_well(
    task: Callable[..., FakeTask], monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden: list[Any] = []
    monkeypatch.setattr(FakeTask, "hide", lambda _, value: hidden.append(value), raising=False)
    hide_secrets(task(inputs={"values": {"a": {"b": SECRET}, "c": SECRET}}), {"a": {"b": "old"}, "d": "plain"})
    assert hidden == ["old"]
