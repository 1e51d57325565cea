"""What jobs, locks and records are as results of Ansible tasks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.projects.controller import running_job
from ansible_ensemble.projects.lock import Lock
from ansible_ensemble.projects.project import in_repository

#: What is told of an operation; the report has these keys, and more for people.
_OPERATION = (
    *("change_id", "instance", "template", "operation", "relationship", "reason", "status", "host", "lane", "seconds"),
    *("changed", "basis", "unreachable", "excused", "error", "messages", "blocked_by", "diff", "attributes"),
)


def job_result(report: Mapping[str, Any], planned: Mapping[str, Any], ensemble: Path) -> dict[str, Any]:
    """The job, what was `planned`, its operations in their order, what came of it on each host, outputs and drift."""
    return {
        "job": report["job"] if running_job(os.environ, {}) is None else _in_repository(report["job"], ensemble),
        "plan": dict(planned),
        "operations": [{name: task[name] for name in _OPERATION} for task in report["tasks"]],
        "hosts": report["hosts"],
        "outputs": report["outputs"],
        "drift": report["drift"],
        "summary": report["summary"],
    }


def _in_repository(job: Mapping[str, Any], ensemble: Path) -> dict[str, Any]:
    """A job with its paths as the repository has them: those of its container lead nowhere."""
    paths = {"ensemble": str(ensemble), "record": job.get("record")}
    return {**job, **{name: in_repository(path, ensemble.parent) for name, path in paths.items() if path}}


def lock_result(lock: Lock, environment: str | None = None) -> dict[str, Any]:
    """Who holds a lock, what for and since when, and by which environment, if not the ensemble's own."""
    process = lock.process
    result = {"id": lock.id, "operation": lock.operation, "who": lock.who, "pid": process.pid, "host": process.host}
    return result | {"created": lock.created, "path": lock.path, "environment": environment}
