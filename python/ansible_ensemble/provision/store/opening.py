"""Which store a path or URL means."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.store.logs import LOG_LIMIT
from ansible_ensemble.provision.store.sqlite import SqliteStore
from ansible_ensemble.provision.store.transaction import Store


async def open_store(where: str | Path, *, log_limit: int = LOG_LIMIT) -> Store:
    """Open a store, and make it if it is not there.

    Args:
        where: the path of a file, which SQLite keeps.
        log_limit: how many bytes the log of a job may have; a log that exceeds it is cut, and says so.

    Raises:
        EnsembleError: it cannot be opened.
    """
    try:
        return await asyncio.to_thread(SqliteStore, Path(where), log_limit, asyncio.get_running_loop())
    except OSError as error:
        raise EnsembleError(f"cannot open {where}: {error.strerror}") from None
