"""A websocket (RFC 6455), as far as the stream of events needs it: texts, and whether the other end is still there."""

from __future__ import annotations

import asyncio
import hashlib
import os
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress

from ansible_ensemble.provision.client.failure import refusal
from ansible_ensemble.provision.client.http import Http, Stream

#: Seconds of silence after which the other end is asked whether it is there, and after as many more is taken for gone.
_SILENCE = 30.0
_BIGGEST = 64 * 1024 * 1024
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10
_CONTROL = 8
_LAST, _MASKED, _LENGTH = 0x80, 0x80, 0x7F
#: How many bytes the length has that follows one of these.
_LONGER = {126: 2, 127: 8}
_SWITCHED = 101
_KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


async def open_websocket(http: Http, endpoint: str, path: str, headers: Mapping[str, str]) -> WebSocket:
    """A websocket at a path; RequestFailed if the server refuses it."""
    key = b64encode(os.urandom(16))
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    response = await http.request(
        "GET", endpoint, path, {**headers, **upgrade, "Sec-WebSocket-Key": key.decode("ascii")}
    )
    expected = b64encode(hashlib.sha1(key + _KEY_SUFFIX, usedforsecurity=False).digest()).decode("ascii")
    if response.status != _SWITCHED or response.headers.get("sec-websocket-accept") != expected:
        response.stream.drop()
        raise refusal("GET", "ws", response.status, b"")
    return WebSocket(response.stream)


class WebSocket:
    """An open websocket."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._parts: list[bytes] = []
        self._kind = 0
        self._heard = 0
        self._watching = asyncio.create_task(self._watch())

    async def send(self, text: str) -> None:
        """Send a text; ConnectionError if the connection is over."""
        self._write(_TEXT, text.encode())
        await self._stream.writer.drain()

    async def receive(self) -> str | None:
        """The next text; None once the connection is over."""
        with suppress(OSError, EOFError, UnicodeDecodeError):
            while (code := await self._next()) != _CLOSE:
                if code == _TEXT:
                    whole, self._parts = b"".join(self._parts), []
                    return whole.decode()
        return None

    async def close(self) -> None:
        """Say that this is the end, and end the connection."""
        self._watching.cancel()
        self._write(_CLOSE, b"")
        self._stream.drop()
        await asyncio.gather(self._watching, return_exceptions=True)

    async def _next(self) -> int:
        """Read a frame: the kind of the message that is whole with it, of the control frame that it is, or 0."""
        first, second = await self._stream.reader.readexactly(2)
        size = second & _LENGTH
        if more := _LONGER.get(size):
            size = int.from_bytes(await self._stream.reader.readexactly(more), "big")
        if second & _MASKED or size + sum(map(len, self._parts)) > _BIGGEST:
            return _CLOSE
        data, code = await self._stream.reader.readexactly(size), first & 0x0F
        self._heard += 1
        if code == _PING:
            self._write(_PONG, data)
        if code >= _CONTROL:
            return code
        self._kind = code or self._kind
        self._parts.append(data)
        if not first & _LAST:
            return 0
        if self._kind != _TEXT:
            self._parts = []
        return self._kind

    def _write(self, code: int, data: bytes) -> None:
        size, key = len(data), os.urandom(4)
        mark = size if size < min(_LONGER) else 126 if size < 2**16 else 127
        head = bytes((_LAST | code, _MASKED | mark)) + (size.to_bytes(_LONGER[mark], "big") if mark in _LONGER else b"")
        mask = (key * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(size, "big")
        self._stream.writer.write(head + key + masked)

    async def _watch(self) -> None:
        """Drop the connection if nothing is heard, not even an answer to being asked."""
        heard = -1
        while heard != self._heard:
            heard = self._heard
            await asyncio.sleep(_SILENCE)
            if heard == self._heard:
                self._write(_PING, b"")
                await asyncio.sleep(_SILENCE)
        self._stream.drop()
