"""Requests as the field's command sends them, and the checks that it makes of each answer."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from typing import Any, Self
from urllib.parse import quote

import aiohttp
from yarl import URL

from tests.integration.provision import go_objects

JSON = "application/json"
BYTES = "application/octet-stream"


class Refusal(Exception):
    """An answer that tells of an error.

    Attributes:
        status: the HTTP status.
        error: the body.
    """

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        super().__init__(f"{status} {error}")
        self.status, self.error = status, error

    @property
    def messages(self) -> list[str]:
        return self.error["Messages"]


class Unsound(AssertionError):
    """An answer that the command cannot handle."""


class Wire:
    """A session: logs in by a password and then sends its token, or sends a given one.

    Attributes:
        endpoint: `https://HOST:PORT`.
        token: what is sent.
        waits: seconds between the tries of a request that met an error of the network.
    """

    waits: tuple[float, ...] = (1, 1, 2, 3, 5, 8)

    def __init__(
        self, endpoint: str, key: str = "rocketskates:r0cketsk8ts", token: str = "", proxied: bool = False
    ) -> None:
        self.endpoint, self.token = endpoint, token
        self._key = key
        self._proxied = proxied
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        connector = aiohttp.TCPConnector(ssl=False, limit=0)
        self._session = aiohttp.ClientSession(connector=connector, auto_decompress=True)
        if not self.token:
            await self._log_in()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def _log_in(self) -> None:
        user = self._key.partition(":")[0]
        basic = {"Authorization": "Basic " + b64encode(self._key.encode()).decode()}
        got = await self.call("GET", f"users/{user}/token", headers=basic)
        assert go_objects.decoded(go_objects.TOKEN, got)["Info"] is not None
        self.token = got["Token"]
        self.token = (await self.call("GET", f"users/{user}/token?ttl=7200"))["Token"]

    @property
    def basic(self) -> str:
        """The value of a header that shows the password itself."""
        return "Basic " + b64encode(self._key.encode()).decode()

    async def call(
        self,
        method: str,
        path: str,
        body: Any = ...,
        shape: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """The JSON that is answered, None without any; decoded into a struct where its shape is given.

        Raises:
            Refusal: the answer is an error.
            Unsound: the answer is one that the command does not take.
        """
        sent = {"Content-Type": JSON} if body is not ... else {}
        data = json.dumps(body).encode() if body is not ... else None
        status, got, text = await self.exchange(method, path, data, {**sent, **(headers or {})})
        if status >= 400:
            raise Refusal(status, _error(method, status, got, text))
        if status == 304:
            return None
        if method != "HEAD" and got.get("Content-Type", "").partition(";")[0] != JSON:
            raise Unsound(f"{method} {path}: cannot handle content-type {got.get('Content-Type')}")
        if status == 204 or method == "HEAD":
            assert text == b"", f"{method} {path} answered {status} with a body"
            return None
        value = json.loads(text)
        return value if shape is None else go_objects.decoded(shape, value)

    async def headers(
        self, method: str, path: str, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str]]:
        """The status and the headers of an answer."""
        status, got, _ = await self.exchange(method, path, None, headers or {})
        return status, got

    async def exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request, also again where the network failed, and have status, headers and body of its answer."""
        for wait in (*self.waits, None):
            try:
                async with await self._send(method, path, data, headers) as response:
                    return response.status, dict(response.headers), await response.read()
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, ConnectionError):
                if wait is None:
                    raise
                self.lost()
            await asyncio.sleep(wait)
        raise AssertionError("not reached")

    def lost(self) -> None:
        """Called when a server does not answer, before it is tried again."""

    async def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> aiohttp.ClientResponse:
        sent = {"Accept": JSON, "Cache-Control": "no-store", "User-Agent": "Go-http-client/1.1", **headers}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if self._proxied:
            sent |= {"Host": "unix", "X-Forwarded-For": "@"}
        return await self._session.request(method, self._url(path), data=data, headers=sent)

    def _url(self, path: str) -> URL:
        head, mark, query = path.partition("?")
        return URL(f"{self.endpoint}/api/v3/{quote(head, safe='/:@%')}{mark}{query}", encoded=True)

    async def bytes(self, path: str) -> bytes:
        """What is streamed from a path."""
        status, got, text = await self.exchange("GET", path, None, {"Accept": f"{JSON}, {BYTES}"})
        if status >= 400:
            raise Refusal(status, _error("GET", status, got, text))
        assert got["Content-Type"] == BYTES, got["Content-Type"]
        return text

    async def put_bytes(self, path: str, data: bytes) -> None:
        """Send raw bytes, which nothing is answered to."""
        assert await self.call_raw("PUT", path, data) is None

    async def call_raw(self, method: str, path: str, data: bytes) -> Any:
        """The JSON that is answered to raw bytes."""
        status, got, text = await self.exchange(method, path, data, {"Content-Type": BYTES})
        if status >= 400:
            raise Refusal(status, _error(method, status, got, text))
        if got.get("Content-Type", "").partition(";")[0] != JSON:
            raise Unsound(f"{method} {path}: cannot handle content-type {got.get('Content-Type')}")
        return json.loads(text) if text else None

    async def watch(self) -> Watch:
        """A websocket; it does not pass the proxy of an agent."""
        url = self.endpoint.replace("https", "wss") + "/api/v3/ws"
        socket = await self._session.ws_connect(url, headers={"Authorization": f"Bearer {self.token}"}, max_msg_size=0)
        return Watch(socket)


class Watch:
    """A websocket of events, with filters that each wait for their acknowledgement."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._waiting: list[dict[str, Any]] = []

    async def register(self, pattern: str) -> None:
        """Have events of a filter."""
        await self._ask(f"register {pattern}")

    async def deregister(self, pattern: str) -> None:
        """Have no more events of a filter."""
        await self._ask(f"deregister {pattern}")

    async def _ask(self, text: str) -> None:
        """Send, and wait for an event of the type `websocket`; other events may come before."""
        await self._socket.send_str(text)
        while (event := await self._receive())["Type"] != "websocket":
            self._waiting.append(event)

    async def next(self, patience: float) -> dict[str, Any] | None:
        """The next event, or None if none comes in so many seconds."""
        if self._waiting:
            return self._waiting.pop(0)
        try:
            return await asyncio.wait_for(self._receive(), patience)
        except TimeoutError:
            return None

    async def all(self, patience: float) -> AsyncIterator[dict[str, Any]]:
        """The events, until none came for so many seconds."""
        while event := await self.next(patience):
            yield event

    async def _receive(self) -> dict[str, Any]:
        message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            raise ConnectionError(f"the websocket ended: {message.type.name}")
        return go_objects.decoded(go_objects.EVENT, json.loads(message.data))

    async def close(self) -> None:
        await self._socket.close(code=1000)


def _error(method: str, status: int, headers: dict[str, str], text: bytes) -> dict[str, Any]:
    """The body of an error; only HEAD has none."""
    if method == "HEAD":
        assert text == b""
        return {"Messages": []}
    kind = headers.get("Content-Type", "").partition(";")[0]
    assert kind == JSON, f"{method} {status}: raw response: {text[:200]!r}"
    error = go_objects.decoded(go_objects.ERROR, json.loads(text))
    assert error["Code"] == status
    assert error["Messages"], error
    return error
