"""Who watches machines hears of each change that lasts, whatever happens to the server meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.client.machine_watch import look, watched
from ansible_ensemble.provision.objects import Machine, Stage, Task, Workflow
from ansible_ensemble.provision.objects.parts import TemplateInfo
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.test_client import settings_of
from tests.integration.provision.walk import Walk


async def until_over(client: Client, uuid: str) -> list[MachineStatus | None]:
    """What is told of a machine, until it is over or gone."""
    told: list[MachineStatus | None] = []
    async with aclosing(watched(client, [uuid])) as changes:
        async for _, status in changes:
            told.append(status)
            if status is None or status.is_over:
                break
    return told


async def machine_of(client: Client, walk: Walk) -> Machine:
    """A machine with two tasks to run, which an agent does not do."""
    names = [walk.name("first"), walk.name("second")]
    for name in names:
        await client.create(Task(name=name, templates=[TemplateInfo(name="x", contents="#!/bin/sh\n")]))
    stage = await client.create(Stage(name=walk.name("stage"), tasks=names))
    workflow = await client.create(Workflow(name=walk.name("workflow"), stages=[stage.name]))
    return await client.create(Machine(name=walk.name("m"), workflow=workflow.name))


async def run_job(client: Client, machine: Machine, state: str) -> None:
    """What an agent asks for a job that ends so."""
    job = await client.next_job(machine.uuid)
    if job is None:  # it set the stage
        job = await client.next_job(machine.uuid)
    assert job is not None
    running = await client.change(job, job.replaced(state="running"))
    await client.change(running, running.replaced(state=state, exit_state="complete"))


def test_each_task_is_told_and_the_end(shared: Lasting, tmp_path: Path) -> None:
    async def steps(client: Client) -> None:
        walk = Walk(None, tmp_path)  # type: ignore[arg-type] # for its names alone
        machine = await machine_of(client, walk)
        watching = asyncio.create_task(until_over(client, machine.uuid))
        for _ in range(2):
            await run_job(client, machine, "finished")
        assert await client.next_job(machine.uuid) is None
        told = [one for one in await watching if one]
        assert told[-1].is_complete
        assert (told[-1].done, told[-1].total) == (2, 2)
        await client.delete(Machine, machine.uuid)
        assert await until_over(client, machine.uuid) == [None]

    run(settings_of(shared), steps)


def test_a_failure_while_the_server_is_killed_and_started_is_told(tmp_path: Path) -> None:
    server = Lasting(tmp_path / "server")

    async def steps(client: Client) -> None:
        walk = Walk(None, tmp_path)  # type: ignore[arg-type] # for its names alone
        machine = await machine_of(client, walk)
        watching = asyncio.create_task(until_over(client, machine.uuid))
        await run_job(client, machine, "finished")
        server.kill()
        server.start()
        await run_job(client, machine, "failed")
        told = await watching
        assert told[-1] == await look(client, machine.uuid)
        assert told[-1] is not None
        assert (told[-1].state, told[-1].task) == ("failed", walk.name("second"))

    try:
        run(settings_of(server), steps)
    finally:
        server.stop()


def test_all_machines_are_watched_also_those_to_come(shared: Lasting, tmp_path: Path) -> None:
    async def steps(client: Client) -> None:
        walk = Walk(None, tmp_path)  # type: ignore[arg-type] # for its names alone
        first = await machine_of(client, walk)
        async with aclosing(watched(client)) as changes:
            async for uuid, _ in changes:
                if uuid == first.uuid:
                    break
            later = await client.create(Machine(name=walk.name("later")))
            await client.delete(Machine, first.uuid)
            told = {uuid: status async for uuid, status in _until(changes, first.uuid)}
        assert told[first.uuid] is None
        assert told[later.uuid] == MachineStatus(later)

    run(settings_of(shared), steps)


async def _until(changes, gone):
    async for uuid, status in changes:
        yield uuid, status
        if uuid == gone and status is None:
            return
