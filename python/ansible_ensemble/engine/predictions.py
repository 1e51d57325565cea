"""What a dry run says about a plan: for each operation what it would change, or why that cannot be said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.instances.lifecycle import only_looks


def needs(refs: Iterable[str]) -> str:
    """Why a dry run leaves an operation out that needs what only a real run gives."""
    return f"needs {', '.join(refs)}, which only a real run gives"


def prediction(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a task of a dry run's report predicts.

    Returns:
        `changed` and `diff` (as Ansible modules give them); of an operation that only looks, `found`, a status; or
        `unpredictable` with the reason.
    """
    status = task["status"]
    if status in ("ok", "skipped") and task["basis"] == Basis.NOT_RUN.value:
        return {"unpredictable": "a dry run does not run it" if status == "ok" else f"it {task['error']}"}
    if status == "blocked":
        return {"unpredictable": "it needs what only a real run gives"}
    if status == "ok" and only_looks(str(task["operation"])) and task["targetStatus"]:
        return {"found": task["targetStatus"]}
    if status in ("ok", "skipped"):
        return {"changed": bool(task["changed"]), "diff": list(task["diff"])}
    return {"unpredictable": f"its dry run failed: {task['error'] or status}"}


def predict(document: Mapping[str, Any], report: Mapping[str, Any]) -> None:
    """Put the predictions of a dry run into a plan's document, as `details.prediction` of its operations.

    Args:
        document: the plan's JSON document.
        report: the report of the dry run of the same plan.
    """
    found = {task["key"]: prediction(task) for task in report["tasks"]}
    for operation in document["operations"]:
        if operation["key"] in found:
            operation["details"]["prediction"] = found[operation["key"]]
