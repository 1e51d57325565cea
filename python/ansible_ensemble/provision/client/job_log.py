"""The log of a job as it grows, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import UNREACHABLE, RequestFailed
from ansible_ensemble.provision.objects.job import Job

#: Seconds between two looks at a log; of what is appended there are no events.
_INTERVAL = 1.0
_GOING_ON = ("created", "running")
#: How many lines tell why a job failed, and the bytes that they are looked for in.
_LINES, _TAIL = 10, 16384


async def followed(client: Client, uuid: str) -> AsyncIterator[bytes]:
    """The log of a job, in parts, until the job ends."""
    offset, is_over = 0, False
    async with client.events() as events:
        await events.register(f"{Job.PREFIX}.*.{uuid}")
        while not is_over:
            is_over = (await client.get(Job, uuid)).state not in _GOING_ON
            try:
                async for part in client.log(uuid, offset):
                    offset += len(part)
                    yield part
            except RequestFailed as error:
                if error.exit_code != UNREACHABLE:
                    raise
                is_over = False  # it broke off; what is left follows when the server is back
            if not is_over:
                await _something(events)


async def last_lines(client: Client, uuid: str) -> list[str]:
    """The last lines of the log of a job, which tell why it failed; none if the log cannot be had."""
    tail, is_cut = b"", False
    try:
        async for part in client.log(uuid):
            tail += part
            is_cut = is_cut or len(tail) > _TAIL
            tail = tail[-_TAIL:]
    except RequestFailed:
        return []
    lines = tail.decode(errors="replace").splitlines()
    return lines[1 if is_cut else 0 :][-_LINES:]  # what is left of a secret in a cut line could not be told as one


async def _something(events: AsyncIterator[object]) -> None:
    """Wait until something happens to the job, or it is time to look."""
    try:
        async with asyncio.timeout(_INTERVAL):
            await anext(events)
    except TimeoutError:
        pass
