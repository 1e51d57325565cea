"""Changes of many machines, heard through few websockets."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.events import LOST, EventStream
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.objects.codec import Undecodable, from_plain
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.machine import Machine

#: Machines that share a websocket; each has two filters, of which servers take no more than a thousand.
_SHARING = 250


class Changes:
    """Whether a machine has changed since it was looked at, and what it was told to be."""

    def __init__(self) -> None:
        self._happened = asyncio.Event()
        self._heard: Machine | None = None
        self._error: RequestFailed | None = None

    def heard(self) -> Machine | None:
        """The machine as the latest change since the last look told it, once; None if none did."""
        heard, self._heard = self._heard, None
        return heard

    def look(self) -> None:
        """Forget the changes so far: the machine is about to be looked at."""
        if self._error:
            raise self._error
        self._happened.clear()
        self._heard = None

    async def wait(self, seconds: float) -> bool:
        """Whether something changes within so many seconds."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._happened.wait(), seconds)
        return self._happened.is_set()

    def happened(self, machine: Machine | None = None, error: RequestFailed | None = None) -> None:
        """Wake who waits, and say what the machine is now; with an error, because nothing more will be heard."""
        self._heard, self._error = machine, error
        self._happened.set()


class _Ear:
    """A websocket, and the machines whose changes it tells of."""

    def __init__(self, stream: EventStream) -> None:
        self.changes: dict[str, Changes] = {}
        self._stream = stream
        self._reader: asyncio.Task[None]
        self.is_deaf = False

    async def open(self) -> None:
        await self._stream.__aenter__()
        self._reader = asyncio.create_task(self._listen())

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        await self._stream.__aexit__(None, None, None)

    async def add(self, machine: str) -> Changes:
        for action in ("update", "save"):
            await self._stream.register(f"machines.{action}.{machine}")
        return self.changes.setdefault(machine, Changes())

    async def _listen(self) -> None:
        try:
            async for event in self._stream:
                if event is LOST:
                    for changes in self.changes.values():
                        changes.happened()
                elif event.key in self.changes:
                    self.changes[event.key].happened(_machine(event))
        except RequestFailed as error:
            self.is_deaf = True
            for changes in self.changes.values():
                changes.happened(error=error)


def _machine(event: Event) -> Machine | None:
    """The machine that an event tells of, if it does."""
    try:
        return from_plain(Machine, event.object)
    except Undecodable:
        return None


class Watch:
    """Tells of changes of machines; an async context."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._ears: list[_Ear] = []
        self._opening = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for ear in self._ears:
            await ear.close()

    async def changes(self, machine: str) -> Changes:
        """The changes of a machine, by its UUID, from now on."""
        async with self._opening:
            ear = await self._ear_for(machine)
            return ear.changes.get(machine) or await ear.add(machine)

    async def _ear_for(self, machine: str) -> _Ear:
        """The websocket that tells of the machine, or has a place for it; what cannot hear any more is closed."""
        for deaf in [ear for ear in self._ears if ear.is_deaf]:
            self._ears.remove(deaf)
            await deaf.close()
        knowing = [ear for ear in self._ears if machine in ear.changes]
        free = [ear for ear in self._ears if len(ear.changes) < _SHARING]
        if found := knowing or free:
            return found[0]
        ear = _Ear(self._client.events())
        await ear.open()
        self._ears.append(ear)
        return ear
