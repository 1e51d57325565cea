"""Failed jobs that are tried again."""

from __future__ import annotations

from datetime import timedelta

from ansible_ensemble.provision.rules.job_end import MOST_HANDLED
from ansible_ensemble.provision.rules.moment import moment_of
from ansible_ensemble.provision.service import jobs
from ansible_ensemble.provision.service.retries import try_again, waiting_retries, waiting_retry
from tests.unit.provision.service.test_jobs import UUID, begun, end
from tests.unit.provision.service.world import World, workflow


def _failed(world: World) -> None:
    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1", Params={"task-retry": {"task1": 2}})
    end(world, begun(world), "failed")


def test_a_failed_job_waits_and_is_tried_again(world: World) -> None:
    assert world.read(waiting_retries) == []
    _failed(world)
    [retry] = world.read(waiting_retries)
    machine = world.show("machines", UUID)
    assert (retry.machine, retry.job, machine.runnable) == (UUID, machine.current_job, False)
    assert world.read(waiting_retry, UUID) == retry
    assert not world.write(try_again, retry, retry.due - timedelta(seconds=1))
    world.events()
    assert world.write(try_again, retry, retry.due)
    assert world.events() == [f"jobs.save.{retry.job}", f"machines.save.{UUID}"]
    assert world.show("machines", UUID).runnable
    assert world.read(waiting_retry, UUID) is None
    assert not world.write(try_again, retry, retry.due)
    assert begun(world).task == "task1"


def test_a_machine_that_went_on_is_left_alone(world: World) -> None:
    _failed(world)
    [retry] = world.read(waiting_retries)
    world.set("machines", UUID, Runnable=True)
    assert not world.write(try_again, retry, retry.due)
    job = begun(world)
    world.set("machines", UUID, Runnable=False)
    assert not world.write(try_again, retry, retry.due)
    end(world, job, "failed")
    [second] = world.read(waiting_retries)
    assert second.due - retry.due > timedelta(seconds=1)
    world.remove("machines", UUID)
    assert not world.write(try_again, second, second.due)
    assert world.read(waiting_retry, UUID) is None


def test_a_task_that_fails_behind_its_handlers_waits_ever_longer_and_then_stops(world: World) -> None:
    workflow(world)
    world.create("tasks", Name="mend")
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1", Params={"task-error-handlers": {"task1": ["mend"]}})
    waits = []
    end(world, failing := begun(world), "failed")
    while retry := world.read(waiting_retry, UUID):
        ended = moment_of(world.show("jobs", failing.uuid).end_time)
        assert ended
        waits.append(round((retry.due - ended).total_seconds()))
        assert world.write(try_again, retry, retry.due)
        end(world, mending := begun(world), "finished")
        assert (failing.task, mending.task) == ("task1", "mend")
        end(world, failing := begun(world), "failed")
    assert waits == [2**number for number in range(1, MOST_HANDLED + 1)]
    machine, job = world.show("machines", UUID), world.show("jobs", failing.uuid)
    assert (machine.runnable, machine.task_error_stacks) == (False, [])
    assert "task1 failed again after its error handlers ran 10 times" in job.meta["stop-reason"]
    assert job.meta["stop-reason"].encode() in world.read(jobs.read_log, job.uuid)
    world.set("machines", UUID, Runnable=True)
    end(world, begun(world), "failed")
    assert world.show("machines", UUID).tasks == ["mend"]


def test_a_task_that_succeeds_behind_its_handlers_begins_anew(world: World) -> None:
    workflow(world, ["task1", "task2"])
    world.create("tasks", Name="mend")
    handlers = {"task1": ["mend"], "task2": ["mend"]}
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1", Params={"task-error-handlers": handlers})
    dues = []
    for state in ("failed", "finished", "failed", "finished", "finished", "failed"):
        if retry := world.read(waiting_retry, UUID):
            assert world.write(try_again, retry, retry.due)
        end(world, job := begun(world), state)
        if retry := world.read(waiting_retry, UUID):
            ended = moment_of(world.show("jobs", job.uuid).end_time)
            assert ended
            dues.append((job.task, round((retry.due - ended).total_seconds())))
    assert dues == [("task1", 2), ("task1", 4), ("task2", 2)]
