"""Openers of stores, for the cases."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Store
from tests.unit.provision.store.contract import LOG_LIMIT, Opener


def opener(where: str | Path) -> Opener:
    """Opens the store at a path or URL."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        store = await open_store(where, log_limit=LOG_LIMIT)
        try:
            yield store
        finally:
            await store.close()

    return opened
