"""The event sink of a job: entries go into the journal, and from there to those who look on."""

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
        """Write an entry so that it counts: it is on disk when this returns."""
        await self._journal.committed(self._journal.append(entry.to_json()))
        self.tell(entry)

    def note(self, entry: Entry) -> None:
        """Write an entry that nothing has to wait for; it is on disk with the next one that counts."""
        self._journal.append(entry.to_json())
        self.tell(entry)

    def tell(self, entry: Entry) -> None:
        """Tell those who look on, and nobody else."""
        for observer in self._observers:
            observer(entry)
