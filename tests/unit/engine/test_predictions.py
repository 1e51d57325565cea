"""What a dry run says of each operation of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.engine.predictions import needs, predict, prediction

TASK = {"key": "a", "status": "ok", "basis": "predicted", "operation": "Standard.create", "changed": True, "diff": [1]}
TASK |= {"targetStatus": "ok", "error": None}


@pytest.mark.parametrize(
    ("changes", "predicted"),
    [
        ({}, {"changed": True, "diff": [1]}),
        ({"operation": "Install.check"}, {"found": "ok"}),
        ({"operation": "Install.check", "targetStatus": None}, {"changed": True, "diff": [1]}),
        ({"basis": "not-run"}, {"unpredictable": "a dry run does not run it"}),
        ({"status": "skipped", "changed": False, "error": "needs a.url: no"}, {"changed": False, "diff": [1]}),
        (
            {"status": "skipped", "basis": "not-run", "error": needs(["a.url", "b.x"])},
            {"unpredictable": "it needs a.url, b.x, which only a real run gives"},
        ),
        ({"status": "blocked", "basis": "not-run"}, {"unpredictable": "it needs what only a real run gives"}),
        ({"status": "error", "error": "no"}, {"unpredictable": "its dry run failed: no"}),
        ({"status": "cancelled", "basis": "not-run"}, {"unpredictable": "its dry run failed: cancelled"}),
    ],
)
def test_what_is_predicted_of_a_task(changes: dict[str, Any], predicted: dict[str, Any]) -> None:
    assert prediction(TASK | changes) == predicted


def test_a_plan_tells_what_was_predicted_of_its_operations() -> None:
    plan: dict[str, Any] = {"operations": [{"key": key, "details": {}} for key in ("a", "b")]}
    predict(plan, {"tasks": [TASK]})
    assert [one["details"] for one in plan["operations"]] == [{"prediction": {"changed": True, "diff": [1]}}, {}]
