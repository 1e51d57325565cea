"""Predictions of a dry run: for each operation what it would change, or why that is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import Prediction


def needs(refs: Iterable[str]) -> str:
    """Why a dry run skips an operation that needs values of a real run."""
    return f"needs {', '.join(refs)}, which only a real run gives"


def prediction(task: Mapping[str, Any]) -> Prediction:
    """What a task of a dry run's report predicts."""
    status = task["status"]
    if status in ("ok", "skipped") and task["basis"] == Basis.NOT_RUN.value:
        return Prediction(unpredictable="a dry run does not run it" if status == "ok" else f"it {task['error']}")
    if status == "blocked":
        return Prediction(unpredictable="it needs what only a real run gives")
    if status == "ok" and only_looks(str(task["operation"])) and task["target_status"]:
        return Prediction(found=task["target_status"])
    if status in ("ok", "skipped"):
        return Prediction(bool(task["changed"]), list(task["diff"]))
    return Prediction(unpredictable=f"its dry run failed: {task['error'] or status}")


def predict(plan: Plan, report: Mapping[str, Any]) -> None:
    """Put the predictions of a dry run into the operations of the same plan."""
    found = {task["key"]: prediction(task) for task in report["tasks"]}
    for operation in plan.operations:
        operation.prediction = found.get(operation.key)
