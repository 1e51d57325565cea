"""Waiting for machines ends when all are through or stuck, and says what keeps those that are not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest

from ansible_ensemble.machines.waiting import begun, until_through
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.desired.change import Change
from ansible_ensemble.provision.objects import Machine
from tests.unit.provision.desired.conftest import Ask, ask, serving

__all__ = ["ask", "serving"]  # fixtures

NAMES = (f"p{number}" for number in count())
LONG = 600
Act = Callable[[Client, str], Awaitable[None]]


async def run_all(client: Client, machine: str) -> None:
    """Take the machine through its list; its boots take no time."""
    while not (now := await client.get(Machine, machine)).workflow_complete:
        if not now.runnable:
            await client.change(now, now.replaced(runnable=True))
        if job := await client.next_job(machine):
            await client.change(job, job.replaced(state="finished"))


async def fail(client: Client, machine: str) -> None:
    while (job := await client.next_job(machine)) is None:
        pass
    await client.append_log(job.uuid, b"one\n" * 20000 + b"the disk is full\n")
    await client.change(job, job.replaced(state="failed"))


async def fail_then_run(client: Client, machine: str) -> None:
    await fail(client, machine)
    await run_all(client, machine)


async def delete(client: Client, machine: str) -> None:
    await client.delete(Machine, machine)


async def break_it(client: Client, machine: str) -> None:
    now = await client.get(Machine, machine)
    await client.change(now, now.replaced(profiles=["no-such"]), force=True)


def waited(ask: Ask, acts: dict[str, Act], serving: Any, timeout: float = LONG, **fields: Any) -> dict[str, Any]:
    """What is told of machines, each of which something happens to once it is watched."""
    made = [serving.machine(name, Workflow="whole", **fields) for name in acts]

    async def whole(client: Client) -> dict[str, Any]:
        machines = [await client.get(Machine, one["Uuid"]) for one in made]
        seen, lines = asyncio.Event(), []

        def say(line: str) -> None:
            lines.append(line)
            seen.set()

        async def acting() -> None:
            await seen.wait()
            for machine, act in zip(machines, acts.values(), strict=True):
                await act(client, machine.uuid)

        async with asyncio.TaskGroup() as group:
            group.create_task(acting())
            found = await until_through(client, [Change(one, one) for one in machines], timeout, say)
        return {**found, "lines": lines}

    return ask(whole)  # type: ignore[no-any-return]


def test_machines_that_come_through(ask: Ask, serving: Any) -> None:
    one, other = next(NAMES), next(NAMES)
    found = waited(ask, {one: run_all, other: run_all}, serving)
    assert "failed" not in found
    assert [(machine["name"], machine["complete"]) for machine in found["machines"]] == [(one, True), (other, True)]
    assert f"{one}: 0/3 waiting" in found["lines"]
    assert {f"{one}: complete", f"{other}: complete"} <= set(found["lines"])
    assert not found["changed"]


def test_a_failed_job_ends_the_wait_for_its_machine_alone(ask: Ask, serving: Any) -> None:
    one, other = next(NAMES), next(NAMES)
    found = waited(ask, {one: fail, other: run_all}, serving)
    assert found["failed"]
    assert found["msg"].startswith(f"{one}: 1/3 prepare failed\n")
    assert found["msg"].endswith("the disk is full")
    assert other not in found["msg"]
    assert [len(machine["log"]) for machine in found["machines"]] == [10, 0]
    assert found["machines"][0]["job"]["State"] == "failed"
    assert found["machines"][1]["complete"]


def test_a_job_that_is_tried_again_is_waited_for(ask: Ask, serving: Any) -> None:
    found = waited(ask, {next(NAMES): fail_then_run}, serving, Params={"task-retry": {"prepare": 1}})
    assert "failed" not in found


@pytest.mark.parametrize(("act", "message"), [(delete, "deleted"), (break_it, "unavailable: .*no-such")])
def test_what_cannot_go_on_is_not_waited_for(ask: Ask, serving: Any, act: Act, message: str) -> None:
    found = waited(ask, {next(NAMES): act}, serving)
    assert found["failed"]
    assert re.search(message, found["msg"])
    assert "within" not in found["msg"]


def test_the_end_of_the_time_says_where_the_machine_is(ask: Ask, serving: Any) -> None:
    name = next(NAMES)
    made = serving.machine(name, Workflow="whole")

    async def whole(client: Client) -> dict[str, Any]:
        one = await client.get(Machine, made["Uuid"])
        return await until_through(client, [Change(one, one)], 0, lambda _: None)

    assert ask(whole)["msg"] == f"{name}: not through within 0 seconds: 0/3 waiting"


def test_machines_that_are_not_waited_for() -> None:
    machine = Machine(name="one", uuid="u", workflow="whole", tasks=["a"])
    found = begun([Change(Machine(name="one", uuid="u"), machine)])
    assert found["changed"]
    assert found["machines"][0]["job"] == {}
    assert found["diff"][0]["before_header"] == "one"
