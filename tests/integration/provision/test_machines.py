"""Machines through their workflows: task lists, jobs and their chain, bootenvs, contexts, stages, retries."""

from __future__ import annotations

import asyncio

import pytest

from tests.integration.provision.conftest import Walking
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Refusal

NO_JOB = "00000000-0000-0000-0000-000000000000"


def test_a_workflow_from_its_setting_to_its_end(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli = walk.cli
        await walk.task("t1", "echo hello of {{.Machine.Name}}")
        await walk.task("t2", "echo bye")
        await walk.workflow("flow", {"s1": ["t1"], "s2": ["t2"]}, s1="local")
        machine = await walk.machine("m")
        assert (machine["CurrentTask"], machine["WorkflowComplete"]) == (0, True)
        machine = await cli.workflow(machine["Uuid"], walk.name("flow"))
        tasks = [
            f"stage:{walk.name('s1')}",
            "bootenv:local",
            walk.name("t1"),
            f"stage:{walk.name('s2')}",
            walk.name("t2"),
        ]
        assert machine["Tasks"] == tasks
        assert (machine["Stage"], machine["CurrentTask"], machine["WorkflowComplete"]) == (walk.name("s1"), -1, False)
        assert machine["Runnable"] is True

        agent = await walk.processjobs(machine)
        assert agent.lines[:3] == [
            "Agent in init",
            "Waiting on machine to become runnable",
            "Wait: finished with complete",
        ]
        flow, stage, task = map(walk.name, ("flow", "s1", "t1"))
        assert f"Runner created for task {flow}:{stage}:{task} (2:3)" in agent.lines
        assert f"Task {task} finished" in agent.lines
        now = await walk.at(machine)
        assert (now["CurrentTask"], now["WorkflowComplete"], now["Stage"]) == (5, True, walk.name("s2"))
        finished = ("finished", "complete")
        assert await walk.jobs(machine) == [
            ("t1", 2, *finished),
            (f"stage:{'s2'}", 3, *finished),
            ("t2", 4, *finished),
        ]
        history = await cli.history(machine["Uuid"])
        assert history[0]["Previous"] == NO_JOB
        assert {(job["Workflow"], job["BootEnv"], job["Machine"]) for job in history} == {
            (flow, "local", machine["Uuid"])
        }
        assert all(job["StartTime"] <= job["EndTime"] for job in history)
        log = await cli.log(history[0]["Uuid"])
        assert log.splitlines()[0] == f"Log for Job: {history[0]['Uuid']}"
        assert f"hello of {machine['Name']}" in log
        assert log.splitlines()[-1] == f"Task {task} finished"
        assert "bye" in await cli.current_log(machine["Uuid"])

    walk(steps)


def test_no_workflow_is_left(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("t1")
        await walk.workflow("flow", {"s1": ["t1"]})
        machine = await walk.machine("m", "flow", Meta={"BaseContext": "inner"})
        assert machine["Context"] == "inner"
        with pytest.raises(Refusal):
            await walk.cli.stage(machine["Uuid"], "none")
        now = await walk.cli.workflow(machine["Uuid"], "")
        assert (now["Stage"], now["Tasks"], now["CurrentTask"], now["Context"]) == ("none", [], -1, "inner")

    walk(steps)


def test_another_workflow_begins_while_a_job_runs(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        cli = walk.cli
        await walk.task("t1")
        await walk.task("t2")
        await walk.workflow("flow", {"s1": ["t1"]})
        await walk.workflow("other", {"s2": ["t2"]})
        machine = await walk.machine("m", "flow")
        job = await cli.create_job(machine["Uuid"])
        assert job
        await cli.set_job(job["Uuid"], State="running")
        with pytest.raises(Refusal) as running:
            await cli.create_job(machine["Uuid"])
        assert (running.value.status, running.value.error["Type"]) == (409, "Conflict")
        assert "already has running or created job" in running.value.messages[0]
        await cli.workflow(machine["Uuid"], walk.name("other"))
        await cli.set_job(job["Uuid"], State="finished")
        await walk.processjobs(machine)
        assert [job[0] for job in await walk.jobs(machine)] == ["t1", "t2"]

    walk(steps)


def test_another_bootenv_reboots(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.cli.create("bootenvs", {"Name": walk.name("env")})
        for task in ("t1", "t2"):
            await walk.task(task, f"echo {task}")
        await walk.workflow("flow", {"s1": ["t1"], "s2": ["t2"]}, s2=walk.name("env"))
        machine = await walk.machine("m", "flow")
        agent = await walk.processjobs(machine)
        now = await walk.at(machine)
        assert (now["BootEnv"], now["Stage"], now["Runnable"]) == (walk.name("env"), walk.name("s2"), False)
        assert now["Tasks"][now["CurrentTask"]] == f"bootenv:{walk.name('env')}"
        assert agent.lines[-1] == "Agent rebooting"

        await walk.cli.run(machine["Uuid"])
        agent = await walk.processjobs(machine)
        assert len(agent.executed) == 1
        now = await walk.at(machine)
        assert (now["WorkflowComplete"], now["Runnable"]) == (True, True)
        assert [job["Task"] for job in await walk.cli.history(machine["Uuid"]) if ":" not in job["Task"]] == [
            walk.name("t1"),
            walk.name("t2"),
        ]

    walk(steps)


def test_an_agent_that_sees_another_bootenv_reboots(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.cli.create("bootenvs", {"Name": walk.name("env")})
        await walk.task("t1", "exit 0")
        await walk.workflow("flow", {"s1": ["t1"]}, s1=walk.name("env"))
        machine = await walk.machine("m")
        await walk.processjobs(machine, fresh=False)
        moved = await walk.cli.workflow(machine["Uuid"], walk.name("flow"))
        assert (moved["BootEnv"], moved["Runnable"]) == (walk.name("env"), False)
        await walk.cli.run(machine["Uuid"])
        agent = await walk.processjobs(machine, fresh=False)
        assert (agent.lines, agent.executed) == (["Agent rebooting"], [])
        assert (await walk.at(machine))["Runnable"] is False

    walk(steps)


def test_contexts_take_turns(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        for task in ("t1", "t2", "t3"):
            await walk.task(task, "exit 0")
        await walk.workflow("flow", {"s1": ["t1", "context:inner", "t2", "context:", "t3"]})
        machine = await walk.machine("m", "flow")
        outside = await walk.processjobs(machine)
        assert len(outside.executed) == 1
        assert (await walk.at(machine))["Context"] == "inner"
        inside = await walk.processjobs(machine, context="inner")
        assert len(inside.executed) == 1
        assert (await walk.at(machine))["Context"] == ""
        await walk.processjobs(machine)
        history = await walk.cli.history(machine["Uuid"])
        contexts = [(job["Task"], job["Context"]) for job in history if ":" not in job["Task"]]
        assert contexts == [(walk.name("t1"), ""), (walk.name("t2"), "inner"), (walk.name("t3"), "")]
        assert (await walk.at(machine))["WorkflowComplete"] is True

    walk(steps)


def test_stages_follow_their_map_without_a_workflow(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        for number in (1, 2):
            await walk.task(f"t{number}", "exit 0")
            await walk.stage(f"s{number}", [f"t{number}"])
        machine = await walk.machine("m")
        await walk.cli.set_param(
            "machines", machine["Uuid"], "change-stage/map", {walk.name("s1"): f"{walk.name('s2')}:Stop"}
        )
        machine = await walk.cli.stage(machine["Uuid"], walk.name("s1"))
        assert (machine["Tasks"], machine["CurrentTask"]) == ([walk.name("t1")], -1)
        with pytest.raises(Refusal) as pending:
            await walk.cli.stage(machine["Uuid"], walk.name("s2"))
        assert pending.value.messages == ["Can not change stages with pending tasks unless forced"]
        agent = await walk.processjobs(machine)
        assert "Agent changing stage" in agent.lines
        assert (await walk.at(machine))["Stage"] == walk.name("s2")
        await walk.processjobs(machine)
        assert [job[0] for job in await walk.jobs(machine)] == ["t1", "t2"]
        await walk.cli.stage(machine["Uuid"], "none", force=True)

    walk(steps)


def test_a_task_list_is_guarded(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        for task in ("t1", "t2", "t3"):
            await walk.task(task, "exit 0")
        await walk.workflow("flow", {"s1": ["t1", "t2"], "s2": ["t3"]}, s1="local")
        machine = await walk.machine("m", "flow")
        job = await walk.cli.create_job(machine["Uuid"])
        assert job
        assert (job["CurrentIndex"], job["NextIndex"], job["State"], job["Previous"]) == (2, 3, "created", NO_JOB)
        tasks = (await walk.at(machine))["Tasks"]
        refused = {
            "Cannot change tasks that have already executed or are executing": [
                *tasks[:2],
                walk.name("t2"),
                *tasks[3:],
            ],
            "Cannot remove tasks that have already executed or are already executing": tasks[:2],
            "Cannot change tasks that are past the next stage transition": tasks[:-1],
        }
        for message, wanted in refused.items():
            with pytest.raises(Refusal) as refusal:
                await walk.cli.machine_field(machine["Uuid"], Tasks=wanted)
            assert (refusal.value.status, refusal.value.messages) == (422, [message])
        added = [*tasks[:3], walk.name("t3"), *tasks[3:]]
        assert (await walk.cli.machine_field(machine["Uuid"], Tasks=added))["Tasks"] == added
        with pytest.raises(Refusal) as refusal:
            await walk.cli.machine_field(machine["Uuid"], CurrentTask=5)
        assert refusal.value.messages == ["Cannot advance CurrentTask from 2 to 5 without running jobs"]
        reset = await walk.cli.machine_field(machine["Uuid"], CurrentTask=-1)
        assert reset["CurrentTask"] == 0

    walk(steps)


def test_prerequisites_come_before(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("base", "exit 0")
        await walk.task("middle", "exit 0", Prerequisites=[walk.name("base")])
        await walk.task("top", "exit 0", Prerequisites=[walk.name("middle"), walk.name("base")])
        await walk.workflow("flow", {"s1": ["top", "base"]})
        machine = await walk.machine("m", "flow")
        await walk.processjobs(machine)
        assert [job[0] for job in await walk.jobs(machine)] == ["base", "middle", "top", "base"]
        with pytest.raises(Refusal) as circle:
            await walk.cli.update("tasks", walk.name("base"), {"Prerequisites": [walk.name("top")]})
        assert circle.value.status == 422

    walk(steps)


def test_a_failed_task_is_tried_again(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("t1", walk.once(1))
        await walk.workflow("flow", {"s1": ["t1"]})
        params = {"task-retry": {walk.name("t1"): 2}}
        machine = await walk.machine("m", "flow", Params=params)
        running = asyncio.create_task(walk.processjobs(machine, oneshot=False))
        watch = await walk.cli.wire.watch()
        await watch.register(f"machines.*.{machine['Uuid']}")
        while not (await walk.at(machine))["WorkflowComplete"]:
            assert await watch.next(60.0), "nothing happens"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        states = [(state, exit_state) for _, _, state, exit_state in await walk.jobs(machine)]
        assert states == [("failed", "failed"), ("finished", "complete")]
        await watch.close()

    walk(steps)


def test_jobs_are_deleted(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("t1", "exit 0")
        await walk.workflow("flow", {"s1": ["t1", "t1"]})
        machine = await walk.machine("m", "flow")
        job = await walk.cli.create_job(machine["Uuid"])
        assert job
        with pytest.raises(Refusal) as refused:
            await walk.cli.destroy("jobs", job["Uuid"])
        assert refused.value.messages == [f"Jobs {job['Uuid']} is not in a deletable state: created"]
        with pytest.raises(Refusal) as wrong:
            await walk.cli.set_job(job["Uuid"], State="fred")
        assert "Invalid State `fred`" in wrong.value.messages[0]
        await walk.cli.set_job(job["Uuid"], State="failed")
        assert await walk.cli.delete_jobs(machine["Uuid"]) == 1
        assert await walk.cli.list("jobs", f"Machine={machine['Uuid']}") == []

    walk(steps)


def test_jobs_are_purged(walk: Walking) -> None:
    """Those that are over, of those that filters find."""

    async def steps(walk: Walk) -> None:
        cli = walk.cli
        await walk.task("t1", "exit 0")
        await walk.workflow("flow", {"s1": ["t1", "t1"]})
        over, other = await walk.machine("m1", "flow"), await walk.machine("m2", "flow")
        await walk.processjobs(over)
        await walk.processjobs(other)
        await cli.workflow(over["Uuid"], "")
        await cli.workflow(over["Uuid"], walk.name("flow"))
        running = await cli.create_job(over["Uuid"])
        assert running
        assert "selective-job-purge" in (await cli.wire.call("GET", "info"))["features"]
        await cli.wire.call("DELETE", f"jobs?Machine={over['Uuid']}")
        assert [job["Uuid"] for job in await cli.list("jobs", f"Machine={over['Uuid']}")] == [running["Uuid"]]
        assert await cli.count("jobs", f"Machine={other['Uuid']}") == 2

    walk(steps)


#: The body of a POST to jobs, and what refuses it.
NOT_CREATED = [
    ({}, 400, None),
    ({"Machine": "3cb6d2b4-3a0d-4d4c-8d3e-9f1f6f5a5a5a"}, 422, "ValidationError"),
]


@pytest.mark.parametrize(("given", "status", "kind"), NOT_CREATED)
def test_jobs_that_are_not_created(walk: Walking, given: dict[str, str], status: int, kind: str | None) -> None:
    async def steps(walk: Walk) -> None:
        with pytest.raises(Refusal) as refused:
            await walk.cli.create_job(given.get("Machine", ""))
        assert refused.value.status == status
        assert kind in (None, refused.value.error["Type"])

    walk(steps)
