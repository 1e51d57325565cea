"""The kinds of a journal's entries."""

from __future__ import annotations

from enum import Enum


class EntryKind(str, Enum):
    """The kind of an entry; its value is in the entry's `event` (`engine.journal_entries`)."""

    JOURNAL = "journal"
    JOB_STARTED = "job-started"
    STARTED = "started"
    PROGRESSED = "progressed"
    NOTED = "noted"
    FINISHED = "finished"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"
    WAITING = "waiting"
    STOPPING = "stopping"
    PLANNED = "planned"
    MENDED = "mended"
    JOB_FINISHED = "job-finished"
