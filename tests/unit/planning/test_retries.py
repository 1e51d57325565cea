from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Implementation, Operation
from ansible_ensemble.planning.planned_operation import Retry
from ansible_ensemble.planning.sequence import retry_of

CASES: list[tuple[dict[str, Any], Retry]] = [
    ({}, Retry()),
    ({"delay": 3}, Retry()),
    ({"retries": 2}, Retry(2)),
    ({"retries": 2, "delay": "5 s"}, Retry(2, 5.0)),
    ({"retries": 0, "backoff": 0.5}, Retry(0, 0.5)),
    ({"retries": 2, "until": "x is success"}, Retry()),
]


def operation(settings: dict[str, Any]) -> Operation:
    return Operation("Standard", "create", Implementation(primary="true", settings=settings))


@pytest.mark.parametrize(("settings", "retry"), CASES)
def test_settings_of_an_implementation(settings, retry):
    assert retry_of(operation(settings)) == retry


def test_a_step_without_an_implementation_is_tried_once():
    assert retry_of(None) == retry_of(Operation("Standard", "create")) == Retry()


@pytest.mark.parametrize(
    "settings", [{"retries": -1}, {"retries": "2"}, {"retries": True}, {"retries": 1, "delay": "x"}]
)
def test_what_is_no_number_is_refused(settings):
    with pytest.raises(InvalidInput, match=r"Standard\.create"):
        retry_of(operation(settings))
