"""Many machines, driven by agents of one process: each job is run once, and none is left out."""

from __future__ import annotations

from collections import Counter

from tests.integration.machines.idle import run_idle
from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk

MACHINES, TASKS = 50, 10


def test_each_job_of_many_machines_is_run_once(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        names = [f"t{number}" for number in range(TASKS)]
        for name in names:
            await walk.task(name, "true")
        await walk.workflow("flow", {"stage": names})
        machines = [await walk.machine(f"m{number}", "flow") for number in range(MACHINES)]
        keys = [machine["Uuid"] for machine in machines]
        said: list[tuple[str, str]] = []
        wire = walk.cli.wire
        hosts = await run_idle(wire.endpoint, wire.token, keys, walk.folder, lambda *line: said.append(line))
        assert {host.ran for host in hosts.values()} == {TASKS}, said[-20:]
        kept = [job for job in await walk.cli.list("jobs", "State=finished") if job["Machine"] in hosts]
        assert Counter((job["Machine"], job["CurrentIndex"]) for job in kept) == Counter(
            (key, index + 1) for key in keys for index in range(TASKS)
        )
        for machine in machines:
            assert (await walk.at(machine))["WorkflowComplete"]

    walk(steps)
