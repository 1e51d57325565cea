"""Entries of journals for tests, with what a test does not care about filled in."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.engine.journal_entries import Finished, JobFinished, JobStarted, Started


def job_started(**more: Any) -> JobStarted:
    told = {"workflow": "deploy", "ensemble": "ensemble.yaml", "options": {}, "base": {}, "summary": {}, "total": 0}
    return JobStarted(**{"job": "A6BKKsK50000", "time": 10.0, **told, **more})


def job_finished(**more: Any) -> JobFinished:
    return JobFinished(
        **{"ok": True, "counts": {}, "stopped": None, "signal": None, "seconds": 4.0, "time": 14.0, **more}
    )


def _operation(key: str, more: dict[str, Any]) -> dict[str, Any]:
    instance, _, operation = key.partition(":")
    return {
        "key": key,
        "task": f"T-{key}",
        "instance": instance,
        "template": instance,
        "operation": operation,
        "relationship": None,
        "reason": Reason.ADD,
        "implementation": "sh",
        "patches": (),
        **more,
    }


def started(key: str, **more: Any) -> Started:
    return Started(**_operation(key, {"time": 11.0, **more}))


def finished(key: str, ok: bool = True, **more: Any) -> Finished:
    return Finished(ok=ok, **_operation(key, {"changed": False, "error": None, "seconds": 1.5, "time": 12.5, **more}))
