"""Machines that are taken through their workflows together, and what is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.desired.change import Change, shown
from ansible_ensemble.provision.desired.progress import NotThrough, Progress, until_through
from ansible_ensemble.provision.objects.machine import Machine

Plain = dict[str, Any]


def begun(changes: Iterable[Change]) -> Plain:
    """What became of machines that are not waited for."""
    return _result(changes, {})


async def until_all_through(client: Client, changes: list[Change], timeout: float, say: Callable[[str], None]) -> Plain:
    """Wait until all machines are through; those that do not come through do not keep the others.

    Raises:
        RequestFailed: the server refuses, or is gone.
    """
    machines = [change.after for change in changes if isinstance(change.after, Machine)]
    ends = await asyncio.gather(*(_end(client, one, timeout, say) for one in machines))
    failures = [end for end in ends if isinstance(end, NotThrough)]
    answer = _result(changes, {end.machine.uuid: end for end in ends})
    if failures:
        answer |= {"failed": True, "msg": "\n".join(map(str, failures))}
    return answer


async def _end(client: Client, machine: Machine, timeout: float, say: Callable[[str], None]) -> Progress | NotThrough:
    try:
        return await until_through(client, machine.uuid, timeout, lambda progress: say(str(progress)))
    except NotThrough as failure:
        return failure


def _result(changes: Iterable[Change], ends: dict[str, Progress | NotThrough]) -> Plain:
    diffs, machines = [], []
    for change in changes:
        one = change.after
        if isinstance(one, Machine):
            machines.append(_told(one, ends.get(one.uuid)))
            name = {"before_header": one.name, "after_header": one.name}
            diffs.append({**name, **change.diff})
    return {"changed": any(change.changed for change in changes), "machines": machines, "diff": diffs}


def _told(machine: Machine, end: Progress | NotThrough | None) -> Plain:
    now, job = (end.machine, end.job) if end else (machine, None)
    return {
        "name": now.name,
        "uuid": now.uuid,
        "workflow": now.workflow,
        "complete": now.workflow_complete,
        "current_task": now.current_task,
        "tasks": now.tasks,
        "runnable": now.runnable,
        "job": shown(job) if job else {},
        "log": list(end.lines) if isinstance(end, NotThrough) else [],
    }
