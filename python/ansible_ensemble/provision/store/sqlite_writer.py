"""The one thread that writes a SQLite file: what comes while it writes is committed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store.calls import call
from ansible_ensemble.provision.store.changes import Changes
from ansible_ensemble.provision.store.sqlite_file import SqliteConnection
from ansible_ensemble.provision.store.transaction import Transaction, Unavailable

#: How many functions are committed together at most; the first of them waits for the last.
GROUP = 100


class Request(Struct):
    """A function to run, and what became of it.

    Attributes:
        function: is run in a transaction.
        principal: who wants it.
        done: is called in the thread of the writer, for each request of a group in turn, after their commit.
        result: what the function returned.
        error: what it raised, or why its changes are not kept.
        events: what is to be told, if there is no error.
    """

    function: Callable[[Transaction], Any]
    principal: str
    done: Callable[[Request], None]
    result: Any = None
    error: BaseException | None = None
    events: Sequence[Event] = ()

    def fail(self, error: BaseException) -> None:
        """Note that nothing became of it."""
        self.result, self.error, self.events = None, error, ()


class Writer:
    """Runs requests in the order in which they come, and commits those that have come together as one."""

    def __init__(self, connection: SqliteConnection, log_limit: int) -> None:
        self._connection = connection
        self._log_limit = log_limit
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    def add(self, request: Request) -> None:
        """Run a request, in its turn."""
        self._requests.put(request)

    def finish(self) -> None:
        """Run what is there, and end; blocks until then."""
        self._requests.put(None)
        self._thread.join()

    def _work(self) -> None:
        going_on = True
        while going_on:
            group = self._next_group()
            going_on = None not in group
            requests = [request for request in group if request]
            self._commit(requests)
            for request in requests:
                request.done(request)

    def _next_group(self) -> list[Request | None]:
        group = [self._requests.get()]
        try:
            while len(group) < GROUP:
                group.append(self._requests.get_nowait())
        except Empty:
            pass
        return group

    def _commit(self, group: Sequence[Request]) -> None:
        """Run a group of requests; all of them fail if their commit does."""
        try:
            self._connection.run("BEGIN IMMEDIATE")
            for request in group:
                self._attempt(request)
            self._connection.run("COMMIT")
        except Unavailable as error:
            self._undo()
            for request in group:
                request.fail(error)

    def _attempt(self, request: Request) -> None:
        """Run one request; if it fails, nothing but its own changes are undone.

        Raises:
            Unavailable: the database undid the changes of the requests before, too.
        """
        connection, changes = self._connection, Changes(self._connection, request.principal, self._log_limit)
        connection.failure = None
        connection.run("SAVEPOINT request")
        try:
            request.result, request.events = call(request.function, changes), changes.events
            if connection.failure:  # and the function took no notice
                raise connection.failure
        except BaseException as error:
            request.fail(connection.failure or error)
            if connection.failure and not connection.in_transaction:
                raise connection.failure from None
            connection.run("ROLLBACK TO request")
        connection.run("RELEASE request")

    def _undo(self) -> None:
        with suppress(Unavailable):  # the next BEGIN fails, and says so
            self._connection.undo()
