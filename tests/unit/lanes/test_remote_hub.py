"""The hub has one executor connect or find something of a host; if it fails, the others do not wait for each other."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.lanes.remote_hosts import NotHere, Order, RemoteHosts
from ansible_ensemble.lanes.remote_hub import Hub


class Unreachable(Exception):
    """What an executor meets that cannot connect."""


def ask(work: Callable[[RemoteHosts, int], Any], executors: int, waiting: Callable[[Hub], int]) -> list[Any]:
    """What executors get that ask at once; the first one, number 0, waits in its work until the others wait for it."""
    others_wait = threading.Event()

    async def main() -> list[Any]:
        control, theirs = socket.socketpair()
        hub, hosts = Hub(theirs), RemoteHosts(control)
        serving = asyncio.create_task(hub.serve())
        begun = asyncio.Event()
        loop = asyncio.get_running_loop()

        def first() -> Any:
            hosts.begun = lambda: (loop.call_soon_threadsafe(begun.set), others_wait.wait())  # type: ignore[attr-defined]
            return work(hosts, 0)

        asked = [asyncio.create_task(asyncio.to_thread(first))]
        await begun.wait()
        asked += [asyncio.create_task(asyncio.to_thread(work, hosts, number)) for number in range(1, executors)]
        while waiting(hub) < executors - 1:
            await asyncio.sleep(0)
        others_wait.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        control.close()
        await serving
        return found

    return asyncio.run(main())


@pytest.mark.parametrize("first_fails", [False, True])
def test_what_is_found_of_a_host(first_fails: bool) -> None:
    together = threading.Barrier(2, timeout=60)

    def work(hosts: Any, number: int) -> Any:
        def find() -> str:
            if number:
                together.wait()  # ends only if both look at the same time
            else:
                hosts.begun()
                if first_fails:
                    raise Unreachable
            return str(number)

        return hosts.find("python", find)

    first, *others = ask(work, 3, lambda hub: len(hub._making["python"]._waiters or ()))
    assert others == (["1", "2"] if first_fails else ["0", "0"])
    assert isinstance(first, Unreachable) if first_fails else first == "0"


def test_a_connection_that_is_not_opened() -> None:
    def work(hosts: Any, number: int) -> Any:
        def connect() -> list[int]:
            assert number == 0
            hosts.begun()
            raise Unreachable

        return hosts.run("key", connect, Order({"command": "true"}))

    first, *others = ask(work, 3, lambda hub: len(hub._entries["key"].lock._waiters or ()))
    assert isinstance(first, Unreachable)
    assert [isinstance(other, NotHere) for other in others] == [True, True]
