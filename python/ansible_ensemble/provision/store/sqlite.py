"""A store in a file of SQLite, for one server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import local
from typing import TypeVar

from ansible_ensemble.provision.store.calls import call
from ansible_ensemble.provision.store.feed import Feed, Listener
from ansible_ensemble.provision.store.ownership import Ownership
from ansible_ensemble.provision.store.snapshot import Snapshot
from ansible_ensemble.provision.store.sqlite_file import SqliteConnection, open_for_reading, open_for_writing
from ansible_ensemble.provision.store.sqlite_writer import Request, Writer
from ansible_ensemble.provision.store.transaction import Reader, Transaction, Unavailable

T = TypeVar("T")

#: How many functions read at the same time.
READERS = 4


class SqliteStore:
    """A `Store` that one process writes; other processes may read its file."""

    def __init__(self, path: Path, log_limit: int, loop: asyncio.AbstractEventLoop) -> None:
        """Open the file, or make it.

        Args:
            path: of the file.
            log_limit: how many bytes the log of a job may have.
            loop: in which answers and events are given.

        Raises:
            OSError: it cannot be made.
        """
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path, self._loop = path.resolve(), loop
        self._ownership = Ownership(self._path)
        try:
            self._written = open_for_writing(self._path)
        except BaseException:
            self._ownership.release()
            raise
        self._feed = Feed()
        self._readers = ThreadPoolExecutor(READERS, "store-reader")
        self._of_thread = local()
        self._connections: list[SqliteConnection] = []
        self._writer = Writer(self._written, log_limit)
        self._closed = False

    async def read(self, function: Callable[[Reader], T]) -> T:
        """What the function returns of one moment of the store."""
        self._refuse_closed()
        return await self._loop.run_in_executor(self._readers, self._read, function)

    def _read(self, function: Callable[[Reader], T]) -> T:
        connection = self._connection()
        connection.run("BEGIN")
        try:
            return call(function, Snapshot(connection))
        finally:
            connection.undo()

    def _connection(self) -> SqliteConnection:
        """The connection of this thread."""
        connection: SqliteConnection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = self._of_thread.connection = open_for_reading(self._path)
            self._connections.append(connection)
        return connection

    async def transact(self, function: Callable[[Transaction], T], principal: str) -> T:
        """Run the function in a transaction, and return what it returns once it is durable."""
        self._refuse_closed()
        answer: asyncio.Future[T] = self._loop.create_future()
        self._writer.add(Request(function, principal, lambda request: self._hand_over(request, answer)))
        return await answer

    def _hand_over(self, request: Request, answer: asyncio.Future[T]) -> None:
        with suppress(RuntimeError):  # the loop has ended, and nobody waits
            self._loop.call_soon_threadsafe(self._answer, request, answer)

    def _answer(self, request: Request, answer: asyncio.Future[T]) -> None:
        if request.events:
            self._feed.tell(request.events)
        if answer.done():  # who asked has gone
            return
        if request.error:
            answer.set_exception(request.error)
        else:
            answer.set_result(request.result)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call the listener, in the event loop, with the events of each commit, in the order of commits."""
        return self._feed.subscribe(listener)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed")

    async def close(self) -> None:
        """Finish what was begun, and let the file go."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        self._writer.finish()
        self._readers.shutdown()
        for connection in (*self._connections, self._written):
            connection.close()
        self._ownership.release()
