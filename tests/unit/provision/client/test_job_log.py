"""The end of a job's log."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.job_log import last_lines


@pytest.mark.parametrize(
    ("status", "log", "lines"),
    [
        (200, b"", []),
        (200, b"one\ntwo", ["one", "two"]),
        (200, b"".join(b"%d\n" % number for number in range(20)), [str(number) for number in range(10, 20)]),
        (200, b"secret" * 9000 + b"\nlast\n", ["last"]),
        (200, b"bad \xff\n", ["bad \N{REPLACEMENT CHARACTER}"]),
        (404, b"{}", []),
    ],
)
def test_last_lines(serving: Any, status: int, log: bytes, lines: list[str]) -> None:
    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=log, content_type="application/octet-stream")

    async def main() -> None:
        async with serving(handle) as server, Client(server.settings) as client:
            assert await last_lines(client, "j") == lines

    asyncio.run(main())
