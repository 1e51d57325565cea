"""Connections to a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.store.schema import migrate, refuse_other
from ansible_ensemble.provision.store.transaction import Unavailable

#: What servers listen to; a message there means that there are events.
CHANNEL = "ansible_ensemble_events"

#: The advisory lock of who changes the tables.
_MIGRATION_LOCK = 0x5473456E00000001

#: How connections are made, unless the URL says otherwise: a peer that has gone is noticed.
_DEFAULTS = {"connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}

# A commit is durable when it returns; who hangs within a transaction does not hold up the others for ever.
# What reads by an index conflicts with those alone who change what it read.
_SETTINGS = (
    "SET synchronous_commit = on; SET idle_in_transaction_session_timeout = '60s';"
    " SET enable_seqscan = off; SET enable_bitmapscan = off"
)

_TABLES = (
    "CREATE TABLE IF NOT EXISTS store_version (number INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS events (transaction BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint,"
    " sequence BIGSERIAL, at TIMESTAMPTZ NOT NULL DEFAULT now(), prefix TEXT NOT NULL, body BYTEA NOT NULL,"
    " PRIMARY KEY (transaction, sequence))",
    "CREATE INDEX IF NOT EXISTS events_at ON events USING brin (at)",
)

#: Transactions share this lock; who has failed too often takes it alone. It is taken before anything is read.
_BEGIN = "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE store_version IN ROW SHARE MODE"
_BEGIN_ALONE = "BEGIN ISOLATION LEVEL SERIALIZABLE; LOCK TABLE store_version IN EXCLUSIVE MODE"
_BEGIN_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

_ADD_EVENTS = (
    "INSERT INTO events (prefix, body) SELECT prefix, body"
    " FROM unnest(?::text[], ?::bytea[]) WITH ORDINALITY AS told (prefix, body, place) ORDER BY place"
)

_CONFLICTS = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.UniqueViolation,  # of what another has written since this one began; the rest is looked up before
)


class Conflict(Unavailable):
    """Another transaction changed what this one has read; it is to be run again."""


class Lost(Unavailable):
    """The connection broke; nothing was changed."""


class PostgresConnection:
    """A `Connection`, with transactions that begin and end explicitly.

    Attributes:
        words: how PostgreSQL spells things.
        failure: the first failure of the transaction; after it there is nothing to commit.
    """

    words: ClassVar[Mapping[str, str]] = {
        "bytes": "BYTEA",
        "integer": "BIGINT",
        "clustered": "",
        "roomy": " WITH (fillfactor = 50)",  # an update that fits beside the old row changes no index
        "locked": " FOR UPDATE",
    }

    def __init__(self, url: str) -> None:
        """Connect.

        Raises:
            Unavailable: the database cannot be reached.
        """
        self.failure: Unavailable | None = None
        try:
            self._connection = psycopg.connect(**parameters(url), autocommit=True)
            self._connection.execute(_SETTINGS)
        except psycopg.Error as error:
            raise Unavailable(f"cannot reach the database: {first_line(error)}") from None

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""
        try:
            return self._connection.execute(_translated(statement), values, binary=True).fetchall()
        except psycopg.Error as error:
            raise self._failed(error) from None

    def run(self, statement: str, *values: Any) -> None:
        """Run a statement."""
        try:
            self._connection.execute(_translated(statement), values or None)
        except psycopg.Error as error:
            raise self._failed(error) from None

    def run_many(self, statement: str, lines: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement with each of the lines of values; there may be none."""
        if not lines:  # spare the way there and back
            return
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(_translated(statement), lines)
        except psycopg.Error as error:
            raise self._failed(error) from None

    def begin(self, *, alone: bool = False) -> None:
        """Begin a transaction; alone, when all others have ended, and while none begins."""
        self.failure = None
        self.run(_BEGIN_ALONE if alone else _BEGIN)

    def begin_read(self) -> None:
        """Begin to read what is there now."""
        self.failure = None
        self.run(_BEGIN_READ)

    def commit(self, events: Sequence[Event] = ()) -> None:
        """End the transaction with its changes, and tell all servers of the events.

        Raises:
            Conflict: it is to be run again.
            Unavailable: it failed, or it is not known whether it did.
        """
        if self.failure:  # a commit would say that all is well, and keep nothing
            raise self.failure
        if events:
            self.run(_ADD_EVENTS, [_prefix(event) for event in events], [encode(event) for event in events])
        try:
            self._connection.execute("COMMIT")
        except psycopg.Error as error:
            self.failure = self._as_failure(error)
            if isinstance(self.failure, Lost):
                self.failure = Unavailable(f"{self.failure.message}: it is not known whether the change was made")
            raise self.failure from None
        if events:
            self._notify()

    def _notify(self) -> None:
        """Wake all servers; not within the transaction, for then its commit would wait for those of all others."""
        with suppress(psycopg.Error):  # the change is made; servers look for events from time to time
            self._connection.execute(f"NOTIFY {CHANNEL}")

    def undo(self) -> None:
        """End the transaction, if there is one, without its changes.

        After a failure there is a rollback in any case: by it psycopg knows that statements it has prepared are gone.
        """
        idle = self._connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if self.usable and (self.failure or not idle):
            self.run("ROLLBACK")

    @property
    def usable(self) -> bool:
        """Whether the connection is there."""
        return not self._connection.closed

    def _failed(self, error: psycopg.Error) -> Unavailable:
        failure = self._as_failure(error)
        self.failure = self.failure or failure
        return failure

    def _as_failure(self, error: psycopg.Error) -> Unavailable:
        if not self.usable:
            return Lost(f"the connection to the database broke: {first_line(error)}")
        if isinstance(error, _CONFLICTS):
            return Conflict("others are too busy with the same objects")
        return Unavailable(f"the database failed: {first_line(error)}")

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def open_database(url: str) -> PostgresConnection:
    """A connection that brings the tables to today's version, and makes them if there are none."""
    connection = PostgresConnection(url)
    try:
        connection.run("BEGIN")
        connection.run("SELECT pg_advisory_xact_lock(?)", _MIGRATION_LOCK)
        _migrate(connection)
        connection.run("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def open_existing(url: str) -> PostgresConnection:
    """A connection to read what is there."""
    connection = PostgresConnection(url)
    try:
        if connection.rows("SELECT to_regclass('store_version')::text") == [(None,)]:
            raise EnsembleError("there is nothing in the database")
        refuse_other(connection.rows("SELECT number FROM store_version")[0][0])
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(connection: PostgresConnection) -> None:
    for statement in _TABLES:
        connection.run(statement)
    found = connection.rows("SELECT number FROM store_version")
    before = found[0][0] if found else 0
    version = migrate(connection, before)
    if version != before:
        connection.run("DELETE FROM store_version")
        connection.run("INSERT INTO store_version VALUES (?)", version)


def _prefix(event: Event) -> str:
    """The kind of the object that an event carries; empty for anything that is none."""
    return event.object.PREFIX if isinstance(event.object, Object) else ""


def parameters(url: str) -> dict[str, Any]:
    """How to connect."""
    try:
        found = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        found = {"port": "wrong"}
    if not str(found.get("port") or "0").replace(",", "").isdigit() or "@" in str(found.get("host") or ""):
        raise InvalidInput(
            "the URL of the database is wrong",
            hint="postgresql://user:password@host:port/database; write what is special in a password as %xx",
        )
    return {**_DEFAULTS, **found}


def first_line(error: psycopg.Error) -> str:
    """What an error says, without the values of a row that PostgreSQL may add."""
    return error.diag.message_primary or str(error).partition("\n")[0]


@cache
def _translated(statement: str) -> str:
    return statement.replace("?", "%s")
