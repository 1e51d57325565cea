"""Failed jobs that are tried again."""

from __future__ import annotations

from datetime import timedelta

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
