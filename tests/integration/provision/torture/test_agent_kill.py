"""Agents that are killed or told to end at any moment: tasks are finished once, or begun again; none is left out.

TORTURE_ROUNDS says how often, up to 100.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest

from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk
from tests.matrix import sampled

ROUNDS = min(int(os.environ.get("TORTURE_ROUNDS", "2")), 100)
TASKS = [f"task{number}" for number in range(10)]
#: One of them wants a reboot before it goes on, another one after it.
REBOOTS = {"task3": 192, "task6": 64}
#: Lines of an agent's output, of which each task makes some ten, before it is killed, and seconds after that.
LINES, SECONDS = 60, 0.02


async def _machine(walk: Walk, round_number: int) -> Simulated:
    name = f"m{round_number}"
    folder = walk.folder / name
    folder.mkdir()
    for task in TASKS:
        ends = walk.once(REBOOTS[task]) if task in REBOOTS else "exit 0"
        alone = f"exec 9>{folder}/lock; flock -n 9 || echo {task} >>{folder}/overlaps"
        await walk.task(f"{name}-{task}", f"{alone}; echo {task} >>{folder}/begun; {ends}")
    await walk.workflow(f"flow-{name}", {f"stage-{name}": [f"{name}-{task}" for task in TASKS]})
    return Simulated(walk, await walk.machine(name, f"flow-{name}"))


async def _ended(simulated: Simulated, number: int, chance: random.Random) -> bool:
    """Whether a signal ended an agent before it had done its work, or came to a reboot."""
    agent = await simulated.start("--oneshot")
    ended = await asyncio.to_thread(agent.lines_until, chance.randrange(1, LINES))
    if not ended:
        await asyncio.sleep(chance.uniform(0, SECONDS))  # the moment is any
        agent.send(number)
    code = await asyncio.to_thread(agent.wait)
    if "Agent rebooting" in agent.lines and len(simulated.powered) >= simulated.boots:
        simulated.boots = len(simulated.powered) + 1  # the order of a killed agent may have come after it
    assert code in (0, -number, 128 + number), agent.lines  # one that is leaving heeds no signal any more
    return code != 0


async def _checked(walk: Walk, simulated: Simulated, number: int, folder: Path) -> None:
    word = f"{simulated.machine['Name']}-"
    history = await walk.cli.history(simulated.machine["Uuid"])
    assert [job["Previous"] for job in history[1:]] == [job["Uuid"] for job in history[:-1]]
    states: dict[str, list[str]] = {}
    for job in history:
        states.setdefault(job["Task"].removeprefix(word), []).append(job["State"])
        assert job["State"] == "finished" or job["Meta"]["abandoned"] == "machine went on"
    assert list(states) == TASKS  # in their order, none left out
    for task, ended in states.items():
        assert ended == ["failed"] * (len(ended) - 1) + ["finished"], task
        assert len(ended) == 1 or number == signal.SIGKILL, task  # who can, gives the job back
    assert list(dict.fromkeys((folder / "begun").read_text().split())) == TASKS
    assert not (folder / "overlaps").exists()  # what a killed agent left running was ended


@pytest.mark.parametrize("number", sampled([signal.SIGKILL, signal.SIGTERM], 2))
def test_agents_are_ended(walk: Walking, number: int) -> None:
    chance = random.Random(ROUNDS)

    async def steps(walk: Walk) -> None:
        ends = machines = 0
        while ends < ROUNDS:
            simulated, machines = await _machine(walk, machines), machines + 1
            while not (await walk.at(simulated.machine))["WorkflowComplete"]:
                ends += await _ended(simulated, number, chance)
            await _checked(walk, simulated, number, walk.folder / f"m{machines - 1}")

    walk(steps)
