"""The journals of an ensemble's jobs: where they are, and which of them are still to be recorded."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.changes.job_record import JOBS, job_file_name
from ansible_ensemble.execution.journal import Journal, JournalReading

#: Ending of a journal whose job is not recorded yet, and of one whose job is.
OPEN, RECORDED = ".journal", ".events.jsonl"


def create_journal(folder: Path, job: str, base: dict[str, str]) -> Journal:
    """Begin the journal of a job: `jobs/job<time>-<id>.journal`.

    Raises:
        EnsembleError: it cannot be written.
    """
    path = folder / JOBS / (job_file_name(job) + OPEN)
    path.parent.mkdir(parents=True, exist_ok=True)
    return Journal.create(path, job, base)


def open_journals(folder: Path) -> list[Path]:
    """Journals whose jobs are not recorded, oldest first: killed jobs, and the one that runs."""
    return sorted((folder / JOBS).glob(f"job*{OPEN}"), key=lambda path: path.stem[-8:])


def drop_dry_runs(planned: Path) -> None:
    """Remove the journals of dry runs: nothing they tell of has happened, and they are reported.

    Args:
        planned: the folder that dry runs write in.
    """
    for journal in open_journals(planned):
        journal.unlink(missing_ok=True)


def close_journal(path: Path) -> None:
    """Mark a journal as recorded; it stays beside the record as the job's log."""
    path.rename(path.with_name(path.name.removesuffix(OPEN) + RECORDED))


def job_log(folder: Path, job: str) -> Path:
    """The journal of a recorded job."""
    return folder / JOBS / (job_file_name(job) + RECORDED)


def is_empty(reading: JournalReading) -> bool:
    """Whether nothing happened in a journal: the job died before it began. What is damaged is not empty."""
    return not reading.events and not reading.damage
