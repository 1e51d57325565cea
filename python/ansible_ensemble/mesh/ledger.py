"""The ledger of a worker: which orders it knows, so that each is carried out once, whatever happens in between."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

_Name = TypeVar("_Name", bound=Hashable)
_Name_contra = TypeVar("_Name_contra", bound=Hashable, contravariant=True)


#: How many acknowledged orders are remembered, of those last acknowledged.
_REMEMBERED = 20_000


class Known(Enum):
    """What a worker knows of an order."""

    NEW = "new"
    RUNS = "runs"
    ENDED = "ended"
    CUT_OFF = "cut off"


class Entry(Struct, frozen=True):
    """What is known of an order; of one that has ended, how it did."""

    known: Known
    ended: str = ""


class Notes(Protocol[_Name_contra]):
    """What outlives the worker: a text for each name."""

    def read(self, name: _Name_contra, /) -> str | None:
        """The text; None if there is none."""

    def write(self, name: _Name_contra, text: str, /) -> None:
        """Keep a text; it is safe on return."""

    def remove(self, name: _Name_contra, /) -> None:
        """Forget a name."""


class Ledger(Generic[_Name]):
    """The orders of a worker.

    An order is noted before it begins: as an empty text at first, then as how it ended. One that is noted as empty and
    does not run was cut off with the worker that carried it out. One that is acknowledged is not noted any more, but
    remembered for a while: a connection that is about to end may bring it late.
    """

    def __init__(self, notes: Notes[_Name]) -> None:
        self._notes = notes
        self._running: set[_Name] = set()
        self._acknowledged: dict[_Name, None] = {}

    def runs(self, name: _Name) -> bool:
        """Whether an order runs, or waits for its turn."""
        return name in self._running

    def begin(self, name: _Name) -> Entry:
        """What is known of an order that is to be carried out; one that is new runs from now on."""
        entry = self._entry(name)
        if entry.known is Known.NEW:
            self._notes.write(name, "")
            self._running.add(name)
        return entry

    def cancel(self, name: _Name, never: str) -> Entry:
        """What is known of an order that is to end; one that is new ends as `never`, and will not begin."""
        entry = self._entry(name)
        if entry.known is Known.NEW:
            self._notes.write(name, never)
            return Entry(Known.ENDED, never)
        return entry

    def end(self, name: _Name, ended: str) -> None:
        """An order has ended."""
        self._running.discard(name)
        self._notes.write(name, ended)

    def cut_off(self, name: _Name) -> None:
        """An order runs no more; it has ended, or nobody knows how far it came."""
        self._running.discard(name)

    def acknowledge(self, name: _Name) -> None:
        """Forget an order whose end is known, where it has ended."""
        if name not in self._running:
            self._notes.remove(name)
            self._acknowledged[name] = None
            if len(self._acknowledged) > _REMEMBERED:
                del self._acknowledged[next(iter(self._acknowledged))]

    def _entry(self, name: _Name) -> Entry:
        if name in self._running:
            return Entry(Known.RUNS)
        if name in self._acknowledged:
            return Entry(Known.CUT_OFF)
        text = self._notes.read(name)
        if text is None:
            return Entry(Known.NEW)
        return Entry(Known.ENDED, text) if text else Entry(Known.CUT_OFF)
