"""Time as records show it: always UTC, so that the records of all copies of an ensemble sort alike."""

from __future__ import annotations

from datetime import UTC, datetime

_JOB_TIME = "%Y-%m-%d-%H-%M-%S-%f"


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def job_time(moment: datetime) -> str:
    """The moment as job records hold it, to the microsecond: `2024-01-31-23-33-37-096546`."""
    return moment.astimezone(UTC).strftime(_JOB_TIME)


def file_time(moment: datetime) -> str:
    """The moment as file names hold it, to the second: `2024-01-31-23-33-37` (docs/rules.md, "Generated files")."""
    return job_time(moment)[:19]


def iso_time(moment: datetime) -> str:
    """The moment for people and other tools, to the second: `2024-01-31T23:33:37Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
