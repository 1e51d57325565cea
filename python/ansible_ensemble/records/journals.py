"""The journals of an ensemble's jobs: where they are, and which of them are still to be recorded."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.changes.job_record import CHANGES, JOBS, OPEN, job_file_name
from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.execution.journal import Journal, JournalReading

#: Ending of a journal whose job is recorded, and of one whose job never began.
RECORDED, TORN = ".events.jsonl", ".torn"


def create_journal(folder: Path, job: str, base: dict[str, str]) -> Journal:
    """Begin the journal of a job: `jobs/job<time>-<id>.journal`."""
    path = folder / JOBS / (job_file_name(job) + OPEN)
    taken = (job_log(folder, job), folder / CHANGES / f"{job_file_name(job)}.yaml")
    for record in filter(Path.exists, taken):
        hint = "start the job again: it gets a new id"
        raise EnsembleError(f"there is a job {job} already", Place(str(record)), hint)
    make_private(path.parent)
    return Journal.create(path, job, base)


def open_journals(folder: Path) -> list[Path]:
    """Journals whose jobs are not recorded, oldest first: killed jobs, and the one that runs."""
    return sorted((folder / JOBS).glob(f"job*{OPEN}"), key=lambda path: path.stem[-8:])


def drop_dry_runs(planned: Path) -> None:
    """Remove the journals of dry runs in `planned`, once they are reported."""
    for journal in open_journals(planned):
        journal.unlink(missing_ok=True)


def close_journal(path: Path) -> None:
    """Mark a journal as recorded; it stays beside the record as the job's log."""
    path.rename(recorded_name(path))


def recorded_name(path: Path) -> Path:
    """The path of a journal once its job is recorded."""
    return path.with_name(path.name.removesuffix(OPEN) + RECORDED)


def recorded_journals(folder: Path) -> set[Path]:
    """Journals whose jobs are recorded."""
    return set((folder / JOBS).glob(f"job*{RECORDED}"))


def job_log(folder: Path, job: str) -> Path:
    """The journal of a recorded job."""
    return folder / JOBS / (job_file_name(job) + RECORDED)


def put_aside(path: Path) -> Path:
    """Rename an empty journal, so that it is not recorded; returns its new path."""
    return path.rename(path.with_name(path.name.removesuffix(OPEN) + TORN))


def job_of_journal(path: Path) -> str:
    """The change id of the job in the name of a journal."""
    return path.name.partition(".")[0][-8:] + "0000"


def is_empty(reading: JournalReading) -> bool:
    """Whether nothing happened in a journal: the job died before it began.

    A job forces its first events to the disk before it does anything, so one with nothing but a torn end
    did nothing. What is damaged elsewhere is not empty.
    """
    return not reading.events and all(damage.at_end for damage in reading.damage)
