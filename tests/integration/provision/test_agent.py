"""Our agent takes machines through workflows on the server."""

from __future__ import annotations

import asyncio
import os

from tests.integration.provision.agents import AgentProcess, Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk


def test_a_workflow_from_its_first_task_to_its_last(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("first", "echo one")
        await walk.task("second", "echo two", "echo three")
        await walk.workflow("flow", {"stage": ["first", "second"]})
        machine = await walk.machine("m", "flow")
        ran = await Simulated(walk, machine).run()
        assert ran.code == 0, ran.lines
        assert await walk.jobs(machine) == [
            ("first", 1, "finished", "complete"), ("second", 2, "finished", "complete"),
        ]  # fmt: skip
        now = await walk.at(machine)
        assert (now["CurrentTask"], now["WorkflowComplete"], now["Runnable"]) == (3, True, True)
        log = await walk.cli.current_log(machine["Uuid"])
        assert [line for line in log.splitlines() if line in ("two", "three")] == ["two", "three"]
        assert ran.lines[0] == "Agent in init"
        assert ran.lines[-1] == "Agent exiting"

    walk(steps)


def test_no_agent_waits_for_a_machine_that_never_was(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        known = {"RS_ENDPOINT": walk.cli.wire.endpoint, "RS_TOKEN": walk.cli.wire.token}
        words = ["nobody", "--insecure", f"--state-dir={walk.folder}"]
        agent = await asyncio.to_thread(AgentProcess, words, {**os.environ, **known})
        assert await asyncio.to_thread(agent.wait) == 5
        assert any("There is no machine Name:nobody" in line for line in agent.lines), agent.lines

    walk(steps)
