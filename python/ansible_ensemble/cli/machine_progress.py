"""Watching machines on their way through their workflows, and telling why one of them stopped."""

from __future__ import annotations

import argparse
import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli import endpoint, options
from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.clock import now
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.reports.machine_lines import MachineLines
from ansible_ensemble.reports.values import clean

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.client.machine_status import MachineStatus
    from ansible_ensemble.provision.client.machine_watch import Statuses
    from ansible_ensemble.provision.objects.machine import Machine

#: Seconds between two looks at the clock.
_TICK = 1.0
_GONE = {"State": "deleted"}


class WaitedTooLong(EnsembleError):
    """What was waited for did not come in time."""

    exit_code = 8


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """Add `--timeout`."""
    parser.add_argument(
        "--timeout", metavar="TIME", type=options.seconds, default=None, help="wait no longer than that, as 90s or 10m"
    )


@asynccontextmanager
async def lines(console: Console) -> AsyncIterator[MachineLines]:
    """Lines of machines, which on a terminal are kept up to date in the block."""
    size = shutil.get_terminal_size if console.is_terminal else None
    shown = MachineLines(console.for_people, console.style, size)

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK)
            shown.refresh(now())

    ticking = asyncio.create_task(tick()) if size else None
    try:
        yield shown
    finally:
        if ticking:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)
        shown.refresh(now())


async def waited(
    client: Client,
    machines: Sequence[Machine],
    console: Console,
    is_there: Callable[[MachineStatus], bool],
    timeout: float | None,
) -> Statuses:
    """Where machines stand when each of them is where it is waited for, or is no more; None for those.

    Raises:
        WaitedTooLong: one did not come there in time.
        RequestFailed: the server refused, or went away and did not come back.
    """
    from ansible_ensemble.provision.client.machine_watch import until

    endpoint.be_patient(client)
    names = {machine.uuid: machine.name for machine in machines}
    async with lines(console) as shown:
        waited = await until(client, names, is_there, lambda uuid, status: _take(shown, names[uuid], status), timeout)
    if waited.late:
        late = ", ".join(sorted(names[uuid] for uuid in waited.late))
        raise WaitedTooLong(f"after {timeout:g} seconds there is still to wait for {late}")
    return waited.ends


async def watch(client: Client, machines: Sequence[Machine], console: Console) -> None:
    """Show where machines stand, until somebody ends it; without machines, all of them."""
    from ansible_ensemble.provision.client.machine_watch import watched

    names = {machine.uuid: machine.name for machine in machines}
    async with lines(console) as shown, aclosing(watched(client, list(names))) as changes:
        async for uuid, status in changes:
            endpoint.be_patient(client)
            name = names[uuid] = status.machine.name if status else names.get(uuid, uuid)
            if console.machine:
                console.record(status.document() if status else {"Name": name, "Uuid": uuid, **_GONE})
            else:
                _take(shown, name, status)


def _take(shown: MachineLines, name: str, status: MachineStatus | None) -> None:
    if status is None:
        shown.gone(name, now())
    else:
        shown.take(status.document(), now())


async def trouble_of(client: Client, name: str, status: MachineStatus | None) -> EnsembleError:
    """Why a machine does not go on, the last lines of its job, and what to do about it."""
    from ansible_ensemble.provision.client.job_log import last_lines

    if status is None:
        return EnsembleError(f"{name} was deleted")
    document = status.document()
    if status.state == "unavailable":
        return EnsembleError(f"{name} is not available: {'; '.join(status.machine.errors)}")
    if status.state == "idle":
        return EnsembleError(
            f"{name} has no tasks", hint=f"ansible-ensemble provision machines workflow {name} WORKFLOW"
        )
    again = f"ansible-ensemble provision machines run {name}"
    if not document["Job"]:
        return EnsembleError(f"{name} is {status.state}", hint=again)
    log = map(clean, await last_lines(client, document["Job"]))
    where = f"{name}: {document['Task']} {_ended(status.state)} in stage {document['Stage']}"
    text = "\n".join([where, *(f"  | {line}" for line in log)])
    whole = f"ansible-ensemble provision jobs log {document['Job']}"
    return EnsembleError(f"{text}\n  The whole log: {whole}\n  To go on: {again}")


def _ended(state: str) -> str:
    return {"failed": "failed", "incomplete": "is incomplete", "stopped": "stopped the agent"}.get(state, state)


def documents_of(ended: Statuses, machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Where machines stand, as JSON, in the order in which they were named."""
    documents = {uuid: status.document() if status else _GONE for uuid, status in ended.items()}
    return [{"Name": one.name, "Uuid": one.uuid, **documents[one.uuid]} for one in machines]


def finish(ended: Statuses, troubles: Sequence[EnsembleError], machines: Sequence[Machine], console: Console) -> int:
    """Tell how a wait ended; the exit code."""
    if console.machine:
        console.document(documents_of(ended, machines))
    for trouble in troubles:
        console.error(trouble)
    return 1 if troubles else 0
