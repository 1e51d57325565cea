"""Connections to a database in a file of SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.store.schema import migrate, refuse_other
from ansible_ensemble.provision.store.transaction import Unavailable

#: Tells our files from those of other programs: `TsEn`.
APPLICATION = 0x5473456E

#: A commit is durable when it returns: the log of changes is synchronized with the disk each time.
_DURABLE = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_size_limit = 67108864",
)
#: Seconds to wait while another process recovers the file or ends with it.
_PATIENCE = 10


class SqliteConnection:
    """A `Connection`, without transactions of its own.

    Attributes:
        words: how SQLite spells things.
        failure: the first failure since this was last set to none.
    """

    words: ClassVar[Mapping[str, str]] = {
        "bytes": "BLOB",
        "integer": "INTEGER",
        "clustered": " WITHOUT ROWID",
        "roomy": "",
        "locked": "",  # there is one transaction at a time
    }

    def __init__(self, path: Path, mode: str = "rw") -> None:
        self.failure: Unavailable | None = None
        try:
            self._connection = sqlite3.connect(
                f"{path.as_uri()}?mode={mode}",
                uri=True,
                timeout=_PATIENCE,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=256,
            )
        except sqlite3.Error as error:
            raise Unavailable(f"cannot open {path}: {error}") from None

    def rows(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query finds."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def run(self, statement: str, *values: Any) -> None:
        """Run a statement."""
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def run_many(self, statement: str, lines: Sequence[tuple[Any, ...]]) -> None:
        """Run a statement with each of the lines of values; there may be none."""
        try:
            self._connection.executemany(statement, lines)
        except sqlite3.Error as error:
            raise self._failure(error) from None

    def _failure(self, error: sqlite3.Error) -> Unavailable:
        failure = Unavailable(f"the database failed: {error}")
        self.failure = self.failure or failure
        return failure

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction

    def undo(self) -> None:
        """End the transaction, if there is one, without its changes."""
        if self.in_transaction:
            self.run("ROLLBACK")

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()


def open_for_writing(path: Path) -> SqliteConnection:
    """A connection that makes the file, for its owner alone, and brings its tables to today's version.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = SqliteConnection(path)
    try:
        _refuse_foreign(connection, path)
        path.chmod(0o600)
        for statement in _DURABLE:
            connection.run(statement)
        _migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> SqliteConnection:
    """A connection that changes nothing; the process that writes the file is not disturbed."""
    try:
        is_there = path.is_file()
    except OSError as error:
        raise EnsembleError(f"cannot open {path}: {error.strerror}") from None
    if not is_there:
        raise EnsembleError(f"there is no database {path}")
    connection = SqliteConnection(path)
    try:
        _refuse_foreign(connection, path)
        connection.run("PRAGMA query_only = ON")
        refuse_other(_number(connection, "user_version"))
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_foreign(connection: SqliteConnection, path: Path) -> None:
    try:
        application = _number(connection, "application_id")
        tables = connection.rows("SELECT count(*) FROM sqlite_schema")[0][0]
    except Unavailable as error:
        raise EnsembleError(f"{path} is no database that can be used: {error}") from None
    if application != APPLICATION and (application or tables):
        raise EnsembleError(f"{path} is a database of another program")


def _number(connection: SqliteConnection, pragma: str) -> int:
    return int(connection.rows(f"PRAGMA {pragma}")[0][0])


def _migrate(connection: SqliteConnection) -> None:
    connection.run("BEGIN IMMEDIATE")
    try:
        version = migrate(connection, _number(connection, "user_version"))
        connection.run(f"PRAGMA application_id = {APPLICATION}")
        connection.run(f"PRAGMA user_version = {version}")
        connection.run("COMMIT")
    finally:
        connection.undo()
