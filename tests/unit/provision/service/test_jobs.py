"""Jobs of machines."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ansible_ensemble.provision.objects.job import NO_JOB, Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import AvailableAction
from ansible_ensemble.provision.rules.query import parse_query
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import jobs
from ansible_ensemble.provision.service.actions import Action, ActionFailed, Invocation
from tests.unit.provision.service.world import World, body, refusal, workflow

UUID = "3e7031fe-3062-45f1-835c-92541bc9cbd3"
OTHER = "5e7031fe-3062-45f1-835c-92541bc9cbd3"


@pytest.fixture
def machine(world: World) -> World:
    """A machine with two tasks to run."""
    workflow(world, ("task1", "task2"))
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1")
    world.events()
    return world


def ask(world: World, actions: Any = (), **fields: Any) -> jobs.NextJob:
    return world.write(jobs.next_job, body({"Machine": UUID, "Context": "", **fields}), actions)


def begun(world: World) -> Job:
    job = ask(world).job
    assert job
    return job


def end(world: World, job: Job, state: str) -> Job:
    changed = world.set("jobs", job.uuid, State=state)
    assert isinstance(changed, Job)
    return changed


def log(world: World, job: str) -> str:
    return world.read(jobs.read_log, job).decode()


def test_a_machine_runs_its_tasks_in_a_chain(machine: World) -> None:
    first = ask(machine)
    assert (first.status, first.invocation) == (201, None)
    assert first.job
    assert (first.job.task, first.job.state, first.job.previous, first.job.current) == (
        "task1",
        "created",
        NO_JOB,
        True,
    )
    assert machine.events() == [f"jobs.create.{first.job.uuid}", f"machines.save.{UUID}"]
    assert machine.show("machines", UUID).current_job == first.job.uuid
    end(machine, first.job, "running")
    assert machine.events() == [f"jobs.update.{first.job.uuid}"]
    end(machine, first.job, "finished")
    second = begun(machine)
    assert (second.task, second.previous) == ("task2", first.job.uuid)
    assert not machine.show("jobs", first.job.uuid).current
    end(machine, second, "finished")
    assert ask(machine) == jobs.NextJob(204)
    assert machine.show("machines", UUID).workflow_complete
    assert ask(machine) == jobs.NextJob(204)


def test_an_incomplete_job_is_given_again(machine: World) -> None:
    job = begun(machine)
    end(machine, job, "incomplete")
    again = ask(machine)
    assert again.status == 202
    assert again.job
    assert again.job.uuid == job.uuid


def test_a_failed_job_stops_its_machine_until_it_runs_again(machine: World) -> None:
    job = begun(machine)
    machine.events()
    end(machine, job, "failed")
    assert sorted(machine.events()) == [f"jobs.update.{job.uuid}", f"machines.save.{UUID}"]
    with refusal(409, "Conflict", f"Machine {UUID} is not runnable", model="jobs"):
        ask(machine)
    machine.set("machines", UUID, Runnable=True)
    again = begun(machine)
    assert (again.task, again.previous, again.current_index) == ("task1", job.uuid, job.current_index)


def test_requests_that_are_refused(machine: World) -> None:
    with refusal(400, "CREATE", "A job has to name its Machine", model="jobs"):
        machine.write(jobs.next_job, b"{}")
    with refusal(422, "ValidationError", f"Machine {OTHER} does not exist", model="jobs"):
        ask(machine, Machine=OTHER)
    with pytest.raises(Refused) as refused:
        machine.write(jobs.next_job, b"[]")
    assert (refused.value.error.code, refused.value.error.type) == (400, "POST")
    begun(machine)
    with refusal(409, "Conflict", f"Machine {UUID} already has running or created job", model="jobs"):
        ask(machine)


def test_another_context_has_nothing_to_run(machine: World) -> None:
    assert ask(machine, Context="tool") == jobs.NextJob(204)


def test_the_uuid_of_a_request_is_that_of_the_job(machine: World) -> None:
    job = ask(machine, Uuid=OTHER).job
    assert job
    assert job.uuid == OTHER
    end(machine, job, "finished")
    with refusal(409, "CREATE", "already exists", model="jobs", key=OTHER):
        ask(machine, Uuid=OTHER)


def test_a_change_of_place_is_a_finished_job_with_a_log(world: World) -> None:
    workflow(world)
    world.create("bootenvs", Name="env2")
    world.create("stages", Name="stage2", BootEnv="env2", Tasks=["task1"])
    world.set("workflows", "wf1", Stages=["stage1", "stage2"])
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1")
    end(world, begun(world), "finished")
    assert ask(world) == jobs.NextJob(204)
    machine = world.show("machines", UUID)
    assert (machine.stage, machine.boot_env, machine.runnable) == ("stage2", "env2", False)
    job = world.show("jobs", machine.current_job)
    assert (job.state, job.exit_state) == ("finished", "complete")
    assert log(world, job.uuid).splitlines() == [
        f"Log for Job: {job.uuid}",
        f"Machine {UUID} changing from stage stage1 to stage2",
        f"Machine {UUID} changing from bootenv local to env2",
    ]
    world.set("machines", UUID, Runnable=True)
    assert begun(world).task == "task1"


def test_logs(machine: World) -> None:
    job = begun(machine)
    machine.write(jobs.append_log, job.uuid, b"one\n")
    machine.write(jobs.append_log, f"Key:{job.uuid}", b"\xff\x00two\n")
    head = f"Log for Job: {job.uuid}\n".encode()
    assert machine.read(jobs.read_log, job.uuid) == head + b"one\n\xff\x00two\n"
    assert machine.read(jobs.read_log, job.uuid, len(head), 3) == b"one"
    for call in (lambda: machine.read(jobs.read_log, OTHER), lambda: machine.write(jobs.append_log, OTHER, b"")):
        with refusal(404, "ValidationError", f"Job {OTHER} does not exist", model="jobs", key=OTHER):
            call()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("State", "fred", "Invalid State `fred`"), ("ExitState", "sad", "Invalid ExitState `sad`")],
)
def test_states_that_are_none(machine: World, field: str, value: str, message: str) -> None:
    job = begun(machine)
    with refusal(422, "ValidationError", f"{job.uuid}: {message}", model="jobs", key=job.uuid):
        machine.set("jobs", job.uuid, **{field: value})


def test_what_requests_do_not_change_of_a_job(machine: World) -> None:
    job = begun(machine)
    assert machine.set("jobs", job.uuid, Task="x", Stage="x", Current=False, CurrentIndex=7, Machine=OTHER) == job


def test_which_jobs_can_be_removed(machine: World) -> None:
    job = begun(machine)
    message = f"Jobs {job.uuid} is not in a deletable state: created"
    with refusal(422, "ValidationError", message, model="jobs", key=job.uuid):
        machine.remove("jobs", job.uuid)
    machine.write(jobs.append_log, job.uuid, b"one\n")
    end(machine, job, "failed")
    assert machine.remove("jobs", job.uuid).uuid == job.uuid
    assert machine.read(lambda reader: reader.log(job.uuid, 0, 99)) == b""


def test_a_purge_removes_what_it_finds_and_is_over(machine: World) -> None:
    first = begun(machine)
    end(machine, first, "finished")
    second = begun(machine)
    assert machine.read(jobs.over, parse_query(Job, [("Machine", OTHER)])) == []
    assert machine.read(jobs.over, parse_query(Job, [("EndTime", "Gt(2999-01-01T00:00:00Z)")])) == []
    assert machine.read(jobs.over, parse_query(Job, [])) == [first.uuid]
    gone = machine.write(jobs.purge, [first.uuid, second.uuid, OTHER])
    assert [job.uuid for job in gone] == [first.uuid]
    assert machine.show("jobs", second.uuid)


def test_a_purge_may_leave_what_a_machine_is_at(machine: World) -> None:
    job = begun(machine)
    end(machine, job, "finished")
    assert machine.read(jobs.over, parse_query(Job, []), but_current=True) == []
    assert machine.write(jobs.purge, [job.uuid], but_current=True) == []
    assert machine.read(jobs.over, parse_query(Job, [])) == [job.uuid]


def _action(run: Any, **about: Any) -> Action:
    return Action(AvailableAction(provider="ipmi", command="poweron", model="machines", **about), run)


@pytest.fixture
def acting(world: World) -> World:
    world.create("stages", Name="stage1", Tasks=["action:ipmi:poweron"])
    world.create("workflows", Name="wf1", Stages=["stage1"])
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1", Params={"address": "10.0.0.1", "other": 1})
    return world


def test_an_action_is_carried_out_for_a_job(acting: World) -> None:
    calls = []

    async def run(asked: Invocation) -> Any:
        calls.append((asked.target["Name"], asked.params))
        return {"power": "on"}

    asked = ask(acting, [_action(run, required_params=["address"])])
    assert asked.job
    assert asked.invocation
    result = asyncio.run(asked.invocation.run())
    assert calls == [("m1", {"address": "10.0.0.1"})]
    done = acting.write(jobs.action_done, asked.job, b'{"power":"on"}')
    assert result == {"power": "on"}
    assert done.status == 201
    assert done.job
    assert (done.job.uuid, done.job.state, done.job.exit_state) == (asked.job.uuid, "finished", "complete")
    lines = [f"Log for Job: {done.job.uuid}", "Results from plugin invoke:", '{"power":"on"}', "End of results"]
    assert log(acting, done.job.uuid).splitlines() == lines
    assert ask(acting) == jobs.NextJob(204)


async def _fail(asked: Invocation) -> Any:
    raise ActionFailed("no answer")


async def _break(asked: Invocation) -> Any:
    raise ValueError("odd")


@pytest.mark.parametrize(("run", "reason"), [(_fail, "no answer"), (_break, "ValueError: odd")])
def test_an_action_that_fails_fails_its_job(acting: World, run: Any, reason: str) -> None:
    asked = ask(acting, [_action(run)])
    assert asked.job
    assert asked.invocation
    with pytest.raises(ActionFailed, match=reason) as failed:
        asyncio.run(asked.invocation.run())
    assert acting.write(jobs.action_done, asked.job, failed.value) == jobs.NextJob(204)
    _has_failed(acting, reason)


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ([], "There is no action poweron of ipmi"),
        ([_action(_fail, required_params=["user"])], "Missing required parameter user for action poweron"),
    ],
)
def test_an_action_that_cannot_be_carried_out_fails_its_job(acting: World, actions: Any, reason: str) -> None:
    assert ask(acting, actions) == jobs.NextJob(204)
    _has_failed(acting, reason)


def _has_failed(world: World, reason: str) -> None:
    machine = world.show("machines", UUID)
    assert isinstance(machine, Machine)
    job = world.show("jobs", machine.current_job)
    assert (job.state, job.exit_state, machine.runnable) == ("failed", "failed", False)
    assert log(world, job.uuid).splitlines() == [f"Log for Job: {job.uuid}", reason]


def test_an_action_whose_job_ended_otherwise_meanwhile(acting: World) -> None:
    asked = ask(acting, [_action(_fail)])
    assert asked.job
    end(acting, asked.job, "failed")
    before = acting.show("machines", UUID)
    assert acting.write(jobs.action_done, asked.job, b"1") == jobs.NextJob(204)
    assert acting.show("machines", UUID) == before
