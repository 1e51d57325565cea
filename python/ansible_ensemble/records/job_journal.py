"""Reading the journal of a job: its entries are checked and ordered, and lost ones named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.changeid import is_change_id, is_job
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.documents.shape import misfit
from ansible_ensemble.engine.journal_entries import Ending, Entry, JobFinished, JobStarted, Started, Timed, read_entry
from ansible_ensemble.engine.outcome import KILLED, REPORTED, Endings, JobOutcome
from ansible_ensemble.execution.journal import JournalReading, read_journal
from ansible_ensemble.records.journals import job_of_journal


class Folded(Struct):
    """A journal, read and ordered.

    Attributes:
        header: its first entry.
        started: by key, how an operation was last started.
        endings: by key, how it ended.
        end: the last entry; None if the job was killed.
        damage: messages about lost parts.
        entries: all entries in order.
    """

    header: JobStarted
    started: dict[str, Started] = field(default_factory=dict)
    endings: dict[str, Ending] = field(default_factory=dict)
    end: JobFinished | None = None
    damage: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        """Take in the next entry. Of an operation that was tried again, the last ending counts."""
        self.entries.append(entry)
        if isinstance(entry, Started):
            self.started[entry.key] = entry
            self.endings.pop(entry.key, None)
            self.endings.pop(entry.key + REPORTED, None)
        elif isinstance(entry, Ending):
            self.endings[entry.key] = entry
        elif isinstance(entry, JobFinished):
            self.end = entry

    @property
    def outcome(self) -> JobOutcome:
        """How the job ended."""
        endings = Endings(self.header.job)
        for entry in self.entries:
            endings.take(entry)
        if self.end is None:
            return endings.outcome(KILLED)
        return endings.outcome(self.end.stopped, self.end.signal, lost_lock=self.end.lost_lock)

    @property
    def is_dry_run(self) -> bool:
        """Whether the job is a dry run."""
        return bool(self.header.options.get("check"))

    @property
    def interrupted(self) -> list[Started]:
        """The operations that were started and whose outcome is unknown."""
        return [entry for key, entry in self.started.items() if key not in self.endings]

    @property
    def is_out(self) -> bool:
        """Whether nodes of a mesh may know how operations of a killed job ended."""
        return not self.is_dry_run and any(begun.ordered_as for begun in self.interrupted)

    @property
    def end_time(self) -> float:
        """When it ended, in seconds since the epoch; of a killed job, the time of its last entry that has one."""
        timed = (entry for entry in reversed(self.entries) if isinstance(entry, Timed))
        return self.end.time if self.end else next(timed, self.header).time

    @property
    def seconds(self) -> float:
        """How long the job took; of one that was killed, by the time of day."""
        return self.end.seconds if self.end else max(0.0, round(self.end_time - self.header.time, 3))


def read_job_journal(path: Path) -> Folded:
    """Read the journal of a job.

    An invalid entry, as of an edit by hand or another version, counts as lost, and is named.
    """
    reading = read_journal(path)
    damage = [str(one) for one in reading.damage]
    entries: list[Entry] = []
    for event in reading.events:
        try:
            entry = _entry(event)
        except InvalidInput as error:
            damage.append(f"{Place(str(path))}: event {event['seq']} cannot be read: {error}")
        else:
            entries += [entry] if entry is not None else []
    header = next((entry for entry in entries if isinstance(entry, JobStarted)), None)
    if header is None and reading.header is None and not entries:
        raise EnsembleError("nothing of the journal can be read", Place(str(path)), "move it away, then run `check`")
    folded = Folded(header or _lost_start(reading, entries, path), damage=damage)
    for entry in entries:
        folded.take(entry)
    return folded


def _entry(event: Mapping[str, Any]) -> Entry | None:
    entry = read_entry(event)
    if isinstance(entry, JobStarted) and not (is_change_id(entry.job) and is_job(entry.job)):
        raise InvalidInput(f"{entry.job} is not an id of a job")
    return entry


def _lost_start(reading: JournalReading, entries: list[Entry], path: Path) -> JobStarted:
    """The first entry of a job whose own is damaged, from what is known."""
    base: Any = (reading.header or {}).get("base")
    return JobStarted(
        job=job_of_journal(path),
        workflow="",
        ensemble="",
        options={},
        base=base if misfit(base, {"*": str}) is None else {},
        summary={},
        total=0,
        time=next((entry.time for entry in entries if isinstance(entry, Timed)), 0.0),
    )
