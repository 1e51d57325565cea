"""A store: a location that holds the state of one ensemble, and its lock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, Locked, UsageError
from ansible_ensemble.projects.lock import Lock, NotLocked, describe


class File(Struct, frozen=True):
    """A file of the state.

    Attributes:
        content: its bytes.
        executable: whether its owner may run it.
    """

    content: bytes
    executable: bool = False


#: The files of a state by their names, relative to the ensemble's folder.
Files = Mapping[str, File]


class Unreachable(EnsembleError):
    """A location does not answer, or refuses access."""


class Store(Protocol):
    """A location of state.

    Each method raises `Unreachable` if there is no access to it, and `Locked` if the lock of its id is no longer held.

    Attributes:
        where: the location as people read it, without credentials.
        exclusive: whether nothing is ever written without the lock; else a job compares before it writes.
        leases: whether a lock can be renewed.
    """

    where: str
    leases: bool

    @property
    def exclusive(self) -> bool:
        """See above."""

    def read(self) -> Files | None:
        """The files of the state, with the journal of a job that runs or was killed; None if there is no state yet."""

    def holder(self) -> Lock | None:
        """Who held the lock at the last `read`, or holds it now; None if nobody does."""

    def write(self, files: Files, note: str, lock_id: str) -> None:
        """Replace the state; the note says what was done."""

    def write_journal(self, name: str, journal: bytes, lock_id: str) -> None:
        """Write the journal of the running job beside the state."""

    def take(self, lock: Lock) -> Lock | None:
        """Take the lock; returns who holds it if somebody does, and None if it is taken."""

    def renew(self, lock_id: str) -> None:
        """Renew the lease of the lock of this id."""

    def release(self, lock_id: str, *, forced: bool = False) -> None:
        """Release the lock of this id; by force, the journal of a killed job stays as a part of the state."""


def check_held(holder: Lock | None, lock_id: str) -> Lock:
    """The lock that is held; `Locked` if it is not the one of this id."""
    if holder is None or holder.id != lock_id:
        raise Locked(f"the lock of the state was lost: {describe(holder) if holder else 'it was removed'}")
    return holder


def check_id(holder: Lock | None, lock_id: str) -> None:
    """Refuse to release a lock of another id, or none (`NotLocked`)."""
    if holder is None:
        raise NotLocked("the state is not locked")
    if holder.id != lock_id:
        raise UsageError(f"that is not the lock's id: {describe(holder)}", hint=f"its id is {holder.id}")
