"""Changes of machines through few websockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ansible_ensemble.provision.agent.watch import Watch
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from tests.unit.provision.client.test_events import Hub, event


def test_each_machine_hears_of_itself(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, Watch(client) as watch:
            one, two = await watch.changes("1"), await watch.changes("2")
            assert await watch.changes("1") is one
            assert hub.asked == [f"register machines.{action}.{key}" for key in "12" for action in ("update", "save")]
            assert not await one.wait(0)
            await hub.tell(event(2))
            assert await two.wait(60)
            assert not await one.wait(0)
            two.look()
            assert not await two.wait(0)

    asyncio.run(main())


def test_many_machines_share_a_websocket(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, Watch(client) as watch:
            changes = [await watch.changes(str(number)) for number in range(251)]
            assert len(hub.sockets) == 2
            await hub.tell(event(250))
            assert await changes[250].wait(60)

    asyncio.run(main())


def test_all_look_again_after_the_connection_was_lost(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, Watch(client) as watch:
            changes = [await watch.changes(key) for key in "12"]
            await hub.drop()
            assert [await one.wait(60) for one in changes] == [True, True]

    asyncio.run(main())


def test_a_server_that_is_gone_is_told_to_all(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, Watch(client) as watch:
            changes = await watch.changes("1")
            await server.stop()
            assert await changes.wait(60)
            with pytest.raises(RequestFailed):
                changes.look()
            await server.start()
            again = await watch.changes("1")
            assert again is not changes
            await hub.tell(event(1))
            assert await again.wait(60)

    asyncio.run(main())


def test_a_filter_that_was_refused_is_asked_for_again(serving: Any) -> None:
    async def main() -> None:
        hub = Hub()
        async with serving(hub.handle) as server, Client(server.settings) as client, Watch(client) as watch:
            await watch.changes("1")
            hub.refused = "machines.save.2"
            for _ in range(2):
                with pytest.raises(RequestFailed):
                    await watch.changes("2")
            hub.refused = ""
            changes = await watch.changes("2")
            await hub.tell(event(2))
            assert await changes.wait(60)

    asyncio.run(main())
