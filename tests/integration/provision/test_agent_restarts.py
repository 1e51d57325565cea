"""Agents that are told to end, killed, or end with their machine; and how they go on."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest
from msgspec import field

from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.local_host import LocalHost
from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.served import PATIENCE
from tests.integration.provision.walk import Walk


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


async def _until(condition: object) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # type: ignore[operator]
            await asyncio.sleep(0.02)


class Held:
    """A script that waits, when it runs first, until it is let go, in a process of its own below it."""

    def __init__(self, folder: Path) -> None:
        self.pid, self.gate, self.mark = folder / "pid", folder / "gate", folder / "mark"
        waits = f"echo $$ >{self.pid}; while [ ! -e {self.gate} ]; do sleep 0.05; done"
        self.script = f"[ -e {self.mark} ] && exit 0; touch {self.mark}; sh -c '{waits}'"

    async def begun(self) -> int:
        """Wait until it waits; the process that does."""
        await _until(lambda: self.pid.exists() and self.pid.read_text().strip())
        return int(self.pid.read_text())


async def _machine(walk: Walk, held: Held) -> Simulated:
    await walk.task("first", "exit 0")
    await walk.task("held", held.script)
    await walk.task("last", "exit 0")
    await walk.workflow("flow", {"stage": ["first", "held", "last"]})
    return Simulated(walk, await walk.machine("m", "flow"))


FIRST, HELD, LAST = (
    (name, index, "finished", "complete") for index, name in enumerate(("first", "held", "last"), start=1)
)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_agent_that_is_told_to_end_gives_its_job_back(walk: Walking, number: int) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as below nohup, and an agent leaves that so")

    async def steps(walk: Walk) -> None:
        held = Held(walk.folder)
        simulated = await _machine(walk, held)
        agent = await simulated.start()
        process = await held.begun()
        assert await asyncio.to_thread(agent.end, number) == 128 + number
        assert not _is_alive(process)
        assert await walk.jobs(simulated.machine) == [FIRST, ("held", 2, "incomplete", "stop")]
        assert (await walk.at(simulated.machine))["Runnable"] is True
        job = (await walk.at(simulated.machine))["CurrentJob"]

        assert (await simulated.run()).code == 0
        assert await walk.jobs(simulated.machine) == [FIRST, HELD, LAST]
        assert (await walk.cli.history(simulated.machine["Uuid"]))[1]["Uuid"] == job
        assert "The agent was told to end; task" in await walk.cli.log(job)

    walk(steps)


def test_a_second_signal_ends_an_agent_at_once(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        pid = walk.folder / "pid"
        await walk.task("stubborn", f"trap '' TERM; echo $$ >{pid}; while :; do sleep 0.05; done")
        await walk.workflow("flow", {"stage": ["stubborn"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        agent = await simulated.start()
        await _until(lambda: pid.exists() and pid.read_text().strip())
        agent.send(signal.SIGTERM)
        agent.until("The agent is told to end")
        agent.send(signal.SIGTERM)
        assert await asyncio.to_thread(agent.wait) == 143
        assert not _is_alive(int(pid.read_text()))
        assert await walk.jobs(simulated.machine) == [("stubborn", 1, "running", "")]

    walk(steps)


def test_a_killed_agent_begins_its_job_again(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        held = Held(walk.folder)
        simulated = await _machine(walk, held)
        agent = await simulated.start()
        process = await held.begun()
        assert await asyncio.to_thread(agent.end, signal.SIGKILL) == -signal.SIGKILL
        assert _is_alive(process)

        assert (await simulated.run()).code == 0
        await _until(lambda: not _is_alive(process))
        assert await walk.jobs(simulated.machine) == [FIRST, ("held", 2, "failed", "failed"), HELD, LAST]
        failed = (await walk.cli.history(simulated.machine["Uuid"]))[1]
        assert failed["Meta"]["abandoned"] == "machine went on"

    walk(steps)


def test_a_machine_that_was_paused_stays_so_when_its_agent_is_killed(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        held = Held(walk.folder)
        simulated = await _machine(walk, held)
        agent = await simulated.start()
        await held.begun()
        await walk.cli.machine_field(simulated.machine["Uuid"], Runnable=False)
        await asyncio.to_thread(agent.end, signal.SIGKILL)

        for _ in range(2):
            assert (await simulated.run()).codes == []
            assert await walk.jobs(simulated.machine) == [FIRST, ("held", 2, "failed", "failed")]
            assert (await walk.at(simulated.machine))["Runnable"] is False
        await walk.cli.run(simulated.machine["Uuid"])
        await simulated.run()
        assert (await walk.jobs(simulated.machine))[2:] == [HELD, LAST]

    walk(steps)


def test_an_agent_goes_on_after_the_reboot_that_a_task_wants(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("first", "exit 0")
        await walk.task("boots", walk.once(192))
        await walk.task("again", "exit 64")
        await walk.task("last", "exit 0")
        await walk.workflow("flow", {"stage": ["first", "boots", "again", "last"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        for expected in (("boots", 2, "incomplete", "reboot"), ("again", 3, "finished", "reboot")):
            agent = await simulated.start()
            assert await asyncio.to_thread(agent.wait) == 0
            assert "Agent rebooting" in agent.lines
            assert "Agent exiting" not in agent.lines
            assert (await walk.jobs(simulated.machine))[-1] == expected
            simulated.boots += 1
        agent = await simulated.start("--oneshot")
        assert await asyncio.to_thread(agent.wait) == 0
        assert simulated.powered == ["reboot", "reboot"]
        assert [job[0] for job in await walk.jobs(simulated.machine)] == ["first", "boots", "again", "last"]
        assert (await walk.at(simulated.machine))["WorkflowComplete"] is True

    walk(steps)


@pytest.mark.parametrize(("code", "word"), [(64, "reboot"), (160, "poweroff")])
def test_an_agent_that_is_killed_before_the_machine_goes_down(walk: Walking, code: int, word: str) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", walk.once(code))
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        agent = await simulated.start(f"--{word}-command=sh -c 'kill -9 $PPID'")
        assert await asyncio.to_thread(agent.wait) == -signal.SIGKILL
        assert simulated.powered == []
        ran = await simulated.run()  # in the same boot: what was wanted is still to be done
        assert (ran.codes, ran.power) == ([], [word])
        simulated.boots += 1
        await simulated.run()
        assert await walk.jobs(simulated.machine) == [("only", 1, "finished", "complete" if code & 128 else word)]
        assert simulated.powered == [word]

    walk(steps)


def test_a_reboot_that_does_not_work_is_an_error(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 64")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        agent = await simulated.start("--reboot-command=sh -c 'echo not today; exit 3'")
        assert await asyncio.to_thread(agent.wait) == 1
        assert agent.lines[-1].startswith("Error: sh -c echo not today; exit 3 ended with 3: not today")

    walk(steps)


def test_one_agent_for_a_machine(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        simulated = Simulated(walk, await walk.machine("m"))
        agent = await simulated.start()
        agent.until("Waiting on machine")
        other = await simulated.start()
        assert await asyncio.to_thread(other.wait) == 1
        assert "another agent runs for this machine" in other.lines[-1]
        assert await asyncio.to_thread(agent.end) == 143

    walk(steps)


def test_what_is_saved_can_be_damaged(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 1")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        await simulated.run()
        (state,) = (simulated.folder / "state").glob("*.state")
        assert state.stat().st_mode & 0o777 == 0o600
        state.write_bytes(state.read_bytes()[:-9])
        ran = await simulated.run()  # nothing is known of this boot: it may be another one
        assert ran.codes == [1]

    walk(steps)


def test_the_secret_of_an_agent_is_not_its_scripts(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "env")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        key = "rocketskates:r0cketsk8ts"
        agent = await simulated.start("--oneshot", RS_KEY=key, RS_TOKEN="")
        assert await asyncio.to_thread(agent.wait) == 0
        log = await walk.cli.current_log(simulated.machine["Uuid"])
        assert key not in log
        assert key not in json.dumps(agent.lines)
        token = next(line for line in log.splitlines() if line.startswith("RS_TOKEN="))
        assert token.partition("=")[2]

    walk(steps)


class Faltering(LocalHost, frozen=True):
    """A machine where nothing can be written at first."""

    tries: list[str] = field(default_factory=list)

    async def make_folder(self, parent: str, prefix: str) -> str:
        self.tries.append(prefix)
        if len(self.tries) < 3:
            raise HostFailed("not yet")
        return await super().make_folder(parent, prefix)


def test_a_machine_that_booted_goes_on_after_errors_too(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 0")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        await walk.cli.machine_field(simulated.machine["Uuid"], Runnable=False)
        host = Faltering(simulated.host.power, simulated.host.environment, "boot-1")
        async with simulated.running(host, oneshot=True) as agent:
            assert await agent.ended == 0
        assert agent.lines.count("Error: not yet") == 2
        assert await walk.jobs(simulated.machine) == [("only", 1, "finished", "complete")]

    walk(steps)


def test_the_current_job_may_have_been_deleted(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 0")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        assert (await simulated.run()).codes == [0]
        await walk.cli.delete_jobs(simulated.machine["Uuid"])
        ran = await simulated.run(exit_on_failure=True)
        assert ran.code == 0, ran.lines

    walk(steps)
