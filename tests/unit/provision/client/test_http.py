"""Answers of all forms, cut ones and wrong ones, and connections that are used again."""

from __future__ import annotations

import asyncio

import pytest

from ansible_ensemble.provision.client import http as module
from ansible_ensemble.provision.client.http import Http
from ansible_ensemble.provision.client.settings import Settings, verification

from .conftest import Certificate
from .raw import peer, saying

OK = b"HTTP/1.1 200 OK\r\n"
LONG = b"x" * 200_000


def _http(certificate: Certificate) -> Http:
    return Http(verification(Settings(ca_file=str(certificate.file))))


def _answers(certificate: Certificate, *answers: bytes, method: str = "GET") -> list[tuple[int, bytes]]:
    """What is understood of answers to as many requests."""

    async def main() -> list[tuple[int, bytes]]:
        http, got = _http(certificate), []
        async with peer(certificate, saying(*answers)) as endpoint:
            for _number in answers:
                async with await http.request(method, endpoint, "/", {}) as response:
                    got.append((response.status, await response.read()))
            await http.close()
        return got

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        (OK + b"Content-Length: 2\r\n\r\nok", 200, b"ok"),
        (OK + b"CONTENT-LENGTH:2\r\n\r\nok", 200, b"ok"),
        (OK + b"Content-Length: %d\r\n\r\n%b" % (len(LONG), LONG), 200, LONG),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n1\r\n!\r\n0\r\nLater: yes\r\n\r\n", 200, b"ok!"),
        (OK + b"Transfer-Encoding: Chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(LONG), LONG), 200, LONG),
        (OK + b"\r\nuntil the end", 200, b"until the end"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nok", 200, b"ok"),
        (b"HTTP/1.1 204\r\nContent-Type: application/json\r\n\r\n", 204, b""),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, b""),
        (b"HTTP/1.1 404 \xe4\r\nX-\xe4: \xe4\r\nContent-Length: 0\r\n\r\n", 404, b""),
    ],
    ids=range(10),
)
def test_an_answer(certificate: Certificate, answer: bytes, status: int, body: bytes) -> None:
    assert _answers(certificate, answer) == [(status, body)]


def test_a_connection_is_used_again(certificate: Certificate) -> None:
    bodies = [b"one", b"", LONG]
    answers = [OK + b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies]
    assert _answers(certificate, *answers) == [(200, body) for body in bodies]
    heads = [OK + b"Content-Length: 5\r\n\r\n"] * 2
    assert _answers(certificate, *heads, method="HEAD") == [(200, b"")] * 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"", "closed the connection"),
        (b"HTTP/1.1 200", "closed the connection"),
        (OK + b"Content-Length: 3\r\n\r\nok", "closed the connection"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nok", "closed the connection"),
        (b"SSH-2.0\r\n\r\n", "no HTTP"),
        (b"HTTP/1.1 fine\r\n\r\n", "no HTTP"),
        (b"x" * 2**19, "no HTTP"),
        (OK + b"Content-Length: many\r\n\r\n", "no HTTP"),
        (OK + b"Content-Length: -1\r\n\r\n", "no HTTP"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "no HTTP"),
    ],
    ids=range(10),
)
def test_what_is_no_answer_is_an_error_of_the_network(certificate: Certificate, answer: bytes, message: str) -> None:
    with pytest.raises(ConnectionError, match=message):
        _answers(certificate, answer)


def test_a_connection_that_was_closed_is_not_used_again(certificate: Certificate) -> None:
    opened = []

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(writer)
        await saying(OK + b"Content-Length: 0\r\n\r\n")(reader, writer)

    async def main() -> None:
        http = _http(certificate)
        async with peer(certificate, once) as endpoint:
            for _number in range(3):
                response = await http.request("GET", endpoint, "/", {})
                async with response:
                    await response.read()
                while response.stream.is_open:
                    await asyncio.sleep(0.01)
            await http.close()

    asyncio.run(main())
    assert len(opened) == 3


def test_a_server_that_says_nothing_is_left(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_READ", 0.05)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def main() -> None:
        async with peer(certificate, silent) as endpoint:
            with pytest.raises(TimeoutError):
                await _http(certificate).request("GET", endpoint, "/", {})

    asyncio.run(main())


def test_a_header_of_several_lines_is_not_sent(certificate: Certificate) -> None:
    async def main() -> None:
        async with peer(certificate, saying(OK)) as endpoint:
            with pytest.raises(ValueError, match="several lines"):
                await _http(certificate).request("GET", endpoint, "/", {"Authorization": "Bearer a\r\nX: b"})

    asyncio.run(main())
