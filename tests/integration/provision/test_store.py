"""The store on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Store
from tests.unit.provision.store.contract import CASES, LOG_LIMIT, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Case, postgres: str) -> None:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        store = await open_store(postgres, log_limit=LOG_LIMIT)
        try:
            yield store
        finally:
            await store.close()

    asyncio.run(case(opened))
