"""A store in a PostgreSQL database, which several servers share."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import local
from typing import TypeVar

from ansible_ensemble.provision.store.calls import call
from ansible_ensemble.provision.store.changes import Changes
from ansible_ensemble.provision.store.feed import Listener
from ansible_ensemble.provision.store.postgres_connection import Conflict, Lost, PostgresConnection, open_database
from ansible_ensemble.provision.store.postgres_feed import PostgresFeed
from ansible_ensemble.provision.store.snapshot import Snapshot
from ansible_ensemble.provision.store.transaction import Reader, Transaction, Unavailable

T = TypeVar("T")

#: How many functions write, and how many read, at the same time.
WRITERS, READERS = 8, 4

#: How many seconds a transaction waits at most after each conflict with others; after the last it is run alone.
_WAITS = (0.005, 0.01, 0.02)


class PostgresStore:
    """A `Store` whose functions run in threads, each with a connection of its own."""

    def __init__(self, url: str, log_limit: int) -> None:
        self._url, self._log_limit = url, log_limit
        self._feed = PostgresFeed(url)
        self._writers = ThreadPoolExecutor(WRITERS, "store-writer")
        self._readers = ThreadPoolExecutor(READERS, "store-reader")
        self._of_thread = local()
        self._connections: set[PostgresConnection] = set()
        self._closed = False

    async def start(self) -> None:
        """Bring the database to today's version, and follow its events."""
        await asyncio.to_thread(lambda: open_database(self._url).close())
        await self._feed.start()

    async def read(self, function: Callable[[Reader], T]) -> T:
        """What the function returns of one moment of the store."""
        self._refuse_closed()
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, function)

    def _read(self, function: Callable[[Reader], T]) -> T:
        def attempt(connection: PostgresConnection) -> T:
            connection.begin_read()
            result = call(function, Snapshot(connection))
            connection.commit()
            return result

        return self._with_connection(attempt)

    async def transact(self, function: Callable[[Transaction], T], principal: str) -> T:
        """Run the function in a transaction, and return what it returns once it is durable."""
        self._refuse_closed()
        return await asyncio.get_running_loop().run_in_executor(self._writers, self._transact, function, principal)

    def _transact(self, function: Callable[[Transaction], T], principal: str) -> T:
        def attempt(connection: PostgresConnection, *, alone: bool = False) -> T:
            connection.begin(alone=alone)
            changes = Changes(connection, principal, self._log_limit)
            result = call(function, changes)
            connection.commit(changes.events)
            return result

        for wait in _WAITS:
            try:
                return self._with_connection(attempt)
            except Conflict:
                time.sleep(random.uniform(0, wait))
        return self._with_connection(partial(attempt, alone=True))

    def _with_connection(self, attempt: Callable[[PostgresConnection], T]) -> T:
        """Try with the connection of this thread; once more with another one if that broke, maybe long ago."""
        try:
            return self._attempt(attempt)
        except Lost:
            return self._attempt(attempt)

    def _attempt(self, attempt: Callable[[PostgresConnection], T]) -> T:
        connection = self._connection() or self._connect()
        try:
            return attempt(connection)
        except Exception:
            if connection.failure:  # whatever the function made of it
                raise connection.failure from None
            raise
        finally:
            self._put_back(connection)

    def _connection(self) -> PostgresConnection | None:
        connection: PostgresConnection | None = getattr(self._of_thread, "connection", None)
        return connection

    def _connect(self) -> PostgresConnection:
        connection = self._of_thread.connection = PostgresConnection(self._url)
        self._connections.add(connection)
        return connection

    def _put_back(self, connection: PostgresConnection) -> None:
        """End what is left of a transaction; forget a connection that broke."""
        try:
            connection.undo()
        except Unavailable:
            connection.close()
        if not connection.usable:
            self._of_thread.connection = None
            self._connections.discard(connection)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener, in the event loop, with the events of each commit, in the order of commits."""
        return self._feed.subscribe(listener)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed")

    async def close(self) -> None:
        """Finish what was begun, and end the connections."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._finish)
            await self._feed.stop()

    def _finish(self) -> None:
        self._writers.shutdown()
        self._readers.shutdown()
        for connection in self._connections:
            connection.close()


async def open_postgres(url: str, log_limit: int) -> PostgresStore:
    """A store in a database."""
    store = PostgresStore(url, log_limit)
    await store.start()
    return store
