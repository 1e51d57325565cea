"""The tables, and how those of older versions become today's."""

from __future__ import annotations

from collections.abc import Callable

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.store.connection import Connection

# Keys and values are bytes: they compare alike on all databases, and no text is refused.
_FIRST = (
    "CREATE TABLE objects (prefix TEXT NOT NULL, key {bytes} NOT NULL, body {bytes} NOT NULL,"
    " PRIMARY KEY (prefix, key)){roomy}",
    "CREATE TABLE lookups (name TEXT NOT NULL, value {bytes} NOT NULL, prefix TEXT NOT NULL, key {bytes} NOT NULL,"
    " single INTEGER NOT NULL, PRIMARY KEY (name, value, prefix, key)){clustered}",
    "CREATE UNIQUE INDEX single_lookups ON lookups (name, value) WHERE single = 1",
    "CREATE TABLE logs (job {bytes} NOT NULL, start {integer} NOT NULL, data {bytes} NOT NULL,"
    " PRIMARY KEY (job, start))",
    "CREATE TABLE settings (sort TEXT NOT NULL, name {bytes} NOT NULL, value {bytes} NOT NULL,"
    " PRIMARY KEY (sort, name))",
)


def _first(connection: Connection) -> None:
    for statement in _FIRST:
        connection.run(statement.format(**connection.words))


#: Each makes of the tables of the version before it those of its own; the first begins with none.
MIGRATIONS: list[Callable[[Connection], None]] = [_first]


def migrate(connection: Connection, version: int) -> int:
    """Bring the tables of a version to today's, within a transaction of the caller.

    Args:
        connection: to the database.
        version: of its tables; 0 if there are none.

    Returns:
        Today's version.
    """
    _refuse_newer(version)
    for migration in MIGRATIONS[version:]:
        migration(connection)
    return len(MIGRATIONS)


def refuse_other(version: int) -> None:
    """Refuse tables that are not of today's version, where they may not be changed."""
    _refuse_newer(version)
    if version < len(MIGRATIONS):
        raise EnsembleError(f"the database is of the older version {version}", hint="start the server with it once")


def _refuse_newer(version: int) -> None:
    if version > len(MIGRATIONS):
        raise EnsembleError(
            f"the database is of version {version}; this program knows versions up to {len(MIGRATIONS)}",
            hint="use the program that it was written with, or a newer one",
        )
