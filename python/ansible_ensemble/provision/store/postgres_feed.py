"""The events of all servers on one PostgreSQL database.

Their order is that of the numbers that PostgreSQL gives to transactions. As transactions are serializable, one that has
seen or replaced what another one wrote has the higher number. An event is read when all transactions with lower numbers
have ended, so that none can come before it afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import msgspec
import psycopg

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store.feed import Feed
from ansible_ensemble.provision.store.postgres_connection import CHANNEL, first_line, parameters
from ansible_ensemble.provision.store.transaction import Unavailable

#: For how many seconds events are kept: who is without a connection for longer misses some.
RETENTION = 3600

#: After how many seconds it looks for events that no message has come of.
_LOOK = 5
#: How many seconds it waits before it connects again: at first, and at most.
_WAITS = (0.1, 5.0)
_PAGE = 1000

#: How many seconds it waits for the end of transactions with lower numbers, if there are any.
_SETTLE = 0.01

_SETTLED = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"
_NEXT = (
    f"SELECT transaction, sequence, prefix, body, transaction < {_SETTLED} FROM events"
    f" WHERE (transaction, sequence) > (%s, %s) ORDER BY transaction, sequence LIMIT {_PAGE}"
)
_PURGE = "DELETE FROM events WHERE at < now() - make_interval(secs => %s)"

_LOG = logging.getLogger(__name__)


class PostgresFeed(Feed):
    """Reads events as they are committed, each once and in the order of commits, also over the loss of a connection."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._last = (0, 0)
        self._contact = self._purged = time.monotonic()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin with the events that are committed from now on.

        Raises:
            Unavailable: the database cannot be reached.
        """
        try:
            connection = await self._connect()
            self._last = (await _value(connection, f"SELECT {_SETTLED}"), 0)
        except psycopg.Error as error:
            raise Unavailable(f"cannot reach the database: {first_line(error)}") from None
        self._task = asyncio.create_task(self._follow(connection))

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        connection = await psycopg.AsyncConnection.connect(**parameters(self._url), autocommit=True)
        await connection.execute(f"LISTEN {CHANNEL}")
        return connection

    async def _follow(self, connection: psycopg.AsyncConnection[Any]) -> None:
        while True:
            try:
                async with connection:
                    await self._follow_one(connection)
            except psycopg.Error as error:
                _LOG.warning("events wait for the database: %s", first_line(error))
            except Exception:  # what cannot be read is not tried again
                _LOG.exception("events of the database cannot be read")
            connection = await self._connect_again()

    async def _connect_again(self) -> psycopg.AsyncConnection[Any]:
        wait, longest = _WAITS
        while True:
            try:
                return await self._connect()
            except psycopg.Error:
                await asyncio.sleep(wait)
                wait = min(2 * wait, longest)

    async def _follow_one(self, connection: psycopg.AsyncConnection[Any]) -> None:
        """Tell of what is committed as long as the connection lasts."""
        while True:
            settled = await self._catch_up(connection)
            await self._purge(connection)
            async for _item in connection.notifies(timeout=_LOOK if settled else _SETTLE, stop_after=1):
                pass

    async def _catch_up(self, connection: psycopg.AsyncConnection[Any]) -> bool:
        """Tell of all events that nothing can come before; whether these are all."""
        settled = found = None
        while found is None or (settled and len(found) == _PAGE):
            cursor = await connection.execute(_NEXT, self._last, binary=True)
            found = await cursor.fetchall()
            settled = [row for row in found if row[-1]]
            if settled:
                self._last = settled[-1][:2]
                self.tell([_event(prefix, body) for _other, _other, prefix, body, _other in settled])
        self._note_contact()
        return settled == found

    def _note_contact(self) -> None:
        if time.monotonic() > self._contact + RETENTION:
            _LOG.warning("the database was away for so long that events may be missing")
        self._contact = time.monotonic()

    async def _purge(self, connection: psycopg.AsyncConnection[Any]) -> None:
        if time.monotonic() > self._purged + RETENTION / 10:
            self._purged = time.monotonic()
            await connection.execute(_PURGE, (RETENTION,))

    async def stop(self) -> None:
        """Tell of nothing more."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])


async def _value(connection: psycopg.AsyncConnection[Any], query: str) -> int:
    cursor = await connection.execute(query)
    found = await cursor.fetchone()
    return int(found[0]) if found else 0


def _event(prefix: str, body: bytes) -> Event:
    """An event as it was told, with objects of their kind in it."""
    event = msgspec.json.decode(body, type=Event)
    if prefix not in KINDS:
        return event
    kept, original = (value and msgspec.convert(value, KINDS[prefix]) for value in (event.object, event.original))
    return event.replaced(object=kept, original=original)
