"""Requests: logging in, what is tried again, and which servers are trusted."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from typing import Any

import pytest
from aiohttp import web
from msgspec.structs import replace

from ansible_ensemble.provision.client.connection import Connection, address
from ansible_ensemble.provision.client.failure import RequestFailed

from .conftest import Certificate, answering, breaking

BASIC = "Basic " + b64encode(b"admin:secret").decode()


def test_a_password_is_shown_once_for_a_token(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, {}))) as server, Connection(server.settings) as connection:
            await asyncio.gather(*(connection.request("GET", "info") for _ in range(3)))
            await connection.request("POST", "jobs", body=b"{}")
            shown = [(path.partition("?")[0][8:], headers["Authorization"]) for _, path, headers, _ in server.requests]
            assert shown[0] == ("users/admin/token", BASIC)
            assert set(shown[1:]) == {("info", "Bearer a-token"), ("jobs", "Bearer a-token")}
            assert server.requests[-1][2]["Content-Type"] == "application/json"
            assert server.requests[-1][2]["Cache-Control"] == "no-store"

    asyncio.run(main())


def test_a_given_token_is_used_as_it_is(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, {}))) as server:
            async with Connection(replace(server.settings, token="given")) as connection:
                await connection.request("GET", "info")
            assert [headers["Authorization"] for _, _, headers, _ in server.requests] == ["Bearer given"]

    asyncio.run(main())


def test_a_lost_connection_is_tried_again_and_a_refusal_is_not(serving: Any) -> None:
    async def main() -> None:
        refused = answering((409, {"Type": "Conflict", "Messages": ["not runnable"]}))
        async with serving(breaking(3, refused)) as server, Connection(server.settings) as connection:
            with pytest.raises(RequestFailed, match="Conflict: not runnable") as caught:
                await connection.request("POST", "jobs", body=b"{}")
            assert caught.value.error.code == 409
            assert server.seen == ["POST jobs"] * 4

    asyncio.run(main())


def test_a_server_that_stays_away_is_an_error(serving: Any) -> None:
    async def main() -> None:
        async with serving(breaking(9, answering((200, {})))) as server, Connection(server.settings) as connection:
            with pytest.raises(RequestFailed, match="no answer") as caught:
                await connection.request("POST", "jobs")
            assert caught.value.error.code == 0
            assert server.seen == ["POST jobs"] * 4

    asyncio.run(main())


def test_the_first_login_is_tried_once() -> None:
    async def main() -> None:
        from ansible_ensemble.provision.client.settings import Settings

        unused = Settings(endpoints=("https://127.0.0.1:1",), user="admin", password="secret", waits=(3600,))
        async with Connection(unused) as connection:
            with pytest.raises(RequestFailed, match="no answer"):
                await connection.request("GET", "info")

    asyncio.run(main())


def test_the_next_server_is_asked_when_one_is_away(serving: Any) -> None:
    async def main() -> None:
        async with serving(answering((200, {}))) as first, serving(answering((200, {}))) as second:
            endpoints = ("https://127.0.0.1:1", *first.settings.endpoints, *second.settings.endpoints)
            async with Connection(replace(first.settings, endpoints=endpoints)) as connection:
                await connection.request("GET", "info")
                await first.stop()
                await connection.request("GET", "objects")
            assert (first.seen, second.seen) == (["GET info"], ["GET objects"])

    asyncio.run(main())


@pytest.mark.parametrize("trust", ["ca_file", "fingerprint", "insecure"])
def test_a_known_certificate_is_trusted(serving: Any, certificate: Certificate, trust: str) -> None:
    values = {"ca_file": str(certificate.file), "fingerprint": certificate.fingerprint, "insecure": True}

    async def main() -> None:
        async with serving(answering((200, {}))) as server:
            settings = replace(server.settings, **{"ca_file": "", trust: values[trust]})
            async with Connection(settings) as connection:
                assert (await connection.request("GET", "info")).status == 200

    asyncio.run(main())


@pytest.mark.parametrize("trust", [{"fingerprint": "0" * 64}, {}], ids=["another fingerprint", "no authority"])
@pytest.mark.parametrize("token", ["", "given"])
def test_an_unknown_certificate_gets_no_password(serving: Any, trust: dict[str, str], token: str) -> None:
    async def main() -> None:
        async with serving(answering((200, {}))) as server:
            settings = replace(server.settings, ca_file="", token=token, waits=(3600,), **trust)
            async with Connection(settings) as connection:
                with pytest.raises(RequestFailed, match="CONNECT"):
                    await connection.request("GET", "info")
            assert server.requests == []

    asyncio.run(main())


def test_a_login_without_a_token_is_an_error(certificate: Certificate) -> None:
    from .conftest import Scripted

    class Wrong(Scripted):
        async def _handle(self, request: web.Request) -> web.StreamResponse:
            return web.json_response([])

    async def main() -> None:
        server = Wrong(certificate, answering((200, {})))
        await server.start()
        async with Connection(server.settings) as connection:
            with pytest.raises(RequestFailed, match="holds no token"):
                await connection.request("GET", "info")
        await server.stop()

    asyncio.run(main())


def test_a_log_comes_in_parts(serving: Any) -> None:
    async def log(request: web.Request) -> web.StreamResponse:
        return web.Response(body=b"x" * 200_000, content_type="application/octet-stream")

    async def main() -> None:
        async with serving(breaking(1, log)) as server, Connection(server.settings) as connection:
            assert sum([len(part) async for part in connection.stream("jobs/1/log")]) == 200_000

    asyncio.run(main())


def test_a_log_that_is_not_there_is_an_error(serving: Any) -> None:
    async def main() -> None:
        missing = answering((404, {"Type": "GET", "Model": "jobs", "Key": "1", "Messages": ["Not Found"]}))
        async with serving(missing) as server, Connection(server.settings) as connection:
            with pytest.raises(RequestFailed, match="GET: jobs/1: Not Found"):
                async for _ in connection.stream("jobs/1/log"):
                    pass

    asyncio.run(main())


ADDRESSES = [
    (
        ("machines/1/params/change-stage/map", {"aggregate": "true"}),
        "machines/1/params/change-stage/map?aggregate=true",
    ),
    (("machines/Name:a b?ä", None), "machines/Name:a%20b%3F%C3%A4"),
    (("jobs", {"Machine": "Eq(a&b)"}), "jobs?Machine=Eq%28a%26b%29"),
]


@pytest.mark.parametrize(("asked", "expected"), ADDRESSES)
def test_keys_are_quoted_but_for_their_slashes(asked: tuple[str, Any], expected: str) -> None:
    assert address(*asked) == f"/api/v3/{expected}"
