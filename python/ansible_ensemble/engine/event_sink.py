"""The event sink of a job: events go into the journal, and from there to those who look on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ansible_ensemble.execution.journal import Journal

#: Told of each event after it is in the journal.
Observer = Callable[[dict[str, Any]], None]


class EventSink:
    """Writes the events of a job.

    Args:
        journal: open for appending.
        observers: told of each event.
    """

    def __init__(self, journal: Journal, observers: Iterable[Observer] = ()) -> None:
        self._journal = journal
        self._observers = tuple(observers)

    async def write(self, event: dict[str, Any]) -> None:
        """Write an event so that it counts: it is on disk when this returns.

        Raises:
            EnsembleError: the journal cannot be written.
        """
        await self._journal.committed(self._journal.append(event))
        self.tell(event)

    def note(self, event: dict[str, Any]) -> None:
        """Write an event that nothing has to wait for; it is on disk with the next one that counts."""
        self._journal.append(event)
        self.tell(event)

    def tell(self, event: dict[str, Any]) -> None:
        """Tell those who look on, and nobody else."""
        for observer in self._observers:
            observer(event)
