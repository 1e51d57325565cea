"""Locks by name."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager


class ByName:
    """Locks by name, for tasks of one loop."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @asynccontextmanager
    async def hold(self, names: Iterable[str]) -> AsyncIterator[None]:
        """Hold the locks of these names; they are taken in one order, so that there are no deadlocks."""
        async with AsyncExitStack() as stack:
            for name in sorted(set(names)):
                await stack.enter_async_context(self._locks[name])
            yield
