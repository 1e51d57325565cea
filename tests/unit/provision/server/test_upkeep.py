"""What the server does by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.server.upkeep import Upkeep
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Transaction


def test_old_jobs_are_removed_except_the_one_that_a_machine_is_at(tmp_path: Path) -> None:
    machine, first, current, recent = (str(uuid4()) for _ in range(4))
    ends = {first: "2020-01-01T00:00:00Z", current: "2020-01-02T00:00:00Z", recent: "9999-01-01T00:00:00Z"}

    def fill(tx: Transaction) -> None:
        tx.create(Machine(uuid=machine, name="m1", current_job=current, tasks=["one", "two"], current_task=1))
        for uuid, end in ends.items():
            tx.create(Job(uuid=uuid, machine=machine, task="one", state="finished", end_time=end))

    async def kept() -> set[str]:
        store = await open_store(tmp_path / "store.db")
        await store.transact(fill, "system")
        removed = asyncio.Event()

        def hear(events: Sequence[Event]) -> None:
            if any(event.action == "delete" for event in events):
                removed.set()

        store.subscribe(hear)
        upkeep = Upkeep(store, job_age=1)
        upkeep.begin()
        await removed.wait()
        await upkeep.end()
        found = await store.read(lambda reader: {job.uuid for job in reader.all(Job)})
        await store.close()
        return found

    assert asyncio.run(asyncio.wait_for(kept(), 60)) == {current, recent}
