"""What the server does by itself: retries and the removal of old jobs."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.job_end import RETRY_AT
from ansible_ensemble.provision.server import removal
from ansible_ensemble.provision.server.upkeep import Upkeep
from ansible_ensemble.provision.service.built_ins import install
from ansible_ensemble.provision.store.opening import open_store

MACHINE = "00000000-0000-4000-8000-00000000000a"


@asynccontextmanager
async def kept(folder, *objects, job_age=0, job_count=0):
    """A store with objects, and its upkeep."""
    store = await open_store(folder / "store.sqlite")
    try:
        await store.transact(install, "system")
        await store.transact(lambda tx: [tx.create(one) for one in objects], "system")
        going_on = Upkeep(store, job_age, job_count)
        going_on.begin()
        yield store
        await going_on.end()
    finally:
        await store.close()


def _job(number, state, days):
    ended = iso_time(now() - timedelta(days=days))
    return Job(uuid=f"00000000-0000-4000-8000-{number:012}", machine=MACHINE, state=state, task="t", end_time=ended)


def test_jobs_that_ended_long_ago_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(removal, "AT_ONCE", 2)
    current = _job(9, "finished", 40).replaced(current=True)
    jobs = [*(_job(number, "finished", 40) for number in range(5)), _job(5, "finished", 20), _job(6, "running", 40)]
    machine = Machine(uuid=MACHINE, name="m1", current_job=current.uuid)

    async def scenario():
        async with kept(tmp_path, machine, current, *jobs, job_age=30) as store:
            async with asyncio.timeout(60):
                while len(left := await store.read(lambda reader: [job.uuid for job in reader.all(Job)])) > 3:
                    await asyncio.sleep(0.01)
            return left

    assert asyncio.run(scenario()) == [_job(5, "", 0).uuid, _job(6, "", 0).uuid, current.uuid]


def test_the_latest_jobs_of_each_machine_are_kept(tmp_path):
    jobs = [_job(number, "finished", 0).replaced(start_time=f"2026-01-0{number}T00:00:00Z") for number in range(1, 7)]
    jobs[1] = jobs[1].replaced(state="running")
    jobs[2] = jobs[2].replaced(current=True)
    other = _job(8, "finished", 0).replaced(machine="00000000-0000-4000-8000-00000000000b")
    machine = Machine(uuid=MACHINE, name="m1", current_job=jobs[2].uuid)

    async def scenario():
        async with kept(tmp_path, machine, other, *jobs, job_count=2) as store, asyncio.timeout(60):
            while len(left := await store.read(lambda reader: [job.uuid for job in reader.all(Job)])) > 4:
                await asyncio.sleep(0.01)
            return left

    assert asyncio.run(scenario()) == [jobs[2].uuid, jobs[4].uuid, jobs[5].uuid, other.uuid]


def test_no_job_is_removed_unless_somebody_says_so(tmp_path):
    async def scenario():
        async with kept(tmp_path, _job(1, "finished", 4000)) as store:
            return await store.read(lambda reader: reader.count(Job))

    assert asyncio.run(scenario()) == 1


def test_a_machine_whose_failed_job_is_due_becomes_runnable(tmp_path):
    job = _job(1, "failed", 0).replaced(current=True, meta={RETRY_AT: iso_time(now())})
    machine = Machine(uuid=MACHINE, name="m1", current_job=job.uuid, stage="none", boot_env="local", arch="amd64")

    async def scenario():
        async with kept(tmp_path, job, machine) as store, asyncio.timeout(60):
            while not (await store.read(lambda reader: reader.get(Machine, MACHINE))).runnable:
                await asyncio.sleep(0.01)
            return await store.read(lambda reader: reader.get(Job, job.uuid))

    assert asyncio.run(scenario()) == job.replaced(meta={})
