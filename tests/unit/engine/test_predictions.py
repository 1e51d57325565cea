"""What a dry run says of each operation of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.engine.predictions import needs, predict, prediction
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import PlannedOperation, Prediction

TASK = {"key": "a", "status": "ok", "basis": "predicted", "operation": "Standard.create", "changed": True, "diff": [1]}
TASK |= {"target_status": "ok", "error": None}


@pytest.mark.parametrize(
    ("changes", "predicted"),
    [
        ({}, Prediction(changed=True, diff=[1])),
        ({"operation": "Install.check"}, Prediction(found="ok")),
        ({"operation": "Install.check", "target_status": None}, Prediction(changed=True, diff=[1])),
        ({"basis": "not-run"}, Prediction(unpredictable="a dry run does not run it")),
        ({"status": "skipped", "changed": False, "error": "needs a.url: no"}, Prediction(changed=False, diff=[1])),
        (
            {"status": "skipped", "basis": "not-run", "error": needs(["a.url", "b.x"])},
            Prediction(unpredictable="it needs a.url, b.x, which only a real run gives"),
        ),
        ({"status": "blocked", "basis": "not-run"}, Prediction(unpredictable="it needs what only a real run gives")),
        ({"status": "error", "error": "no"}, Prediction(unpredictable="its dry run failed: no")),
        ({"status": "cancelled", "basis": "not-run"}, Prediction(unpredictable="its dry run failed: cancelled")),
    ],
)
def test_what_is_predicted_of_a_task(changes: dict[str, Any], predicted: Prediction) -> None:
    assert prediction(TASK | changes) == predicted


def operation(key: str) -> PlannedOperation:
    return PlannedOperation(key, "a", "a", "Standard", "create", Reason.ADD, "deploy")


def test_a_plan_tells_what_was_predicted_of_its_operations() -> None:
    plan = Plan("deploy", "ensemble.yaml", operations=[operation("a"), operation("b")])
    predict(plan, {"tasks": [TASK]})
    assert [one.prediction for one in plan.operations] == [Prediction(changed=True, diff=[1]), None]
