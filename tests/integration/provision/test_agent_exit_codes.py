"""What exit codes of scripts come to with our agent: of the job, of the machine, and what the agent does next."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk


@dataclass(frozen=True)
class Case:
    """Scripts of the first of two tasks, which end with codes when they run first, and well from then on.

    Attributes:
        codes: of the scripts.
        state, exit_state: of the job.
        power: what the agent does with the power.
        code: the agent's own exit code.
        ran: how many of the scripts ran.
        stays: whether the machine stays runnable, so that the second task followed.
        original: whether the task has the codes of old.
    """

    codes: tuple[int, ...]
    state: str
    exit_state: str
    power: str = ""
    code: int = 0
    ran: int = 1
    stays: bool = False
    original: bool = False


def _old(*codes: int, **said: object) -> Case:
    return Case(codes, **said, original=True)  # type: ignore[arg-type]


CASES = [
    Case((0,), "finished", "complete", stays=True),
    *(Case((code,), "failed", "failed", code=1) for code in (1, 48, 255)),
    Case((16,), "finished", "stop"),
    Case((32,), "finished", "poweroff", "poweroff"),
    Case((64,), "finished", "reboot", "reboot"),
    Case((128,), "incomplete", "complete"),
    Case((144,), "incomplete", "stop"),
    Case((160,), "incomplete", "poweroff", "poweroff"),
    Case((192,), "incomplete", "reboot", "reboot"),
    Case((0, 0), "finished", "complete", ran=2, stays=True),
    Case((1, 0), "failed", "failed", code=1),
    Case((0, 1), "failed", "failed", code=1, ran=2),
    Case((128, 0), "finished", "complete", stays=True),
    Case((0, 128), "incomplete", "complete", ran=2),
    Case((16, 0), "incomplete", "stop"),
    Case((32, 0), "incomplete", "poweroff", "poweroff"),
    Case((64, 0), "incomplete", "reboot", "reboot"),
    Case((144, 0), "incomplete", "stop"),
    Case((160, 0), "incomplete", "poweroff", "poweroff"),
    Case((192, 0), "incomplete", "reboot", "reboot"),
    Case((0, 16), "finished", "stop", ran=2),
    Case((0, 32), "finished", "poweroff", "poweroff", ran=2),
    Case((0, 64), "finished", "reboot", "reboot", ran=2),
    Case((0, 192, 0), "incomplete", "reboot", "reboot", ran=2),
    _old(0, state="finished", exit_state="complete", stays=True),
    _old(1, state="finished", exit_state="reboot", power="reboot"),
    _old(2, state="incomplete", exit_state="complete"),
    _old(3, state="incomplete", exit_state="reboot", power="reboot"),
    *(_old(code, state="failed", exit_state="failed", code=1) for code in (4, 64)),
    _old(1, 0, state="incomplete", exit_state="reboot", power="reboot"),
    _old(2, 0, state="finished", exit_state="complete", stays=True),
    _old(3, 0, state="incomplete", exit_state="reboot", power="reboot"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{'old' if case.original else 'sane'}{case.codes}")
def test_exit_codes(walk: Walking, case: Case) -> None:
    async def steps(walk: Walk) -> None:
        meta = {"Meta": {"feature-flags": "original-exit-codes"}} if case.original else {}
        await walk.task("first", *map(walk.once, case.codes), **meta)
        await walk.task("second", "exit 0")
        await walk.workflow("flow", {"stage": ["first", "second"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))

        ran = await simulated.run()
        first = ("first", 1, case.state, case.exit_state)
        second = ("second", 2, "finished", "complete")
        assert await walk.jobs(simulated.machine) == [first, *[second] * case.stays]
        assert ran.codes == [*case.codes[: case.ran], *[0] * case.stays]
        assert (ran.code, ran.power) == (case.code, case.power.split())
        assert (await walk.at(simulated.machine))["Runnable"] is case.stays

        again = await simulated.run()  # in the same boot it waits for whoever lets it go on, or for its boot
        assert again.codes == []
        if case.stays:
            return
        if case.power:
            simulated.boots += 1
        else:
            await walk.cli.run(simulated.machine["Uuid"])
        ran = await simulated.run()
        assert ran.code == 0
        firsts = {"finished": [], "incomplete": [0] * len(case.codes), "failed": [0] * len(case.codes)}[case.state]
        assert ran.codes == [*firsts, 0]
        ended = ("first", 1, "finished", "complete")
        history = {"finished": [first], "incomplete": [ended], "failed": [first, ended]}[case.state]
        assert await walk.jobs(simulated.machine) == [*history, second]
        now = await walk.at(simulated.machine)
        assert (now["CurrentTask"], now["WorkflowComplete"], now["Runnable"]) == (3, True, True)

    walk(steps)


@pytest.mark.parametrize(
    ("word", "state", "exit_state"),
    [
        ("exit_stop", "finished", "stop"),
        ("exit_shutdown", "finished", "poweroff"),
        ("exit_reboot", "finished", "reboot"),
        ("exit_incomplete", "incomplete", "complete"),
        ("exit_incomplete_stop", "incomplete", "stop"),
        ("exit_incomplete_shutdown", "incomplete", "poweroff"),
        ("exit_incomplete_reboot", "incomplete", "reboot"),
    ],
)
def test_a_script_says_by_the_helper_how_it_ended(walk: Walking, word: str, state: str, exit_state: str) -> None:
    async def steps(walk: Walk) -> None:
        script = f"exec bash -c '. ./helper; {word}; exit 1'"
        await walk.task("only", script, Meta={"feature-flags": "original-exit-codes"})
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        await simulated.run()
        assert await walk.jobs(simulated.machine) == [("only", 1, state, exit_state)]

    walk(steps)


def test_an_agent_that_exits_on_failure(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 1")
        await walk.workflow("flow", {"stage": ["only"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        ran = await simulated.run(oneshot=False, exit_on_failure=True)
        assert (ran.code, ran.lines[-1]) == (1, "Agent exiting")
        assert await walk.jobs(simulated.machine) == [("only", 1, "failed", "failed")]

    walk(steps)


@pytest.mark.parametrize("code", [32, 64, 160, 192])
def test_an_agent_that_leaves_the_power_to_others(walk: Walking, code: int) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("first", walk.once(code))
        await walk.task("second", "exit 0")
        await walk.workflow("flow", {"stage": ["first", "second"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        ran = await simulated.run(skip_power=True)
        assert (ran.code, ran.power, ran.codes) == (0, [], [code])
        ran = await simulated.run(skip_power=True)  # its next start counts as the boot
        assert ran.codes == ([0, 0] if code & 128 else [0])
        assert (await walk.at(simulated.machine))["WorkflowComplete"] is True

    walk(steps)
