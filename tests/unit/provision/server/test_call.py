"""Bodies of requests: how long they may be, of whom, and for how long."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

import pytest

from ansible_ensemble.provision.server import call

JSON, BYTES = "application/json", "application/octet-stream"
LOG = "/jobs/11111111-2222-4333-8444-555555555555/log"
ASKED = [("POST", "/jobs", JSON), ("PATCH", "/machines/x", JSON), ("PUT", LOG, BYTES)]
NOBODY, LONG = "e30.AAAA", "Content-Length: 1000000"


async def begun(live, token, length, asked):
    """The status of the answer to a request of which the body never comes."""
    method, path, kind = asked
    at = urlsplit(live.base)
    reader, writer = await asyncio.open_connection(at.hostname, at.port)
    head = f"{method} /api/v3{path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
    writer.write(f"{head}Content-Type: {kind}\r\n{length}\r\n\r\n".encode())
    status = (await asyncio.wait_for(reader.readline(), 60)).split()[1]
    writer.close()
    return int(status)


@pytest.mark.parametrize("length", [LONG, "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("asked", ASKED)
def test_a_long_body_is_not_read_of_somebody_unknown(live, asked, length):
    assert live.run(begun(live, NOBODY, length, asked)) == 403


@pytest.mark.parametrize("asked", ASKED)
def test_a_body_that_says_to_be_too_long_is_not_read(live, asked):
    assert live.run(begun(live, live.token, f"Content-Length: {call.BODY_BYTES + 1}", asked)) == 413


@pytest.mark.parametrize("asked", ASKED)
def test_a_body_that_does_not_come_is_not_waited_for(live, monkeypatch, asked):
    monkeypatch.setattr(call, "BODY_SECONDS", 0.01)
    assert live.run(begun(live, live.token, LONG, asked)) == 408
