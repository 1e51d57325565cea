"""What the exit codes of scripts come to: states of jobs and machines, what the agent does, and how it goes on."""

from __future__ import annotations

import pytest

from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk

#: Exit code; state and exit state of the job; the agent's last line; and the jobs of the first task after another run.
SANE = [
    (1, "failed", "failed", "Agent exiting", 2),
    (48, "failed", "failed", "Agent exiting", 2),
    (255, "failed", "failed", "Agent exiting", 2),
    (16, "finished", "stop", "Agent exiting", 1),
    (32, "finished", "poweroff", "Agent powering off", 1),
    (64, "finished", "reboot", "Agent rebooting", 1),
    (128, "incomplete", "complete", "Agent exiting", 1),
    (144, "incomplete", "stop", "Agent exiting", 1),
    (160, "incomplete", "poweroff", "Agent powering off", 1),
    (192, "incomplete", "reboot", "Agent rebooting", 1),
]
#: The same of tasks that keep the codes of old.
ORIGINAL = [
    (1, "finished", "reboot", "Agent rebooting", 1),
    (2, "incomplete", "complete", "Agent exiting", 1),
    (3, "incomplete", "reboot", "Agent rebooting", 1),
    (64, "failed", "failed", "Agent exiting", 2),
]
CASES = [(False, case) for case in SANE] + [(True, case) for case in ORIGINAL]


@pytest.mark.parametrize(("original", "case"), CASES)
def test_an_exit_code_of_the_only_script(walk: Walking, original: bool, case: tuple[int, str, str, str, int]) -> None:
    code, state, exit_state, last, jobs = case

    async def steps(walk: Walk) -> None:
        meta = {"Meta": {"feature-flags": "original-exit-codes"}} if original else {}
        await walk.task("first", walk.once(code), **meta)
        await walk.task("second", "exit 0")
        await walk.workflow("flow", {"stage": ["first", "second"]})
        machine = await walk.machine("m", "flow")

        agent = await walk.processjobs(machine)
        assert await walk.jobs(machine) == [("first", 1, state, exit_state)]
        assert f"Command exited with status {code}" in agent.lines
        assert f"Updated job for {walk.name('first')} to {state}" in agent.lines
        assert agent.lines[-1] == last
        assert (await walk.at(machine))["Runnable"] is False

        again = await walk.processjobs(machine)
        assert again.executed == []
        await walk.cli.run(machine["Uuid"])
        again = await walk.processjobs(machine)
        history = await walk.cli.history(machine["Uuid"])
        assert [job["Task"] for job in history] == [walk.name("first")] * jobs + [walk.name("second")]
        assert [job["State"] for job in history[jobs - 1 :]] == ["finished"] * 2
        goes_on = state == "incomplete"
        assert (again.executed[0] == agent.executed[0]) is goes_on
        now = await walk.at(machine)
        assert (now["CurrentTask"], now["WorkflowComplete"], now["Runnable"]) == (3, True, True)
        assert [job["Current"] for job in history] == [False] * jobs + [True]

    walk(steps)


#: The scripts' exit codes, the job's state and exit state, and which scripts ran.
SEVERAL = [
    ((0, 0), "finished", "complete", 2),
    ((1, 0), "failed", "failed", 1),
    ((0, 1), "failed", "failed", 2),
    ((128, 0), "finished", "complete", 1),
    ((0, 128), "incomplete", "complete", 2),
    ((64, 0), "incomplete", "reboot", 1),
    ((32, 0), "incomplete", "poweroff", 1),
    ((16, 0), "incomplete", "stop", 1),
    ((0, 64), "finished", "reboot", 2),
]


@pytest.mark.parametrize(("codes", "state", "exit_state", "ran"), SEVERAL)
def test_exit_codes_of_several_scripts(
    walk: Walking, codes: tuple[int, ...], state: str, exit_state: str, ran: int
) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", *(f"exit {code}" for code in codes))
        await walk.workflow("flow", {"stage": ["only"]})
        machine = await walk.machine("m", "flow")
        agent = await walk.processjobs(machine)
        assert await walk.jobs(machine) == [("only", 1, state, exit_state)]
        assert sum("Command exited" in line for line in agent.lines) == ran

    walk(steps)


def test_a_script_can_say_that_its_codes_are_sane(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        script = "exec bash -c '. ./helper; exit_incomplete_reboot'"
        await walk.task("only", script, Meta={"feature-flags": "original-exit-codes"})
        await walk.workflow("flow", {"stage": ["only"]})
        machine = await walk.machine("m", "flow")
        await walk.processjobs(machine)
        assert await walk.jobs(machine) == [("only", 1, "incomplete", "reboot")]

    walk(steps)


def test_an_agent_that_exits_on_failure(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", "exit 1")
        await walk.workflow("flow", {"stage": ["only"]})
        machine = await walk.machine("m", "flow")
        agent = await walk.processjobs(machine, oneshot=False, exit_on_failure=True)
        assert agent.lines[-1] == "Agent exiting"
        assert await walk.jobs(machine) == [("only", 1, "failed", "failed")]

    walk(steps)


def test_a_script_without_an_interpreter_fails_its_job(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        templates = [{"Name": "raw", "Contents": "#!/nowhere/interpreter\n", "Path": "", "ID": "", "Meta": None}]
        await walk.cli.create("tasks", {"Name": walk.name("only"), "Templates": templates})
        await walk.workflow("flow", {"stage": ["only"]})
        machine = await walk.machine("m", "flow")
        await walk.processjobs(machine, pause=0.01)
        assert await walk.jobs(machine) == [("only", 1, "failed", "failed")]
        assert (await walk.at(machine))["Runnable"] is False

    walk(steps)
