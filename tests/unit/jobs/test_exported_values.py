"""What is written, without secrets."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED, SensitiveStr
from ansible_ensemble.jobs.exported_values import hidden


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("hunter2", REDACTED),
        (7, REDACTED),
        ({"a": "hunter2"}, REDACTED),
        ({"get_input": "password"}, {"get_input": "password"}),
        ({"get_property": ["SELF", "keys", 0]}, {"get_property": ["SELF", "keys", 0]}),
        ({"get_env": ["TOKEN", "hunter2"]}, {"get_env": ["TOKEN", REDACTED]}),
        ({"concat": ["hunter2", {"get_env": "TOKEN"}]}, {"concat": [REDACTED, {"get_env": "TOKEN"}]}),
        ({"eval": "::db::token"}, {"eval": "::db::token"}),
        ({"eval": {"secret": "db"}}, {"eval": {"secret": "db"}}),
        ({"eval": {"if": ".::x", "then": "hunter2"}}, {"eval": {"if": REDACTED, "then": REDACTED}}),
        ({"eval": {"q": {"secret": "hunter2"}}}, {"eval": {"q": REDACTED}}),
        ({"eval": {"template": "hunter2{{ x }}"}}, {"eval": {"template": REDACTED}}),
        ("{{ SELF.token }}", "{{ SELF.token }}"),
        ("{{ 'hunter2' }}", REDACTED),
        ("hunter2{{ x }}", REDACTED),
        (None, None),
        (True, True),
    ],
)
def test_of_a_secret_only_its_place_is_shown(value: Any, shown: Any) -> None:
    assert hidden(value, "value", secret=True) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        (SensitiveStr("hunter2"), REDACTED),
        ({"eval": {"sensitive": "hunter2"}}, {"eval": {"sensitive": REDACTED}}),
        ({"eval": {"sensitive": {"concat": ["hunter2"]}}}, {"eval": {"sensitive": {"concat": [REDACTED]}}}),
        ({"concat": ["a", {"sensitive": "hunter2"}]}, {"concat": ["a", {"sensitive": REDACTED}]}),
        ({"user": "a", "password": "hunter2"}, {"user": "a", "password": REDACTED}),
        ({"password": {"concat": ["hunter2"]}}, {"password": {"concat": [REDACTED]}}),
        ({"secret": "hunter2"}, {"secret": REDACTED}),
        ({"eval": {"q": {"password": "hunter2"}}}, {"eval": {"q": {"password": REDACTED}}}),
        ([{"token": "hunter2"}, 1], [{"token": REDACTED}, 1]),
        ("{{ 'a' }}", "{{ 'a' }}"),
    ],
)
def test_what_is_secret_in_other_values_is_masked(value: Any, shown: Any) -> None:
    assert hidden(value, "value") == shown
