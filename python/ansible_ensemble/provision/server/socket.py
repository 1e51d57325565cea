"""A websocket: what a client asks to be told of, and what it is told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from aiohttp import WSCloseCode, WSMsgType, web

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.backlog import Backlog
from ansible_ensemble.provision.server.filters import InvalidFilter, Match, parse_filter
from ansible_ensemble.provision.server.hub import Hub
from ansible_ensemble.provision.store.transaction import Unavailable

_LOG = logging.getLogger(__name__)

#: How many filters a client may have.
_MOST_FILTERS = 1000

#: Seconds between two pings; who does not answer one in half of that is gone.
_PING = 54

#: Seconds between two looks at whether a client may still hear what it asked for, in case that an event was missed.
LOOK = 60.0

#: Stands among the events that wait: before any of those behind it is sent, the client's rights are looked at.
_RIGHTS_CHANGED = b""

#: Seconds until rights are looked at again that nobody could tell.
_AGAIN = 1

#: Seconds that a client has to take leave.
_GOODBYE = 5

#: A client sends filters and nothing else.
_MESSAGE_BYTES = 64 * 2**10

#: Raises `Refused` where a client may not hear of what a filter matches.
Allow = Callable[[list[Match]], Awaitable[None]]


class Socket:
    """One client of the events.

    Args:
        hub: tells of them.
        allow: refuses what the client may not hear.
        rights: what `allow` says may be otherwise after these events.
    """

    def __init__(self, hub: Hub, allow: Allow, rights: Sequence[Match]) -> None:
        self._hub, self._allow, self._rights = hub, allow, rights
        self._doubt = _Doubt(self)
        self._doubts, self._is_doubtful = 0, False
        self._filters: dict[str, list[Match]] = {}
        self._waiting = Backlog()
        self._ended = asyncio.Event()
        self._fault = ""

    def hear(self, message: bytes) -> None:
        """Send an event, as soon as those before it are sent; who does not read is disconnected."""
        if not self._fault and not self._waiting.put(message):
            _LOG.warning("a websocket is closed: too many events waited for its reader")
            self._waiting.clear()
            self._expel("too slow: events were waiting")

    def doubt(self) -> None:
        """Look at what the client may hear before it is told of anything else."""
        self._doubts += 1
        if not self._is_doubtful:
            self._is_doubtful = True
            self.hear(_RIGHTS_CHANGED)

    def _expel(self, fault: str) -> None:
        """Close the connection, because of something that its client has to know."""
        self._fault = fault
        self._ended.set()

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Talk to a client until it goes, does not read what it is sent, may not hear it, or the server stops."""
        connection = web.WebSocketResponse(heartbeat=_PING, max_msg_size=_MESSAGE_BYTES, compress=False)
        await connection.prepare(request)
        work = (self._receive(connection), self._send(connection), self._watch(), self._end())
        self._hub.add(self._doubt, self._rights)
        tasks = [asyncio.create_task(one) for one in work]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hub.remove(self._doubt, self._rights)
            for matches in self._filters.values():
                self._hub.remove(self, matches)
            for task in tasks:
                task.cancel()
            await _settled(tasks)
            await self._say_goodbye(connection, request)
        return connection

    def end(self) -> None:
        """Close the connection, because the server stops."""
        self._ended.set()

    async def _end(self) -> None:
        await self._ended.wait()

    async def _say_goodbye(self, connection: web.WebSocketResponse, request: web.Request) -> None:
        code = WSCloseCode.POLICY_VIOLATION if self._fault else WSCloseCode.GOING_AWAY
        try:
            async with asyncio.timeout(_GOODBYE):
                await connection.close(code=code, message=self._fault.encode())
        except TimeoutError:
            if request.transport:
                request.transport.abort()

    async def _watch(self) -> None:
        """End when the client may not hear any more what it asked for: its token was revoked, or it may do less."""
        while not self._fault:
            await asyncio.sleep(LOOK)
            await self._look()

    async def _look(self) -> None:
        """Close the connection if the client may not hear any more what it asked for."""
        while True:
            try:
                return await self._allow([match for matches in self._filters.values() for match in matches])
            except Refused:
                return self._expel("not allowed any more")
            except Unavailable:
                await asyncio.sleep(_AGAIN)

    async def _receive(self, connection: web.WebSocketResponse) -> None:
        async for message in connection:
            if message.type is not WSMsgType.TEXT:
                break
            await self._obey(message.data)

    async def _send(self, connection: web.WebSocketResponse) -> None:
        while not self._fault:
            if message := await self._waiting.get():
                await connection.send_frame(message, WSMsgType.TEXT)
            else:
                self._is_doubtful = False
                await self._look()

    async def _obey(self, text: str) -> None:
        """Register or deregister a filter, and say that it is done, or why not."""
        action, _separator, wanted = text.strip().partition(" ")
        wanted = wanted.strip()
        try:
            if action == "register":
                await self._register(wanted)
            elif action == "deregister":
                self._hub.remove(self, self._kept(self._filters.pop(wanted, [])))
            else:
                raise Refused(400, "a message is `register FILTER` or `deregister FILTER`")
        except Refused as refused:
            self._tell("refused", wanted, refused.error)
        else:
            self._tell(action, wanted)

    async def _register(self, wanted: str) -> None:
        if wanted in self._filters:
            return
        if len(self._filters) >= _MOST_FILTERS:
            raise Refused(400, "too many filters")
        try:
            matches = parse_filter(wanted)
        except InvalidFilter as error:
            raise Refused(400, str(error)) from None
        looked = -1
        while looked != self._doubts:  # rights that change meanwhile are looked at again
            looked = self._doubts
            await self._allow(matches)
        self._filters[wanted] = matches
        self._hub.add(self, matches)

    def _kept(self, matches: list[Match]) -> set[Match]:
        """Those of the matches that no other filter has."""
        return set(matches) - {match for others in self._filters.values() for match in others}

    def _tell(self, action: str, wanted: str, why: object = None) -> None:
        event = Event(time=iso_time(now()), type="websocket", action=action, key=wanted[:1000], object=why)
        self.hear(encode(event))


class _Doubt:
    """Hears of changes after which a client may hear less."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket

    def hear(self, message: bytes) -> None:  # noqa: ARG002 - what it says is looked up
        """Have the rights of the client looked at."""
        self._socket.doubt()


async def _settled(tasks: list[asyncio.Task[None]]) -> None:
    """Wait for tasks to end; that a client has gone is no error."""
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception) and not isinstance(outcome, ConnectionError):
            _LOG.error("a websocket failed: %s", type(outcome).__name__, exc_info=outcome)
