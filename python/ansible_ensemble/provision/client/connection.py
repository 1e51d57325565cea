"""HTTP requests to a server: logging in, and trying again what met an error of the network."""

from __future__ import annotations

import asyncio
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from msgspec import Struct

from ansible_ensemble.provision.client.failure import RequestFailed, refusal, unreachable, untrusted
from ansible_ensemble.provision.client.http import Http, Response, Untrusted
from ansible_ensemble.provision.client.settings import Settings, verification
from ansible_ensemble.provision.client.websocket import WebSocket, open_websocket
from ansible_ensemble.provision.objects.codec import Undecodable, decode_json
from ansible_ensemble.provision.objects.event import Error

T = TypeVar("T")

#: What a path is asked with; a name may be there several times.
Query: TypeAlias = Mapping[str, str] | Sequence[tuple[str, str]]

#: Seconds that a token is asked for, and after which another one is.
_TOKEN_LIFE = 7200
_TOKEN_USE = _TOKEN_LIFE / 2
_JSON = "application/json"
_BYTES = "application/octet-stream"
_PARTIAL, _BEYOND = 206, 416


class Answer(Struct, frozen=True):
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Connection:
    """Requests to one server, or to the first that is there of several on one database.

    A request is sent again when its answer was lost, also one that was carried out: who creates something may then be
    told that it exists.

    Attributes:
        waits: seconds before each further try of what met an error of the network.
    """

    def __init__(self, settings: Settings) -> None:
        self.waits = settings.waits
        self._settings = settings
        self._endpoint = settings.endpoints[0]
        self._token = settings.token
        self._renew_at = float("inf") if settings.token else 0.0
        self._login = asyncio.Lock()
        self._http: Http

    async def __aenter__(self) -> Self:
        self._http = Http(verification(self._settings))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.close()

    async def request(self, method: str, path: str, query: Query | None = None, body: bytes | None = None) -> Answer:
        """What the server answers to JSON, or to nothing."""
        return await self._answer(method, address(path, query), body, {"Content-Type": _JSON} if body else {})

    async def send(self, method: str, path: str, data: bytes) -> Answer:
        """What the server answers to raw bytes."""
        return await self._answer(method, address(path), data, {"Content-Type": _BYTES})

    async def stream(self, path: str, offset: int = 0) -> AsyncIterator[bytes]:
        """The bytes behind a path, as they come, from an offset on; none if there are no more than that."""
        await self._log_in()
        headers = {"Accept": f"{_JSON}, {_BYTES}"} | ({"Range": f"bytes={offset}-"} if offset else {})
        response = await self._retried(lambda: self._open("GET", address(path), None, headers))
        async with response:
            if offset and response.status == _BEYOND:
                return
            skipped = offset if response.status != _PARTIAL else 0
            if response.status >= 400:
                raise refusal("GET", path, response.status, await response.read())
            try:
                async for part in response.parts():
                    if len(part) > skipped:
                        yield part[skipped:]
                    skipped = max(0, skipped - len(part))
            except OSError as error:
                raise unreachable(self._endpoint, error) from None

    async def token(self) -> str:
        """The token that requests are sent with, after a login if there is a password; empty where there is none."""
        await self._log_in()
        return self._token

    async def websocket(self) -> WebSocket:
        """An open websocket of events."""
        await self._log_in()
        return await self._retried(lambda: open_websocket(self._http, self._endpoint, address("ws"), self._bearer()))

    async def _answer(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        await self._log_in()
        answer = await self._retried(lambda: self._read(method, path, body, headers))
        if answer.status >= 400:
            raise refusal(method, path, answer.status, answer.body)
        return answer

    async def _read(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        async with await self._open(method, path, body, headers) as response:
            return Answer(response.status, response.headers, await response.read())

    async def _open(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Response:
        sent = {"Accept": _JSON, "Cache-Control": "no-store", **self._bearer(), **headers}
        return await self._http.request(method, self._endpoint, path, sent, body)

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    async def _retried(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What one of the tries results in; between them is what the settings say to wait."""
        for wait in self.waits:
            try:
                return await self._tried(attempt)
            except OSError:
                await asyncio.sleep(wait)
        try:
            return await self._tried(attempt)
        except OSError as error:
            raise unreachable(self._endpoint, error) from None

    async def _tried(self, attempt: Callable[[], Awaitable[T]]) -> T:
        endpoint = self._endpoint
        try:
            return await attempt()
        except Untrusted as error:
            raise untrusted(endpoint, str(error)) from None
        except OSError:
            self._leave(endpoint)
            raise

    def _leave(self, endpoint: str) -> None:
        """Go on to the next endpoint, unless another request did so."""
        if endpoint == self._endpoint:
            endpoints = self._settings.endpoints
            self._endpoint = endpoints[(endpoints.index(endpoint) + 1) % len(endpoints)]

    async def _log_in(self) -> None:
        """Have a token, if there is a password to get it with; one that still counts is good until another is there."""
        async with self._login:
            if not self._settings.user or time.monotonic() < self._renew_at:
                return
            try:
                self._token = await self._new_token()
            except OSError as error:
                if not self._token:
                    raise unreachable(self._endpoint, error) from None
            else:
                self._renew_at = time.monotonic() + _TOKEN_USE

    async def _new_token(self) -> str:
        """A token for the password; each endpoint is tried once, as there may be nobody who waits."""
        user = self._settings.user
        basic = b64encode(f"{user}:{self._settings.password}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}"}
        path = address(f"users/{user}/token", {"ttl": str(_TOKEN_LIFE)})
        for _item in self._settings.endpoints[1:]:
            try:
                return _token(path, await self._tried(lambda: self._read("GET", path, None, headers)))
            except OSError:
                continue
        return _token(path, await self._tried(lambda: self._read("GET", path, None, headers)))


def address(path: str, query: Query | None = None) -> str:
    """The path and query of a URL; slashes in keys are kept, as servers expect them."""
    return f"/api/v3/{quote(path, safe='/:@')}" + (f"?{urlencode(query)}" if query else "")


def _token(path: str, answer: Answer) -> str:
    if answer.status >= 400:
        raise refusal("GET", path, answer.status, answer.body)
    try:
        got: Any = decode_json(answer.body)
        return str(got["Token"])
    except (Undecodable, KeyError, TypeError):
        raise RequestFailed(Error(type="GET", model="users", messages=["the answer holds no token"])) from None
