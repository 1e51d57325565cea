"""The stream of events that a server sends through a websocket."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from types import TracebackType
from typing import Self

from ansible_ensemble.provision.client.connection import Connection
from ansible_ensemble.provision.client.failure import RequestFailed, unreachable
from ansible_ensemble.provision.client.websocket import WebSocket
from ansible_ensemble.provision.objects.base import ZERO_TIME
from ansible_ensemble.provision.objects.codec import Undecodable, decode, from_plain
from ansible_ensemble.provision.objects.event import Error, Event

#: How many events wait for somebody who takes none.
_CAPACITY = 10_000

#: The type of events about the stream itself.
STREAM = "websocket"
_REFUSED = "refused"
#: Events may be missing before this one: the connection was lost and is there again, or nobody took them in time.
LOST = Event(time=ZERO_TIME, type=STREAM, action="lost", key="")


class EventStream:
    """Events of the filters that are registered, in the order they happened.

    Iterating over it waits for events. Where some may be missing it gives `LOST`: what is watched has to be looked at.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._filters: Counter[str] = Counter()
        self._unanswered: list[asyncio.Future[None]] = []
        self._events: asyncio.Queue[Event | RequestFailed] = asyncio.Queue()
        self._socket: WebSocket
        self._reader: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        self._socket = await self._connection.websocket()
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        self._fail(unreachable("ws", ConnectionError("closed")), list(self._unanswered))
        await self._socket.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        event = await self._events.get()
        if isinstance(event, RequestFailed):
            self._events.put_nowait(event)
            raise event
        return event

    async def register(self, pattern: str) -> None:
        """Have events of a filter `TYPE.ACTION.KEY`, each part of which may be `*`, from the return on."""
        self._filters[pattern] += 1
        try:
            if self._filters[pattern] == 1:
                await self._ask(f"register {pattern}")
        except RequestFailed:
            del self._filters[pattern]
            raise

    async def deregister(self, pattern: str) -> None:
        """Undo one `register`."""
        self._filters[pattern] -= 1
        if self._filters[pattern] <= 0:
            del self._filters[pattern]
            await self._ask(f"deregister {pattern}")

    async def _ask(self, text: str) -> None:
        """Send, and wait for the answer; after a loss all is registered anew, which answers it as well."""
        if self._reader.done():
            raise unreachable("ws", ConnectionError("closed"))
        answered = asyncio.get_running_loop().create_future()
        self._unanswered.append(answered)
        with suppress(ConnectionError):  # the reader sees it too
            await self._socket.send(text)
        await answered

    async def _read(self) -> None:
        try:
            while True:
                while (text := await self._socket.receive()) is not None:
                    self._take(_event(text))
                await self._reconnect()
        except RequestFailed as error:
            self._fail(error, list(self._unanswered))
            self._events.put_nowait(error)

    def _take(self, event: Event) -> None:
        if event.type != STREAM:
            self._keep(event)
        elif event.action == _REFUSED:
            self._fail(RequestFailed(from_plain(Error, event.object)), self._unanswered[:1])
        else:
            self._answer(self._unanswered[:1])

    def _keep(self, event: Event) -> None:
        if self._events.qsize() >= _CAPACITY:
            self._events = asyncio.Queue()
            event = LOST
        self._events.put_nowait(event)

    async def _reconnect(self) -> None:
        """Be connected again, with all filters registered; a server that takes connections and drops them has waits."""
        await self._socket.close()
        for wait in self._connection.waits:
            await asyncio.sleep(wait)
            self._socket = await self._connection.websocket()
            asked = list(self._unanswered)
            if await self._registered(list(self._filters)):
                self._answer(asked)
                self._keep(LOST)
                return
            await self._socket.close()
        raise unreachable("ws", ConnectionError("dropped"))

    async def _registered(self, filters: list[str]) -> bool:
        """Whether the new connection lived until it had answered all filters."""
        with suppress(ConnectionError):
            for pattern in filters:
                await self._socket.send(f"register {pattern}")
        missing = len(filters)
        while missing:
            text = await self._socket.receive()
            if text is None:
                return False
            missing -= _event(text).type == STREAM
        return True

    def _answer(self, asked: list[asyncio.Future[None]]) -> None:
        for answered in asked:
            self._unanswered.remove(answered)
            if not answered.done():
                answered.set_result(None)

    def _fail(self, error: RequestFailed, asked: list[asyncio.Future[None]]) -> None:
        for answered in asked:
            self._unanswered.remove(answered)
            if not answered.done():
                answered.set_exception(error)


def _event(text: str) -> Event:
    try:
        return decode(Event, text.encode())
    except Undecodable as error:
        raise unreachable("ws", error) from None
