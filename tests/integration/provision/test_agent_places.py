"""Bootenvs, contexts and stages: where an agent runs, and when it leaves that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ansible_ensemble.provision.agent.local_host import LocalHost
from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.served import PATIENCE
from tests.integration.provision.walk import Walk


async def _bootenvs(walk: Walk, *names: str) -> list[str]:
    made = [await walk.cli.create("bootenvs", {"Name": walk.name(name)}) for name in names]
    return [one["Name"] for one in made]


async def _complete(walk: Walk, simulated: Simulated) -> None:
    async with asyncio.timeout(PATIENCE):
        while not (await walk.at(simulated.machine))["WorkflowComplete"]:
            await asyncio.sleep(0.05)


def test_a_stage_in_another_bootenv(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        here, there = await _bootenvs(walk, "here", "there")
        for name in ("one", "two", "three"):
            await walk.task(name, "exit 0")
        await walk.workflow("flow", {"first": ["one"], "second": ["two"], "third": ["three"]},
                            first=here, second=there, third=there)  # fmt: skip
        simulated = Simulated(walk, await walk.machine("m", "flow"))

        ran = await simulated.run()
        assert (ran.codes, ran.power, ran.lines[-1]) == ([0], ["reboot"], ran.lines[-1])
        assert (await walk.at(simulated.machine))["BootEnv"] == there
        ran = await simulated.run()  # the machine has not booted: it is told to again
        assert (ran.codes, ran.power) == ([], ["reboot", "reboot"])
        simulated.boots += 1
        ran = await simulated.run()
        assert (ran.code, ran.codes, ran.power) == (0, [0, 0], ["reboot", "reboot"])
        jobs = [(name, state) for name, _, state, _ in await walk.jobs(simulated.machine)]
        assert jobs == [
            ("one", "finished"), (f"bootenv:{there.partition('-')[2]}", "finished"), ("two", "finished"),
            ("stage:third", "finished"), ("three", "finished"),
        ]  # fmt: skip

    walk(steps)


def test_an_installer_boots_the_machine_itself(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        installer, system = await _bootenvs(walk, "os-install", "os")
        await walk.task("one", "exit 0")
        await walk.workflow("flow", {"first": ["one"], "second": ["one"]}, first=installer, second=system)
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        ran = await simulated.run()
        assert (ran.code, ran.codes, ran.power, ran.lines[-1]) == (0, [0], [], "Agent exiting")
        simulated.boots += 1
        ran = await simulated.run()
        assert (ran.codes, (await walk.at(simulated.machine))["WorkflowComplete"]) == ([0], True)

    walk(steps)


class Loaded(LocalHost, frozen=True):
    """A machine on which a kernel is loaded."""

    async def kexec_ready(self) -> bool:
        return True


@pytest.mark.parametrize(("allowed", "power"), [(True, ["kexec", "reboot"]), (False, ["reboot"])])
def test_a_kernel_that_is_loaded(walk: Walking, allowed: bool, power: list[str]) -> None:
    async def steps(walk: Walk) -> None:
        here, there = await _bootenvs(walk, "here", "there")
        await walk.task("one", "exit 0")
        await walk.workflow("flow", {"first": ["one"], "second": ["one"]}, first=here, second=there)
        simulated = Simulated(walk, await walk.machine("m", "flow", Params={"kexec-ok": allowed}))
        host = Loaded(simulated.host.power, simulated.host.environment, "boot-1")
        async with simulated.running(host) as agent:
            assert await agent.ended == 0
        assert simulated.powered == power  # the stand-in boots nothing, so a reboot has to

    walk(steps)


def test_contexts_each_have_an_agent(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        for name in ("before", "inside", "after"):
            await walk.task(name, "exit 0")
        await walk.workflow("flow", {"stage": ["before", "context:box", "inside", "context:", "after"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        async with simulated.running() as outer, simulated.running(context="box") as inner:
            await _complete(walk, simulated)
        ran = {"outer": [], "inner": []}
        for name, one in (("outer", outer), ("inner", inner)):
            created = (line for line in one.lines if line.startswith("Runner created for task"))
            ran[name] = [line.split(":")[-2].split()[0].removeprefix(walk.name("")) for line in created]
        assert ran == {"outer": ["before", "after"], "inner": ["inside"]}
        assert [job[2] for job in await walk.jobs(simulated.machine)] == ["finished"] * 5

    walk(steps)


@pytest.mark.parametrize("code", [32, 64])
def test_who_serves_a_context_leaves_the_power_alone(walk: Walking, code: int) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", f"exit {code}")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow", Meta={"BaseContext": "box"}))
        ran = await simulated.run(context="box")
        assert (ran.code, ran.codes, ran.power) == (0, [code], [])
        assert (await walk.at(simulated.machine))["Runnable"] is False

    walk(steps)


#: What the map says of the first stage, the bootenv of the second one; the power, and the agent's last line.
MAPS: list[tuple[str, str, list[str], str]] = [
    ("{}", "", [], "Agent exiting"),
    ("{}:Success", "", [], "Agent exiting"),
    ("{}:Stop", "", [], "Agent exiting"),
    ("{}:Shutdown", "", ["poweroff"], ""),
    ("{}:Reboot", "", ["reboot"], ""),
    ("{}", "other", ["reboot"], ""),
]


@pytest.mark.parametrize(("entry", "boot_env", "power", "last"), MAPS)
def test_the_map_of_stages(walk: Walking, entry: str, boot_env: str, power: list[str], last: str) -> None:
    async def steps(walk: Walk) -> None:
        boot_env_name = (await _bootenvs(walk, boot_env))[0] if boot_env else ""
        await walk.task("one", "exit 0")
        await walk.stage("first", ["one"])
        await walk.stage("second", ["one"], BootEnv=boot_env_name)
        stages = {walk.name("first"): entry.format(walk.name("second"))}
        fields: dict[str, Any] = {"Stage": walk.name("first"), "Params": {"change-stage/map": stages}}
        simulated = Simulated(walk, await walk.machine("m", **fields))
        ran = await simulated.run()
        goes_on = entry in ("{}", "{}:Success") and not boot_env
        assert (ran.code, ran.power, ran.codes) == (0, power, [0] * (1 + goes_on))
        assert not last or ran.lines[-1] == last
        assert (await walk.at(simulated.machine))["Stage"] == walk.name("second")
        simulated.boots += 1
        ran = await simulated.run()
        assert ran.codes == [0] * (not goes_on)

    walk(steps)


def test_another_workflow_while_an_agent_waits(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("one", "exit 0")
        await walk.task("fails", "exit 1")
        await walk.workflow("flow", {"stage": ["one", "fails"]})
        await walk.workflow("other", {"stage2": ["one"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        async with simulated.running() as agent:
            async with asyncio.timeout(PATIENCE):
                while (await walk.jobs(simulated.machine))[-1:] != [("fails", 2, "failed", "failed")]:
                    await asyncio.sleep(0.05)
            await walk.cli.machine_field(simulated.machine["Uuid"], Workflow=walk.name("other"), Runnable=True)
            await _complete(walk, simulated)
            await walk.cli.workflow(simulated.machine["Uuid"], walk.name("flow"))
            async with asyncio.timeout(PATIENCE):
                while len(await walk.jobs(simulated.machine)) < 5:
                    await asyncio.sleep(0.05)
            assert not agent.ended.done()

    walk(steps)
