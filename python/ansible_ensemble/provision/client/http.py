"""HTTP/1.1 over TLS, as far as requests to a server need it; connections are kept, and used again.

The libraries that do more take longer to import than an agent takes for all else until it is at work.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from ansible_ensemble.provision.client.certificate import Trust, fingerprint, host_and_port

#: Seconds for a connection and its handshake, for each part of an answer, and that an unused connection is kept.
_CONNECT, _READ, _IDLE = 10.0, 120.0, 15.0
#: Bytes of a part of a body, and of the head of an answer at most.
_PART, _HEAD = 2**16, 2**18
_INFORMATION, _SWITCHED, _WITHOUT_BODY = range(100, 200), 101, (101, 204, 304)


class Untrusted(Exception):
    """The certificate of a server is not the one that is expected; the text says why."""


class Stream(NamedTuple):
    """Both directions of a connection to a server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def is_open(self) -> bool:
        """Whether no end is known to have closed it."""
        return not (self.reader.at_eof() or self.writer.is_closing())

    def drop(self) -> None:
        """End the connection at once."""
        self.writer.transport.abort()


class Response:
    """An answer, whose body is read while the context of it lasts.

    Attributes:
        status: the HTTP status.
        headers: by their names in lower case.
        stream: the connection that it comes by.
    """

    def __init__(self, http: Http, endpoint: str, method: str, stream: Stream) -> None:
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.stream = stream
        self._http, self._endpoint = http, endpoint
        self._is_bodiless = method == "HEAD"
        self._is_kept = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_kept:
            self._http.keep(self._endpoint, self.stream)
        else:
            self.stream.drop()

    async def begin(self) -> None:
        """Read the head."""
        while not self.status or (self.status in _INFORMATION and self.status != _SWITCHED):
            first, *lines = (await self._until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            try:
                self.status = int(first.split(" ", 2)[1])
            except (IndexError, ValueError):
                raise ConnectionError("the answer is no HTTP") from None
            pairs = (line.partition(":") for line in lines)
            self.headers = {name.lower(): value.strip() for name, _colon, value in pairs}

    async def read(self) -> bytes:
        """The whole body."""
        return b"".join([part async for part in self.parts()])

    async def parts(self) -> AsyncIterator[bytes]:
        """The body, as it comes; ConnectionError if it ends too early."""
        length, coding = self.headers.get("content-length"), self.headers.get("transfer-encoding", "")
        if self._is_bodiless or self.status in _WITHOUT_BODY:
            length = "0"
        if length is None and coding.lower() != "chunked":
            while part := await self._part(_PART):
                yield part
            return
        async for part in self._chunks() if length is None else self._exactly(_number(length, 10)):
            yield part
        self._is_kept = self.headers.get("connection", "").lower() != "close"

    async def _chunks(self) -> AsyncIterator[bytes]:
        while size := _number((await self._until(b"\r\n")).partition(b";")[0].decode("latin-1"), 16):
            async for part in self._exactly(size):
                yield part
            await self._until(b"\r\n")
        while await self._until(b"\r\n"):
            pass  # headers that follow the body

    async def _exactly(self, size: int) -> AsyncIterator[bytes]:
        while size:
            part = await self._part(min(size, _PART))
            if not part:
                raise ConnectionError("the server closed the connection")
            size -= len(part)
            yield part

    async def _part(self, most: int) -> bytes:
        async with asyncio.timeout(_READ):
            return await self.stream.reader.read(most)

    async def _until(self, end: bytes) -> bytes:
        """What comes before these bytes, which are read as well."""
        try:
            async with asyncio.timeout(_READ):
                return (await self.stream.reader.readuntil(end)).removesuffix(end)
        except asyncio.IncompleteReadError:
            raise ConnectionError("the server closed the connection") from None
        except asyncio.LimitOverrunError:
            raise ConnectionError("the answer is no HTTP") from None


def _number(digits: str, base: int) -> int:
    try:
        number = int(digits, base)
    except ValueError:
        number = -1
    if number < 0:
        raise ConnectionError("the answer is no HTTP")
    return number


class Http:
    """Requests to servers that are known in one way.

    What goes wrong with the network is an OSError.
    """

    def __init__(self, trust: Trust) -> None:
        self._trust = trust
        self._idle: dict[str, list[tuple[float, Stream]]] = {}

    async def request(
        self, method: str, endpoint: str, path: str, headers: Mapping[str, str], body: bytes | None = None
    ) -> Response:
        """The answer, of which the head is read; redirections are not followed."""
        stream = self._kept(endpoint) or await self._opened(endpoint)
        response = Response(self, endpoint, method, stream)
        try:
            stream.writer.write(_request(method, endpoint, path, headers, body))
            with suppress(ConnectionError):  # who refuses what is sent may answer before it has all of that
                await stream.writer.drain()
            await response.begin()
        except BaseException:
            stream.drop()
            raise
        return response

    def keep(self, endpoint: str, stream: Stream) -> None:
        """Have a connection for the next request."""
        self._idle.setdefault(endpoint, []).append((time.monotonic(), stream))

    async def close(self) -> None:
        """End the connections that are not in use."""
        for _since, stream in (kept for idle in self._idle.values() for kept in idle):
            stream.drop()
        self._idle.clear()
        await asyncio.sleep(0)  # until they are

    def _kept(self, endpoint: str) -> Stream | None:
        """The connection that was used last, if it can be used again; those that were not used for long are ended."""
        idle, now = self._idle.get(endpoint, []), time.monotonic()
        while idle and (now - idle[0][0] > _IDLE or not idle[0][1].is_open):
            idle.pop(0)[1].drop()
        while idle:
            _since, stream = idle.pop()
            if stream.is_open:
                return stream
            stream.drop()
        return None

    async def _opened(self, endpoint: str) -> Stream:
        host, port = host_and_port(endpoint)
        try:
            async with asyncio.timeout(_CONNECT):
                opening = asyncio.open_connection(
                    host, port, limit=_HEAD, ssl=self._trust.context, happy_eyeballs_delay=0.25
                )
                stream = Stream(*await opening)
        except ssl.SSLError as error:
            raise Untrusted(getattr(error, "verify_message", "") or str(error)) from None
        shown = fingerprint(stream.writer.get_extra_info("ssl_object")) if self._trust.fingerprint else ""
        if shown != self._trust.fingerprint:
            stream.drop()
            raise Untrusted(f"it is another one, with the SHA-256 {shown}")
        return stream


def _request(method: str, endpoint: str, path: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """The bytes of a request; ValueError if a line of it would be several."""
    length = {} if body is None and method in ("GET", "HEAD") else {"Content-Length": str(len(body or b""))}
    said = {"Host": urlsplit(endpoint).netloc, "User-Agent": "ansible-ensemble", **headers, **length}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header of a request has several lines")
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")
