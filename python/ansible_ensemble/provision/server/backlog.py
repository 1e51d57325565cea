"""Events that wait for a reader."""

from __future__ import annotations

import asyncio
from collections import deque

#: How many may wait, and how many bytes of them; of the last one, all may.
MOST = 2000
MOST_BYTES = 16 * 2**20


class Backlog:
    """The events that wait for one reader, in their order."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._has_some = asyncio.Event()

    def put(self, message: bytes) -> bool:
        """Have an event wait; False if too many do."""
        if len(self._waiting) >= MOST or self._bytes >= MOST_BYTES:
            return False
        self._waiting.append(message)
        self._bytes += len(message)
        self._has_some.set()
        return True

    async def get(self) -> bytes:
        """The next event, as soon as there is one."""
        while not self._waiting:
            self._has_some.clear()
            await self._has_some.wait()
        message = self._waiting.popleft()
        self._bytes -= len(message)
        return message

    def clear(self) -> None:
        """Forget them."""
        self._waiting.clear()
        self._bytes = 0
