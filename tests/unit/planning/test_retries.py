from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Implementation, Operation
from ansible_ensemble.planning.retries import retry_details

CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"delay": 3}, {}),
    ({"retries": 2}, {"retries": 2}),
    ({"retries": 2, "delay": "5 s"}, {"retries": 2, "backoff": 5.0}),
    ({"retries": 0, "backoff": 0.5}, {"retries": 0, "backoff": 0.5}),
    ({"retries": 2, "until": "x is success"}, {}),
]


def operation(settings: dict[str, Any]) -> Operation:
    return Operation("Standard", "create", Implementation(primary="true", settings=settings))


@pytest.mark.parametrize(("settings", "details"), CASES)
def test_settings_of_an_implementation(settings, details):
    assert retry_details(operation(settings)) == details


def test_a_step_without_an_implementation_is_tried_once():
    assert retry_details(None) == retry_details(Operation("Standard", "create")) == {}


@pytest.mark.parametrize(
    "settings", [{"retries": -1}, {"retries": "2"}, {"retries": True}, {"retries": 1, "delay": "x"}]
)
def test_what_is_no_number_is_refused(settings):
    with pytest.raises(InvalidInput, match=r"Standard\.create"):
        retry_details(operation(settings))
