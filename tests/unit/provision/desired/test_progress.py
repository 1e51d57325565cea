"""Waiting for a machine ends when it is through, and with what keeps it when it is stuck."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import pytest

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.desired.progress import NotThrough, Progress, last_lines, until_through
from ansible_ensemble.provision.objects import Job, Machine
from tests.unit.provision.desired.conftest import Ask

NAMES = (f"p{number}" for number in count())
LONG = 600
Act = Callable[[Client, str], Awaitable[None]]


async def run_all(client: Client, machine: str) -> None:
    """Take the machine through its list; its boots take no time."""
    while True:
        now = await client.get(Machine, machine)
        if not now.runnable:
            await client.change(now, now.replaced(runnable=True))
        if job := await client.next_job(machine):
            await client.change(job, job.replaced(state="finished"))
        elif (await client.get(Machine, machine)).workflow_complete:
            return


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


async def nothing(client: Client, machine: str) -> None:
    pass


def waited(ask: Ask, machine: dict[str, Any], act: Act, timeout: float = LONG) -> list[Progress]:
    async def whole(client: Client) -> list[Progress]:
        told: list[Progress] = []
        seen = asyncio.Event()

        def tell(progress: Progress) -> None:
            told.append(progress)
            seen.set()

        async def acting() -> None:
            await seen.wait()
            await act(client, machine["Uuid"])

        async with asyncio.TaskGroup() as group:
            group.create_task(acting())
            await until_through(client, machine["Uuid"], timeout, tell)
        return told

    try:
        return ask(whole)  # type: ignore[no-any-return]
    except ExceptionGroup as group:
        raise group.exceptions[0] from None


@pytest.mark.parametrize(
    ("fields", "job", "text"),
    [
        ({"current_task": -1, "runnable": True}, None, "m: 0/2 waits for its agent"),
        ({"current_task": 1, "runnable": True}, "running", "m: 1/2 paint running"),
        ({"current_task": 1}, "failed", "m: 1/2 paint failed, not runnable"),
        ({"current_task": 2, "workflow_complete": True}, "finished", "m: complete"),
    ],
)
def test_progress_in_words(fields: dict[str, Any], job: str | None, text: str) -> None:
    machine = Machine(name="m", tasks=["stage:begin", "paint"], **fields)
    assert str(Progress(machine, Job(task="paint", state=job) if job else None)) == text


def test_a_machine_that_comes_through(ask: Ask, serving: Any) -> None:
    told = waited(ask, serving.machine(next(NAMES), Workflow="whole"), run_all)
    assert str(told[0]).endswith("0/6 waits for its agent")
    assert str(told[-1]).endswith(": complete")


def test_a_failed_job_ends_the_wait_with_its_last_lines(ask: Ask, serving: Any) -> None:
    with pytest.raises(NotThrough, match="prepare failed in job") as caught:
        waited(ask, serving.machine(next(NAMES), Workflow="whole"), fail)
    assert str(caught.value).endswith("the disk is full")
    assert len(caught.value.lines) == 10
    assert isinstance(caught.value.job, Job)


def test_a_job_that_is_tried_again_is_waited_for(ask: Ask, serving: Any) -> None:
    machine = serving.machine(next(NAMES), Workflow="whole", Params={"task-retry": {"prepare": 1}})
    assert str(waited(ask, machine, fail_then_run)[-1]).endswith(": complete")


@pytest.mark.parametrize(("act", "message"), [(delete, "it was deleted"), (break_it, "it is not available: .*no-such")])
def test_what_cannot_go_on_is_not_waited_for(ask: Ask, serving: Any, act: Act, message: str) -> None:
    with pytest.raises(NotThrough, match=message):
        waited(ask, serving.machine(next(NAMES), Workflow="whole"), act)


def test_the_end_of_the_time_says_where_the_machine_is(ask: Ask, serving: Any) -> None:
    name = next(NAMES)
    with pytest.raises(NotThrough, match=f"{name}: not through within 0 seconds: 0/6 waits for its agent"):
        waited(ask, serving.machine(name, Workflow="whole"), nothing, 0)


def test_a_failure_of_the_list_before_does_not_count(ask: Ask, serving: Any) -> None:
    machine = serving.machine(next(NAMES), Workflow="whole")
    with pytest.raises(NotThrough):
        waited(ask, machine, fail)
    operations = [{"op": "replace", "path": "/Workflow", "value": ""}]
    serving("PATCH", f"/machines/{machine['Uuid']}", operations)
    serving("PATCH", f"/machines/{machine['Uuid']}", [{**operations[0], "value": "whole"}])
    assert str(waited(ask, machine, run_all)[-1]).endswith(": complete")


def test_the_last_lines_of_a_log_that_is_short(ask: Ask, serving: Any) -> None:
    machine = serving.machine(next(NAMES), Stage="begin")

    async def lines(client: Client) -> tuple[str, ...]:
        job = await client.next_job(machine["Uuid"])
        assert job
        return await last_lines(client, job.uuid, 3)

    assert [line.partition(":")[0] for line in ask(lines)] == ["Log for Job"]
