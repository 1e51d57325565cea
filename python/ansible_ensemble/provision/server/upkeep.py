"""What the server does by itself: failed jobs are tried again when it is time, old ones are removed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.query import parse_query
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.removal import remove_jobs
from ansible_ensemble.provision.service import jobs
from ansible_ensemble.provision.service.preferences import preferences
from ansible_ensemble.provision.service.retries import Retry, try_again, waiting_retries, waiting_retry
from ansible_ensemble.provision.store.transaction import Reader, Store

_LOG = logging.getLogger(__name__)

#: Seconds between two looks at all machines, for what another server began and left.
_LOOK = 60.0

#: Seconds between two removals of old jobs.
_REMOVAL = 3600.0

#: As whom it is done.
PRINCIPAL = "system"


class Upkeep:
    """What goes on beside requests, in one server of those that share a store; done twice, it does no harm.

    Args:
        store: where it is done.
        job_age: days after which ended jobs are removed; 0 keeps them.
        job_count: how many jobs are kept of each machine; 0 keeps them all.
        follow: is given the preferences, which another server may have changed.
    """

    def __init__(
        self, store: Store, job_age: int, job_count: int = 0, follow: Callable[[Mapping[str, str]], None] | None = None
    ) -> None:
        self._store, self._job_age, self._job_count, self._follow = store, job_age, job_count, follow
        self._waiting: dict[Retry, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unsubscribe: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Start with it."""
        self._unsubscribe = self._store.subscribe(self._hear)
        self._start(self._regularly(_LOOK, self._look_at_all))
        if self._job_age or self._job_count:
            self._start(self._regularly(_REMOVAL, self._remove_old))

    async def end(self) -> None:
        """End it."""
        self._unsubscribe()
        for handle in self._waiting.values():
            handle.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, work: Awaitable[Any]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _regularly(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await guarded(work())
            await asyncio.sleep(seconds)

    def _hear(self, events: Sequence[Event]) -> None:
        """A machine that stopped may have a failed job that is tried again."""
        for event in events:
            machine = event.object
            if isinstance(machine, Machine) and not machine.runnable and machine.current_job:
                self._start(guarded(self._look_at(machine.uuid)))

    async def _look_at(self, machine: str) -> None:
        if retry := await self._store.read(lambda reader: waiting_retry(reader, machine)):
            self._schedule(retry)

    async def _look_at_all(self) -> None:
        for retry in await self._store.read(waiting_retries):
            self._schedule(retry)
        if self._follow:
            self._follow(await self._store.read(preferences))

    def _schedule(self, retry: Retry) -> None:
        if retry not in self._waiting:
            seconds = max((retry.due - now()).total_seconds(), 0.0)
            loop = asyncio.get_running_loop()
            self._waiting[retry] = loop.call_later(seconds, lambda: self._start(guarded(self._try_again(retry))))

    async def _try_again(self, retry: Retry) -> None:
        self._waiting.pop(retry, None)
        if await self._store.transact(lambda tx: try_again(tx, retry, now()), PRINCIPAL):
            _LOG.info("machine %s tries its failed job again", retry.machine)

    async def _remove_old(self) -> None:
        """Remove the jobs that ended long ago, or before many others, unless their machines still need them."""
        if self._job_age:
            before = iso_time(now() - timedelta(days=self._job_age))
            old = parse_query(Job, [("State", "In(finished,failed)"), ("EndTime", f"Lt({before})")])
            await self._remove(lambda reader: jobs.over(reader, old, but_current=True))
        if self._job_count:
            await self._remove(lambda reader: jobs.beyond(reader, self._job_count))

    async def _remove(self, find: Callable[[Reader], list[str]]) -> None:
        if removed := await remove_jobs(self._store, find, PRINCIPAL, but_current=True):
            _LOG.info("%d old jobs were removed", len(removed))


async def guarded(work: Awaitable[Any]) -> None:
    """Do something; if it fails, the next time may be better."""
    try:
        await work
    except (EnsembleError, Refused) as error:
        _LOG.error("upkeep failed: %s", error)
    except Exception as error:
        _LOG.error("upkeep failed: %s", type(error).__name__, exc_info=error)
