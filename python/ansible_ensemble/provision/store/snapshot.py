"""Reading objects, settings and logs from the tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import decode_stored
from ansible_ensemble.provision.store.connection import Connection
from ansible_ensemble.provision.store.lookups import as_bytes, index_name, reference_name

Kept = TypeVar("Kept", bound=Object)

#: How many objects a query gets: a list is read in pages, so that it takes little memory and may be changed meanwhile.
PAGE = 1000

_GET = "SELECT body FROM objects WHERE prefix = ? AND key = ?"
_PAGE = f"SELECT key, body FROM objects WHERE prefix = ? AND key > ? ORDER BY key LIMIT {PAGE}"
_COUNT = "SELECT count(*) FROM objects WHERE prefix = ?"
_JOINED = "FROM lookups l JOIN objects o ON o.prefix = l.prefix AND o.key = l.key WHERE l.name = ? AND l.value = ?"
_WHERE = f"SELECT o.key, o.body {_JOINED} AND o.key > ? ORDER BY o.key LIMIT {PAGE}"
_REFERRERS = f"SELECT o.prefix, o.body {_JOINED} ORDER BY o.prefix, o.key"
_SETTINGS = "SELECT name, value FROM settings WHERE sort = ?"
_BEGINNING = f"{_SETTINGS} AND name >= ? AND name < ?"
_SETTING = "SELECT value FROM settings WHERE sort = ? AND name = ?"
# The part that an offset lies in, and those behind it.
_LOG = (
    "SELECT start, data FROM logs WHERE job = ? AND start < ? AND start >="
    " (SELECT coalesce(max(start), 0) FROM logs WHERE job = ? AND start <= ?) ORDER BY start"
)

PREFERENCE = "preference"
SECRET = "secret"


class Snapshot:
    """A `Reader` of one connection, which has a read transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
        body = self._body(kind, key)
        return decode_stored(kind, body) if body else None

    def _body(self, kind: type[Object], key: str, clause: str = "") -> bytes | None:
        found = self._connection.rows(_GET + clause, kind.PREFIX, as_bytes(key))
        return found[0][0] if found else None

    def find(self, kind: type[Kept], index: str, value: str) -> Kept | None:
        """The object that has a value of a unique index, or of the name on the wire of its key."""
        if index == kind.key_field():
            return self.get(kind, value)
        if index not in kind.UNIQUE:
            raise ValueError(f"{index} of {kind.PREFIX} is not unique")
        return next(self.where(kind, index, value), None)

    def where(self, kind: type[Kept], index: str, value: str) -> Iterator[Kept]:
        """The objects that have a value of an index, in the order of their keys."""
        bodies = self._pages(_WHERE, index_name(kind, index), as_bytes(value))
        return (decode_stored(kind, body) for body in bodies)

    def all(self, kind: type[Kept]) -> Iterator[Kept]:
        """The objects of a kind, in the order of their keys."""
        return (decode_stored(kind, body) for body in self.bodies(kind))

    def bodies(self, kind: type[Object]) -> Iterator[bytes]:
        """The objects of a kind as the JSON they are stored as, in the order of their keys."""
        return self._pages(_PAGE, kind.PREFIX)

    def _pages(self, statement: str, *values: str | bytes) -> Iterator[bytes]:
        last = b""
        while page := self._connection.rows(statement, *values, last):
            yield from (body for _other, body in page)
            if len(page) < PAGE:
                return
            last = page[-1][0]

    def count(self, kind: type[Object]) -> int:
        """How many objects of a kind there are."""
        return int(self._connection.rows(_COUNT, kind.PREFIX)[0][0])

    def referrers(self, prefix: str, key: str) -> list[Object]:
        """The objects that name another one, be that there or not."""
        found = self._connection.rows(_REFERRERS, reference_name(prefix), as_bytes(key))
        return [decode_stored(KINDS[kind], body) for kind, body in found]

    def preferences(self) -> dict[str, str]:
        """The settings of the server that are kept with the objects."""
        found = self._connection.rows(_SETTINGS, PREFERENCE)
        return {name.decode(): value.decode() for name, value in sorted(found)}

    def secret(self, name: str) -> bytes | None:
        """A secret of the server."""
        found = self._connection.rows(_SETTING, SECRET, as_bytes(name))
        return found[0][0] if found else None

    def secrets(self, beginning: str) -> dict[str, bytes]:
        """The secrets of the server whose names begin so."""
        first = as_bytes(beginning)
        found = self._connection.rows(_BEGINNING, SECRET, first, first + b"\xff")
        return {name.decode(): value for name, value in found}

    def log(self, job: str, offset: int, size: int) -> bytes:
        """A part of the log of a job; empty at its end, and where there is none."""
        owner, end = as_bytes(job), offset + size
        found = self._connection.rows(_LOG, owner, end, owner, offset)
        if not found:
            return b""
        begin = found[0][0]
        return b"".join(data for _other, data in found)[offset - begin : end - begin]
