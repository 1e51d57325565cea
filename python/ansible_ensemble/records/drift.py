"""The drift that the last check or discover found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.changes.history import history
from ansible_ensemble.records.job_journal import read_job_journal
from ansible_ensemble.records.journals import job_log
from ansible_ensemble.records.report import job_report

#: Workflows whose operations look at what is there.
LOOKING = ("check", "discover")


def drift_of(folder: Path, job: str) -> list[dict[str, Any]] | None:
    """The drift that a recorded job found, by instance; None if its journal is gone."""
    log = job_log(folder, job)
    return job_report(read_job_journal(log))["drift"] if log.is_file() else None


def last_drift(folder: Path) -> dict[str, Any] | None:
    """The drift that the last check or discover found: `{job, workflow, time, instances}`; None if unknown."""
    for job in reversed(history(folder)):
        if job.get("workflow") in LOOKING and (found := drift_of(folder, job["change_id"])) is not None:
            time = job.get("end_time")
            return {"job": job["change_id"], "workflow": job["workflow"], "time": time, "instances": found}
    return None
