"""A database for a command beside the servers: to read one moment of it, or to change it at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.store.connection import Connection
from ansible_ensemble.provision.store.opening import is_postgres
from ansible_ensemble.provision.store.ownership import Ownership
from ansible_ensemble.provision.store.sqlite_file import open_for_reading, open_for_writing


@contextmanager
def snapshot(where: str | Path) -> Iterator[Connection]:
    """A connection to one moment of a database; servers go on with theirs."""
    if is_postgres(where):
        with _postgres_snapshot(str(where)) as connection:
            yield connection
        return
    file = open_for_reading(Path(where).resolve())
    try:
        file.run("BEGIN")
        yield file
    finally:
        file.close()


@contextmanager
def _postgres_snapshot(url: str) -> Iterator[Connection]:
    from ansible_ensemble.provision.store.postgres_connection import open_existing

    connection = open_existing(url)
    try:
        connection.begin_read()
        yield connection
    finally:
        connection.close()


@contextmanager
def change(where: str | Path) -> Iterator[Connection]:
    """A connection that makes a database if it is not there; its changes are kept if nothing is raised."""
    if is_postgres(where):
        with _postgres_change(str(where)) as connection:
            yield connection
        return
    path = Path(where).resolve()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ownership = Ownership(path)
    except OSError as error:
        raise EnsembleError(f"cannot open {path}: {error.strerror}") from None
    try:
        with _sqlite_change(path) as connection:
            yield connection
    finally:
        ownership.release()


@contextmanager
def _sqlite_change(path: Path) -> Iterator[Connection]:
    connection = open_for_writing(path)
    try:
        connection.run("BEGIN IMMEDIATE")
        yield connection
        connection.run("COMMIT")
    finally:
        connection.close()


@contextmanager
def _postgres_change(url: str) -> Iterator[Connection]:
    from ansible_ensemble.provision.store.postgres_connection import open_database

    connection = open_database(url)
    try:
        connection.begin(alone=True)
        yield connection
        connection.commit()
    finally:
        connection.close()
