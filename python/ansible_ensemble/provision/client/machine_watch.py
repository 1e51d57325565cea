"""Machines and their current jobs as they are, and each time that they change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing, suppress

from msgspec import Struct

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.events import LOST
from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.objects.codec import from_plain
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: More machines than these are watched by hearing of all.
_FEW = 100

#: Where machines stand by their UUIDs; None of one that is no more.
Statuses = Mapping[str, MachineStatus | None]


async def watched(
    client: Client, uuids: Collection[str] = ()
) -> AsyncGenerator[tuple[str, MachineStatus | None], None]:
    """Where machines stand: first as they are, then each time that it changes; None when one is deleted.

    No change is missed that lasts: they are listened to before they are looked at, and are looked at again when the
    connection was lost. That a machine is over is true when it is told: it was looked at together with its job.

    Args:
        client: asks the server.
        uuids: of the machines; none for all, also those that are to come.
    """
    watch = _Watch(client, frozenset(uuids))
    async with client.events() as events:
        for pattern in watch.patterns:
            await events.register(pattern)
        heard = await watch.look()
        while True:
            for uuid, status in heard.items():
                if watch.keep(uuid, status):
                    yield uuid, status
            event = await anext(events)
            heard = await watch.look() if event == LOST else await watch.hear(event)


class Waited(Struct, frozen=True):
    """How a wait ended.

    Attributes:
        ends: where machines stand, by their UUIDs, as far as it was seen; None of one that is no more.
        late: those that are not where they were waited for.
    """

    ends: Statuses
    late: frozenset[str]


async def until(
    client: Client,
    uuids: Collection[str],
    is_there: Callable[[MachineStatus], bool],
    take: Callable[[str, MachineStatus | None], None],
    timeout: float | None = None,
) -> Waited:
    """Wait until each of some machines is somewhere, or is no more.

    Args:
        client: asks the server.
        uuids: of the machines.
        is_there: whether a machine is where it is waited for.
        take: is called each time that a machine stands elsewhere.
        timeout: seconds that are waited at most.
    """
    ends: dict[str, MachineStatus | None] = {}
    left = set(uuids)
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout), aclosing(watched(client, uuids)) as changes:
            while left:
                uuid, status = await anext(changes)
                ends[uuid] = status
                take(uuid, status)
                (left.discard if status is None or is_there(status) else left.add)(uuid)
    return Waited(ends, frozenset(left))


async def look(client: Client, uuid: str) -> MachineStatus | None:
    """Where a machine stands; the machine did not change while its job was looked at."""
    try:
        machine, seen = await client.get(Machine, uuid), None
        while machine != seen:
            job = await _job(client, machine)
            machine, seen = await client.get(Machine, uuid), machine
    except RequestFailed as error:
        if error.exit_code == NOT_FOUND:
            return None
        raise
    return MachineStatus(machine, job)


async def _job(client: Client, machine: Machine) -> Job | None:
    """The current job of a machine; it may have been removed."""
    if not machine.current_job:
        return None
    try:
        return await client.get(Job, machine.current_job)
    except RequestFailed as error:
        if error.exit_code == NOT_FOUND:
            return None
        raise


class _Watch:
    """What is known of machines, and what an event changes of it."""

    def __init__(self, client: Client, uuids: frozenset[str]) -> None:
        self._client, self._uuids = client, uuids
        self._held: dict[str, MachineStatus | None] = {}
        #: The current jobs that were heard of, by machine: of a new one it is told before its machine, or after it.
        self._jobs: dict[str, Job] = {}

    @property
    def patterns(self) -> list[str]:
        """The filters of the events that concern the machines."""
        few = 0 < len(self._uuids) <= _FEW
        return [
            *(f"machines.*.{uuid}" for uuid in sorted(self._uuids) if few),
            *([] if few else ["machines.*.*"]),
            "jobs.*.*",
        ]

    def keep(self, uuid: str, status: MachineStatus | None) -> bool:
        """Keep where a machine stands; whether that is news."""
        is_news = uuid not in self._held or self._held[uuid] != status
        self._held[uuid] = status
        return is_news

    async def look(self) -> Statuses:
        """Where all of them stand."""
        if self._uuids:
            return {uuid: await look(self._client, uuid) for uuid in sorted(self._uuids)}
        machines = await self._client.select(Machine, {"sort": "Name"})
        jobs = {job.uuid: job for job in await self._client.select(Job, {"Current": "true"})}
        seen = {machine.uuid: MachineStatus(machine, jobs.get(machine.current_job)) for machine in machines}
        return {**dict.fromkeys(self._held), **seen}

    async def hear(self, event: Event) -> Statuses:
        """What an event changes."""
        if event.type == Machine.PREFIX and (not self._uuids or event.key in self._uuids):
            return {event.key: await self._settled(self._of_machine(event))}
        if event.type == Job.PREFIX and event.action != "delete":
            job = from_plain(Job, event.object)
            if job.current and (held := self._held.get(job.machine)):
                self._jobs[job.machine] = job
                return {job.machine: await self._settled(self._status(held.machine))}
        return {}

    def _of_machine(self, event: Event) -> MachineStatus | None:
        if event.action == "delete":
            return None
        return self._status(from_plain(Machine, event.object))

    def _status(self, machine: Machine) -> MachineStatus:
        held = self._held.get(machine.uuid)
        known = (self._jobs.get(machine.uuid), held.job if held else None)
        return MachineStatus(machine, next((job for job in known if job and job.uuid == machine.current_job), None))

    async def _settled(self, status: MachineStatus | None) -> MachineStatus | None:
        """Where a machine stands; what seems to be over, and a job that is not known, is looked at."""
        if status is None or not (status.is_over or (status.machine.current_job and not status.job)):
            return status
        return await look(self._client, status.machine.uuid)
