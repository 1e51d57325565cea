"""The log of a job, as it is sent."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from ansible_ensemble.provision.agent.current_job import JobLog
from ansible_ensemble.provision.client.client import Client


class Kept:
    """A server that keeps what it gets, and refuses after so many times."""

    def __init__(self, limit: int = 1000) -> None:
        self.pieces: list[bytes] = []
        self._limit = limit

    async def handle(self, request: web.Request) -> web.Response:
        self.pieces.append(await request.read())
        if len(self.pieces) > self._limit:
            return web.json_response({"Type": "PUT", "Messages": ["it is full"], "Code": 422}, status=422)
        return web.Response(status=204, content_type="application/json")


def test_what_is_written_is_sent_after_a_while(serving: Any) -> None:
    async def main() -> None:
        kept = Kept()
        async with serving(kept.handle) as server, Client(server.settings) as client:
            log = JobLog(client, "j", print)
            await log.write(b"one ")
            await log.write(b"two")
            while not kept.pieces:
                await asyncio.sleep(0.01)
            assert kept.pieces == [b"one two"]
            await log.write(b"three")
            await log.flush()
            await log.flush()
            assert kept.pieces == [b"one two", b"three"]
            assert server.seen == ["PUT jobs/j/log"] * 2

    asyncio.run(main())


def test_much_is_sent_in_pieces_and_in_order(serving: Any) -> None:
    async def main() -> None:
        kept = Kept()
        async with serving(kept.handle) as server, Client(server.settings) as client:
            log = JobLog(client, "j", print)
            written = b"".join(b"%06d\n" % number for number in range(400_000))
            for start in range(0, len(written), 99_999):
                await log.write(written[start : start + 99_999])
            await log.flush()
            assert b"".join(kept.pieces) == written
            assert max(map(len, kept.pieces)) == 65536
            assert len(kept.pieces) < 2 * len(written) / 65536

    asyncio.run(main())


def test_the_first_refusal_ends_it(serving: Any) -> None:
    async def main() -> None:
        kept, said = Kept(limit=1), []
        async with serving(kept.handle) as server, Client(server.settings) as client:
            log = JobLog(client, "j", said.append)
            for piece in (b"one", b"two", b"three"):
                await log.write(piece)
                await log.flush()
            assert kept.pieces == [b"one", b"two"]
            assert said == ["The log is sent no further: PUT: it is full"]

    asyncio.run(main())
