"""Time as records show it: always UTC, so that the records of all copies of an ensemble sort alike."""

from __future__ import annotations

from datetime import UTC, datetime

from ansible_ensemble.core.errors import InvalidInput

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


def parse_job_time(text: str) -> datetime:
    """Read a time of a job record back.

    Raises:
        InvalidInput: it is no such time.
    """
    try:
        return datetime.strptime(text, _JOB_TIME).replace(tzinfo=UTC)
    except ValueError as error:
        raise InvalidInput(
            f"{text!r} is no job time", hint="it looks like 2024-01-31-23-33-37-096546, in UTC"
        ) from error
