"""What a store offers: transactions over objects, logs and events, alike on every database.

A request is one function of a `Transaction`. It runs to its end, its changes are durable, and only then it is answered
and its events go out. A function that raises changes nothing. Transactions have the effect that they would have one
after the other; a database may run a function again for that, so it does nothing but read, write and return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Protocol, TypeVar

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.event import Event

T = TypeVar("T")
Kept = TypeVar("Kept", bound=Object)


class AlreadyExists(Exception):
    """Another object has the key, or the value of a unique index.

    Attributes:
        kind: the prefix of both.
        index: the name on the wire of what they share.
        value: what they share.
    """

    def __init__(self, kind: str, index: str, value: str) -> None:
        super().__init__(f"{kind} with {index} {value} already exists")
        self.kind, self.index, self.value = kind, index, value


class NotKept(LookupError):
    """What was to be changed or removed is not there."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"there is no object {key} of {kind}")


class Unavailable(EnsembleError):
    """The database cannot serve now: it cannot be reached, its disk is full, others are too busy with it.

    What was to be changed is as before, unless the message says that this is not known. Later it may work.
    """


class Reader(Protocol):
    """Reads what is durable, all of it of one moment."""

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""

    def find(self, kind: type[Kept], index: str, value: str) -> Kept | None:
        """The object that has a value of a unique index, or of the name on the wire of its key.

        An empty value belongs to none; the same goes for `where`.
        """

    def where(self, kind: type[Kept], index: str, value: str) -> Iterator[Kept]:
        """The objects that have a value of an index, in the order of their keys."""

    def all(self, kind: type[Kept]) -> Iterator[Kept]:
        """The objects of a kind, in the order of their keys."""

    def bodies(self, kind: type[Object]) -> Iterator[bytes]:
        """The objects of a kind as the JSON they are stored as, in the order of their keys."""

    def count(self, kind: type[Object]) -> int:
        """How many objects of a kind there are."""

    def referrers(self, prefix: str, key: str) -> list[Object]:
        """The objects that name another one (`Object.references`), be that there or not."""

    def preferences(self) -> dict[str, str]:
        """The settings of the server that are kept with the objects."""

    def secret(self, name: str) -> bytes | None:
        """A secret of the server, as a key that opens sealed params: it is no object, and nothing tells of it."""

    def secrets(self, beginning: str) -> dict[str, bytes]:
        """The secrets of the server whose names begin so, by their names."""

    def log(self, job: str, offset: int, size: int) -> bytes:
        """A part of the log of a job; empty at its end, and where there is none."""


class Transaction(Reader, Protocol):
    """Reads and writes; it sees its own changes.

    Attributes:
        principal: who does it, as events say: `user:NAME`, `runner:UUID`, `system`.
    """

    principal: str

    @property
    def events(self) -> Sequence[Event]:
        """What is to be told of it so far."""

    @property
    def renewed(self) -> Set[Reference]:
        """The objects of which it changed what events do not show: a password, a secret."""

    def locked(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key; no other transaction changes it before this one has ended."""

    def create(self, made: Object) -> None:
        """Keep a new object, and tell of it.

        Raises:
            AlreadyExists: its key, or the value of a unique index, is taken.
        """

    def update(self, changed: Object) -> None:
        """Replace the object of its key, because a request was for it, and tell of it.

        Raises:
            AlreadyExists: the value of a unique index is taken.
            NotKept: no object has its key.
        """

    def save(self, changed: Object) -> None:
        """Replace the object of its key as a consequence of something else, and tell of it.

        Raises:
            AlreadyExists: the value of a unique index is taken.
            NotKept: no object has its key.
        """

    def delete(self, gone: Object) -> None:
        """Remove the object of its key, and tell of it as it was; the log of a job goes with it.

        Raises:
            NotKept: no object has its key.
        """

    def set_preference(self, name: str, value: str) -> None:
        """Keep a setting."""

    def keep_secret(self, name: str, value: bytes | None) -> None:
        """Keep a secret of the server, or forget it."""

    def append_log(self, job: str, data: bytes) -> None:
        """Append to the log of a job; what exceeds the limit of a log is left out, and the log says so."""

    def tell(self, event: Event) -> None:
        """Send an event that no object caused."""


class Store(Protocol):
    """A database of objects."""

    async def read(self, function: Callable[[Reader], T]) -> T:
        """What the function returns of one moment of the store."""

    async def transact(self, function: Callable[[Transaction], T], principal: str) -> T:
        """Run the function in a transaction, and return what it returns once it is durable.

        Raises:
            Unavailable: the database did not take it.
            Exception: whatever the function raises.
        """

    def subscribe(self, listener: Callable[[Sequence[Event]], None]) -> Callable[[], None]:
        """Call the listener, in the event loop, with the events of each commit, in the order of commits.

        Those of one transaction stay together; of two that ran at once and did not meet, either may be the first.
        Events of other servers on the same database are among them, and at first there may be some of commits shortly
        before. Objects in them are public (`Object.public`).

        Returns:
            What ends it.
        """

    async def close(self) -> None:
        """Finish what was begun, and let the database go."""
