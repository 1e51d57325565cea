"""Which store a path or URL means."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.provision.store.logs import LOG_LIMIT
from ansible_ensemble.provision.store.sqlite import SqliteStore
from ansible_ensemble.provision.store.transaction import Store

_POSTGRES = ("postgresql://", "postgres://")


async def open_store(where: str | Path, *, log_limit: int = LOG_LIMIT) -> Store:
    """Open a store, and make it if it is not there.

    Args:
        where: the URL of a PostgreSQL database (`postgresql://...`), or the path of a file, which SQLite keeps.
        log_limit: how many bytes the log of a job may have; a log that exceeds it is cut, and says so.
    """
    if is_postgres(where):
        from ansible_ensemble.provision.store.postgres import open_postgres

        return await open_postgres(str(where), log_limit)
    try:
        return await asyncio.to_thread(SqliteStore, Path(where), log_limit, asyncio.get_running_loop())
    except OSError as error:
        raise EnsembleError(f"cannot open {where}: {error.strerror}") from None


def is_postgres(where: str | Path) -> bool:
    """Whether a database is PostgreSQL's."""
    text = str(where)
    if "://" in text and not text.startswith(_POSTGRES):
        raise InvalidInput(
            f"{text.partition('://')[0]} is no database that can be used",
            hint="a path is a file of SQLite, a URL postgresql://... a database of PostgreSQL",
        )
    return text.startswith(_POSTGRES)
