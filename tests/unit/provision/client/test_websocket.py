"""Frames of all forms, and an end that nobody tells."""

from __future__ import annotations

import asyncio
import hashlib
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable

import pytest

from ansible_ensemble.provision.client import websocket as module
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.http import Http
from ansible_ensemble.provision.client.settings import Settings, verification
from ansible_ensemble.provision.client.websocket import WebSocket, open_websocket

from .conftest import Certificate
from .raw import Peer, peer, saying

Talk = Callable[[WebSocket], Awaitable[None]]


def _frame(code: int, data: bytes = b"", last: bool = True) -> bytes:
    size = len(data)
    mark, more = (size, 0) if size < 126 else (126, 2) if size < 2**16 else (127, 8)
    return bytes(((0x80 if last else 0) | code, mark)) + (size.to_bytes(more, "big") if more else b"") + data


def _talk(certificate: Certificate, handle: Peer, talk: Talk) -> None:
    """Talk to a server that does this once the websocket is open."""

    async def opened(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = (await reader.readuntil(b"\r\n\r\n")).decode()
        found = re.search(r"Sec-WebSocket-Key: (.+)\r\n", asked)
        assert found
        accept = hashlib.sha1(f"{found[1]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
        head = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %b\r\n\r\n"
        writer.write(head % b64encode(accept))
        await handle(reader, writer)

    async def main() -> None:
        http = Http(verification(Settings(ca_file=str(certificate.file))))
        async with peer(certificate, opened) as endpoint:
            socket = await open_websocket(http, endpoint, "/ws", {})
            await talk(socket)
            await socket.close()

    asyncio.run(main())


def _sending(*frames: bytes) -> Peer:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"".join(frames))
        await writer.drain()

    return handle


@pytest.mark.parametrize(
    ("frames", "texts"),
    [
        ([_frame(1, b"a"), _frame(1, "ä".encode())], ["a", "ä"]),
        ([_frame(1, b"x" * 200), _frame(1, b"x" * 70_000)], ["x" * 200, "x" * 70_000]),
        ([_frame(1, b"a", last=False), _frame(9, b"there?"), _frame(0, b"b", last=False), _frame(0, b"c")], ["abc"]),
        ([_frame(2, b"bytes"), _frame(10), _frame(1, b"a")], ["a"]),
        ([_frame(1, b"a"), _frame(8), _frame(1, b"late")], ["a"]),
        ([_frame(1, b"a"), _frame(1, b"\xff"), _frame(1, b"late")], ["a"]),
        ([_frame(1, b"a"), b"\x81\x7f" + (2**60).to_bytes(8, "big")], ["a"]),
        ([_frame(1, b"a"), b"\x81\x81keyst"], ["a"]),
        ([_frame(1, b"a"), _frame(1, b"cut")[:-1]], ["a"]),
    ],
    ids=range(9),
)
def test_what_is_received(certificate: Certificate, frames: list[bytes], texts: list[str]) -> None:
    async def talk(socket: WebSocket) -> None:
        assert [await socket.receive() for _text in texts] == texts
        assert await socket.receive() is None

    _talk(certificate, _sending(*frames), talk)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536])
def test_what_is_sent_comes_back(certificate: Certificate, size: int) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, mark = await reader.readexactly(2)
        assert mark & 0x80  # what clients send is masked
        more = {126: 2, 127: 8}.get(mark & 0x7F)
        length = int.from_bytes(await reader.readexactly(more), "big") if more else mark & 0x7F
        mask, data = await reader.readexactly(4), await reader.readexactly(length)
        text = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        writer.write(_frame(first & 0x0F, text))
        await reader.read()

    async def talk(socket: WebSocket) -> None:
        text = "ab" * (size // 2) + "c" * (size % 2)
        await socket.send(text)
        assert await socket.receive() == text

    _talk(certificate, echo, talk)


@pytest.mark.parametrize(("answers", "silence"), [(True, 1.0), (False, 0.05)])
def test_a_silent_end_is_asked_whether_it_is_there(
    certificate: Certificate, monkeypatch: pytest.MonkeyPatch, answers: bool, silence: float
) -> None:
    monkeypatch.setattr(module, "_SILENCE", silence)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, _mark, *_mask = await reader.readexactly(6)
        assert first == 0x80 | 9
        if answers:
            writer.write(_frame(10))
            await reader.readexactly(6)  # it is asked again
            writer.write(_frame(1, b"still here"))
        await reader.read()

    async def talk(socket: WebSocket) -> None:
        assert await socket.receive() == ("still here" if answers else None)

    _talk(certificate, silent, talk)


@pytest.mark.parametrize("head", [b"403 Forbidden", b"200 OK", b"101 Switching Protocols"])
def test_who_opens_no_websocket_refuses(certificate: Certificate, head: bytes) -> None:
    async def main() -> None:
        http = Http(verification(Settings(ca_file=str(certificate.file))))
        answer = b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n" % head
        async with peer(certificate, saying(answer)) as endpoint:
            with pytest.raises(RequestFailed, match=f"status {head[:3].decode()}"):
                await open_websocket(http, endpoint, "/ws", {})

    asyncio.run(main())
