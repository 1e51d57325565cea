"""The event sink of a job: entries go to the journal, then to observers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ansible_ensemble.engine.journal_entries import Entry
from ansible_ensemble.execution.journal import Journal

#: Told of each entry after it is in the journal.
Observer = Callable[[Entry], None]


class EventSink:
    """Writes the entries of a job to its journal, and tells observers of each."""

    def __init__(self, journal: Journal, observers: Iterable[Observer]) -> None:
        self._journal = journal
        self._observers = tuple(observers)

    async def write(self, entry: Entry) -> None:
        """Write an entry and wait until it is on disk."""
        await self._journal.committed(self._journal.append(entry.to_json()))
        self.tell(entry)

    def note(self, entry: Entry) -> None:
        """Write an entry without waiting; it is on disk with the next `write`."""
        self._journal.append(entry.to_json())
        self.tell(entry)

    def tell(self, entry: Entry) -> None:
        """Send an entry to observers only."""
        for observer in self._observers:
            observer(entry)
