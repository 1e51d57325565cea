"""Our agent and the field's take turns on one machine in one workflow, and the history is whole."""

from __future__ import annotations

import pytest

from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk

TASKS = [f"task{number}" for number in range(6)]


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("code", [1, 64, 192])
def test_agents_take_turns(walk: Walking, code: int, ours_first: bool) -> None:
    async def steps(walk: Walk) -> None:
        for name in TASKS:
            await walk.task(name, walk.once(code))
        await walk.workflow("flow", {"one": TASKS[:3], "two": TASKS[3:]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        key = simulated.machine["Uuid"]
        ours, executed = ours_first, 0
        while not (await walk.at(simulated.machine))["WorkflowComplete"]:
            if ours:
                simulated.boots += 1
                executed += len((await simulated.run()).codes)
            else:
                await walk.cli.run(key)
                executed += len((await walk.processjobs(simulated.machine)).executed)
            ours = not ours
            assert executed <= 2 * len(TASKS)

        history = [job for job in await walk.cli.history(key) if ":" not in job["Task"]]
        states = ["failed", "finished"] if code == 1 else ["finished"]  # a failed job is followed by another
        assert [job["Task"] for job in history] == [walk.name(name) for name in TASKS for _ in states]
        assert [job["State"] for job in history] == states * len(TASKS)
        assert executed == len(TASKS) * (1 if code == 64 else 2)
        whole = await walk.cli.history(key)
        assert [job["Previous"] for job in whole[1:]] == [job["Uuid"] for job in whole[:-1]]
        assert [job["Current"] for job in whole] == [False] * (len(whole) - 1) + [True]

    walk(steps)


def test_an_agent_goes_on_with_the_job_of_another_kind(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", walk.once(128))
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        theirs = await walk.processjobs(simulated.machine)
        await walk.cli.run(simulated.machine["Uuid"])
        ours = await simulated.run()
        assert ours.codes == [0]
        assert [job["Uuid"] for job in await walk.cli.history(simulated.machine["Uuid"])] == theirs.executed

    walk(steps)
