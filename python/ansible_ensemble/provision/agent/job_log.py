"""The log of a job: sent while its scripts run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed

#: Bytes that are sent at once, at most; seconds until fewer are sent; bytes that may wait before output has to.
_CHUNK, _QUIET, _FULL = 65536, 1.0, 16 * 65536


class JobLog:
    """Sends what is written: 64 KiB at once, or after a second what there is. The first refusal ends it.

    Args:
        client: to whom it is sent.
        job: the UUID of the job.
        say: is told why nothing more is sent.
    """

    def __init__(self, client: Client, job: str, say: Callable[[str], None]) -> None:
        self._client, self._job, self._say = client, job, say
        self._held = bytearray()
        self._due = asyncio.Event()
        self._is_open = True
        self._sender: asyncio.Task[None] | None = None

    async def write(self, data: bytes) -> None:
        """Have data sent; waits while much is waiting already."""
        if not self._is_open:
            return
        self._held += data
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        if len(self._held) >= _CHUNK:
            self._due.set()
        if len(self._held) >= _FULL:
            await self.flush()

    async def flush(self) -> None:
        """Have everything sent that was written."""
        if self._sender:
            self._due.set()
            await asyncio.shield(self._sender)

    async def _send(self) -> None:
        while self._held:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), _QUIET)
            self._due.clear()
            while self._held:
                chunk = bytes(self._held[:_CHUNK])
                del self._held[:_CHUNK]
                await self._put(chunk)

    async def _put(self, chunk: bytes) -> None:
        try:
            await self._client.append_log(self._job, chunk)
        except RequestFailed as error:
            self._say(f"The log is sent no further: {error}")
            self._is_open = False
            self._held.clear()
