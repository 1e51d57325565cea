"""The stream of events: acknowledged filters, lost connections, and those who do not listen."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from ansible_ensemble.provision.client import events as events_module
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.events import LOST
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.objects.event import Error, Event


def event(number: int) -> Event:
    return Event(time="2026-01-01T00:00:00Z", type="machines", action="update", key=str(number))


class Hub:
    """A websocket's other end: answers filters, but for one, sends what is told, and drops its connections."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.sockets: list[web.WebSocketResponse] = []
        self.mute = False
        self.refused = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                self.asked.append(message.data)
                if not self.mute:
                    await socket.send_bytes(b"not text")
                    action = "refused" if self.refused and message.data.endswith(self.refused) else "register"
                    answer = Event(time="2026-01-01T00:00:00Z", type="websocket", action=action, key="", object={})
                    await socket.send_str(encode(answer).decode())
        return socket

    async def tell(self, *told: Event) -> None:
        for one in told:
            await self.sockets[-1].send_str(encode(one).decode())

    async def drop(self) -> None:
        transport = self.sockets[-1]._req.transport  # type: ignore[union-attr]
        transport.abort()


def test_events_come_in_order_once_their_filter_is_answered(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            await stream.register("machines.update.1")
            await stream.register("machines.update.1")
            await hub.tell(event(1), event(2))
            assert [await anext(stream), await anext(stream)] == [event(1), event(2)]
            await stream.deregister("machines.update.1")
            assert hub.asked == ["register machines.update.1"]
            await stream.deregister("machines.update.1")
            assert hub.asked[1:] == ["deregister machines.update.1"]

    asyncio.run(main())


def test_a_refused_filter_is_an_error(serving: Any) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for _ in socket:
            error = Error(type="GET", model="users", messages=["Access denied"], code=403)
            refused = Event(time="2026-01-01T00:00:00Z", type="websocket", action="refused", key="", object=error)
            await socket.send_str(encode(refused).decode())
        return socket

    async def main() -> None:
        async with serving(refuse) as server, Client(server.settings) as client, client.events() as stream:
            for _ in range(2):
                with pytest.raises(RequestFailed, match="GET: users: Access denied") as caught:
                    await stream.register("users.*.*")
                assert caught.value.error.code == 403

    asyncio.run(main())


def test_a_lost_connection_comes_back_with_its_filters(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            await stream.register("machines.*.*")
            await hub.drop()
            assert await anext(stream) == LOST
            await hub.tell(event(3))
            assert await anext(stream) == event(3)
            assert hub.asked == ["register machines.*.*"] * 2

    asyncio.run(main())


def test_a_filter_that_was_asked_for_before_the_loss_is_answered_after_it(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        hub.mute = True
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            waiting = asyncio.create_task(stream.register("jobs.*.*"))
            while not hub.asked:
                await asyncio.sleep(0.001)
            hub.mute = False
            await hub.drop()
            await waiting
            assert hub.asked == ["register jobs.*.*"] * 2

    asyncio.run(main())


def test_a_server_that_stays_away_ends_the_stream(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            await stream.register("*.*.*")
            hub.mute = True
            waiting = asyncio.create_task(stream.register("jobs.*.*"))
            while len(hub.asked) < 2:
                await asyncio.sleep(0.001)
            await hub.drop()
            await server.stop()
            with pytest.raises(RequestFailed):
                await waiting
            for _ in range(2):
                with pytest.raises(RequestFailed, match="no answer"):
                    await anext(stream)
            with pytest.raises(RequestFailed):
                await stream.register("tasks.*.*")

    asyncio.run(main())


def test_what_nobody_takes_does_not_pile_up(serving: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events_module, "_CAPACITY", 3)

    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            await stream.register("*.*.*")
            await hub.tell(*map(event, range(5)))
            await stream.register("jobs.*.*")  # what was told before its answer has come
            assert [await anext(stream), await anext(stream)] == [LOST, event(4)]

    asyncio.run(main())


def test_an_event_that_makes_no_sense_ends_the_stream(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, client.events() as stream:
            await stream.register("*.*.*")
            await hub.sockets[-1].send_str('{"Time": 1}')
            with pytest.raises(RequestFailed, match="ws"):
                await anext(stream)

    asyncio.run(main())
