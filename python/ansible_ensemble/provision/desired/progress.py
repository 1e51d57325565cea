"""Machines on their way through their task lists: how far they are, and waiting until they are through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.desired.keeper import NOT_FOUND
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.job_end import RETRY_AT

#: How many lines of a log a failure shows.
_LINES = 10
#: How much of a log is kept while its end is looked for, in bytes.
_TAIL = 16384


class NotThrough(EnsembleError):
    """A machine did not come through its task list.

    Attributes:
        machine: as it was seen last.
        job: the job that failed, if one did.
        lines: the end of its log.
    """

    def __init__(self, message: str, machine: Machine, job: Job | None = None, lines: tuple[str, ...] = ()) -> None:
        text = "\n  ".join([f"{machine.name}: {message}", *lines])
        super().__init__(text)
        self.machine, self.job, self.lines = machine, job, lines


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a machine is.

    Attributes:
        machine: as it is.
        job: its current job; None before the first.
    """

    machine: Machine
    job: Job | None = None

    def __str__(self) -> str:
        machine, job = self.machine, self.job
        if machine.workflow_complete:
            return f"{machine.name}: complete"
        done = max(machine.current_task, 0)
        doing = f"{job.task} {job.state}" if job else "waits for its agent"
        paused = "" if machine.runnable else ", not runnable"
        return f"{machine.name}: {done}/{len(machine.tasks)} {doing}{paused}"


async def until_through(
    client: Client, machine: str, timeout: float, tell: Callable[[Progress], Any] = lambda _: None
) -> Progress:
    """Wait until all tasks of a machine's list have run.

    A machine that waits for a retry, for its boot or for somebody who makes it runnable again, is waited for.

    Args:
        client: of the server.
        machine: its UUID.
        timeout: seconds that are waited at most, once the machine was seen.
        tell: is called with each progress.

    Raises:
        NotThrough: a job failed and is not tried again, the machine cannot be used or was deleted, or the time is over.
        RequestFailed: the server refuses, or is gone.
    """
    async with aclosing(watched(client, machine)) as progress:
        seen = await anext(progress)
        try:
            async with asyncio.timeout(timeout):
                while not _told(seen, tell).machine.workflow_complete:
                    await _refuse_stuck(client, seen)
                    seen = await anext(progress)
                return seen
        except TimeoutError:
            where = str(seen).removeprefix(f"{seen.machine.name}: ")
            raise NotThrough(f"not through within {timeout:g} seconds: {where}", seen.machine, seen.job) from None


def _told(seen: Progress, tell: Callable[[Progress], Any]) -> Progress:
    tell(seen)
    return seen


async def watched(client: Client, machine: str) -> AsyncGenerator[Progress, None]:
    """The progress of a machine, now and whenever it or its current job changes.

    Raises:
        NotThrough: the machine was deleted.
        RequestFailed: the server refuses, or is gone.
    """
    async with client.events() as events:
        await events.register(f"machines.*.{machine}")
        before = seen = await look(client, machine)
        job_filter = await _follow(events, "", seen)
        yield seen
        async for _ in events:
            try:
                seen = await look(client, machine)
            except RequestFailed as error:
                if error.error.code != NOT_FOUND:
                    raise
                raise NotThrough("it was deleted", before.machine, before.job) from None
            job_filter = await _follow(events, job_filter, seen)
            if seen != before:
                yield seen
            before = seen


async def _follow(events: Any, held: str, seen: Progress) -> str:
    """Hear of the machine's current job, and no more of the one before."""
    wanted = f"jobs.*.{seen.job.uuid}" if seen.job else ""
    if wanted and wanted != held:
        await events.register(wanted)
        if held:
            await events.deregister(held)
    return wanted or held


async def look(client: Client, machine: str) -> Progress:
    """The progress of a machine now; what is not there any more of it counts as not there yet.

    Raises:
        RequestFailed: the server refuses, or there is no such machine.
    """
    now = await client.get(Machine, machine)
    if not now.current_job:
        return Progress(now)
    try:
        return Progress(now, await client.get(Job, now.current_job))
    except RequestFailed as error:
        if error.error.code != NOT_FOUND:
            raise
        return Progress(now)


async def _refuse_stuck(client: Client, seen: Progress) -> None:
    """Refuse to wait for what does not go on by itself: a failed job that is not tried again, an unusable machine."""
    machine, job = seen.machine, seen.job
    if not machine.available:
        raise NotThrough(f"it is not available: {'; '.join(machine.errors)}", machine, job)
    if job and job.state == "failed" and not machine.runnable and RETRY_AT not in job.meta and _is_of(job, machine):
        lines = await last_lines(client, job.uuid)
        raise NotThrough(f"{job.task} failed in job {job.uuid}", machine, job, lines)


def _is_of(job: Job, machine: Machine) -> bool:
    """Whether a job is one of the list that the machine is at, and not of one before."""
    return machine.current_task == job.current_index >= 0


async def last_lines(client: Client, job: str, count: int = _LINES) -> tuple[str, ...]:
    """The last lines of the log of a job.

    Raises:
        RequestFailed: the server does not show it.
    """
    tail = b""
    async for part in client.log(job):
        tail = (tail + part)[-_TAIL:]
    return tuple(tail.decode(errors="replace").splitlines()[-count:])
