"""Who works on an ensemble: in its folder, or elsewhere on the state that is copied there."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.projects.lock import Lock, is_left, parse_lock, read_lock
from ansible_ensemble.state.version import Record, read_record, record_path


class Holder(Struct, frozen=True):
    """Who holds an ensemble's lock.

    Attributes:
        lock: the lock.
        left: whether its job is known to be gone. One that cannot be seen from here is not, unless its lease ran out.
        guessed: whether nobody says that there is one: a location without leases has a journal that is not recorded.
    """

    lock: Lock
    left: bool
    guessed: bool = False


def holder(ensemble: Path) -> Holder | None:
    """Who holds the lock here or, when the state was last fetched, at its location; None if nobody does."""
    if (here := read_lock(ensemble)) is not None:
        return Holder(here, is_left(here))
    record = _record(ensemble)
    if not record.holder:
        return None
    lock = parse_lock(record.holder, record.where)
    return Holder(lock, record.left, not lock.lease)


def is_held(ensemble: Path) -> bool:
    """Whether the holder of an ensemble's lock is alive, or cannot be seen from here."""
    found = holder(ensemble)
    return found is not None and not found.left


def is_copied(ensemble: Path) -> bool:
    """Whether the state here is a copy of one that lives elsewhere."""
    return bool(_record(ensemble).where)


def _record(ensemble: Path) -> Record:
    try:
        return read_record(record_path(ensemble))
    except EnsembleError:
        return Record("")  # the next fetch reports it
