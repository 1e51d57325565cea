"""Many agents that work at once, a writer beside them, and a note of all that servers answered."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.integration.provision.drpcli import Drpcli, Object
from tests.integration.provision.go_objects import MODELS
from tests.integration.provision.processjobs import Agent
from tests.integration.provision.wire import Wire

#: Seconds between tries: enough for a server to start on a machine that has much else to do.
_WAITS = (0.3, 0.5, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0, *[10.0] * 30)
#: More retries than kills that one task may meet.
_RETRIES = 50


class Notes:
    """What servers answered.

    Attributes:
        jobs: the last state that was answered of each job.
        logs: how much of each job's log was taken.
        executed: how often each job was begun.
        passed: how many tasks of each machine are known to be finished: a job of the next one says so, too, for the
            answer to the change that finished a job may be lost with a server.
    """

    def __init__(self) -> None:
        self.jobs: dict[str, str] = {}
        self.logs: dict[str, list[bytes]] = {}
        self.executed: Counter[str] = Counter()
        self.passed: dict[str, int] = {}

    @property
    def finished(self) -> int:
        """How many tasks are known to be finished."""
        return sum(self.passed.values())


class NotingWire(Wire):
    """A session that notes what is answered, and asks the next server when one is away."""

    waits = _WAITS

    def __init__(self, endpoints: list[str], notes: Notes, **options: Any) -> None:
        super().__init__(endpoints[0], **options)
        self._endpoints, self._notes = endpoints, notes

    def lost(self) -> None:
        self._endpoints = [*self._endpoints[1:], self._endpoints[0]]
        self.endpoint = self._endpoints[0]

    async def call(self, method: str, path: str, *arguments: Any, **options: Any) -> Any:
        answer = await super().call(method, path, *arguments, **options)
        if answer and method in ("POST", "PATCH") and path.partition("/")[0] == "jobs":
            self._note(answer)
        return answer

    def _note(self, job: Object) -> None:
        if job["State"] == "running":
            self._notes.executed[job["Uuid"]] += 1
        passed = job["CurrentIndex"] - (job["State"] != "finished")
        self._notes.passed[job["Machine"]] = max(passed, self._notes.passed.get(job["Machine"], 0))
        self._notes.jobs[job["Uuid"]] = job["State"]

    async def put_bytes(self, path: str, data: bytes) -> None:
        await super().put_bytes(path, data)
        self._notes.logs.setdefault(path.split("/")[1], []).append(data)

    async def watch(self) -> Any:
        try:
            return await super().watch()
        except OSError:
            self.lost()
            raise


class Load:
    """Machines of one workflow, each with an agent of its own.

    Attributes:
        notes: what was answered to the agents.
        machines: the machines as they were created.
        written: the last number that was answered to the writer.
    """

    def __init__(self, endpoints: list[str], folder: Path, machines: int, tasks: int) -> None:
        self._endpoints, self._folder = endpoints, folder
        self._count, self._tasks = machines, tasks
        self.notes = Notes()
        self.machines: list[Object] = []
        self.written = 0
        self._running: list[asyncio.Task[None]] = []
        self._stack = AsyncExitStack()

    @property
    def total(self) -> int:
        """How many jobs have to be finished."""
        return self._count * self._tasks

    async def start(self) -> None:
        """Create the machines, and start their agents."""
        self.wire = await self._stack.enter_async_context(NotingWire(self._endpoints, Notes()))
        self.cli = Drpcli(self.wire)
        await self.cli.create("tasks", {"Name": "load", "Templates": []})
        await self.cli.create("stages", {"Name": "load", "Tasks": ["load"] * self._tasks})
        await self.cli.create("workflows", {"Name": "load", "Stages": ["load"]})
        await self.cli.create("profiles", {"Name": "load", "Params": {"task-retry": {"load": _RETRIES}}})
        await self.cli.create("profiles", {"Name": "written"})
        self._running.append(asyncio.create_task(self._write()))
        for number in range(self._count):
            given = {"Name": f"load-{number}", "Workflow": "load", "Profiles": ["load"]}
            machine = await self.cli.create("machines", given)
            self.machines.append(machine)
            token = await self.cli.machine_token(machine["Uuid"])
            first = number % len(self._endpoints)
            endpoints = [*self._endpoints[first:], *self._endpoints[:first]]
            wire = await self._stack.enter_async_context(NotingWire(endpoints, self.notes, token=token, proxied=True))
            agent = Agent(wire, machine["Uuid"], self._folder, oneshot=False, pause=0.2)
            self._running.append(asyncio.create_task(agent.run()))

    async def _write(self) -> None:
        """Write one number after the other; each is only written when the one before was answered."""
        while True:
            number = self.written + 1
            assert await self.cli.set_param("profiles", "written", "number", number) == number
            self.written = number

    async def until(self, finished: int) -> None:
        """Wait until so many jobs are finished; an agent that ends is an error."""
        while self.notes.finished < finished:
            await self._look()

    async def complete(self) -> None:
        """Wait until every machine is through its workflow."""
        while await self.cli.count("machines", "WorkflowComplete=false"):
            await self._look()

    async def _look(self) -> None:
        for task in self._running:
            if task.done():
                task.result()
                raise AssertionError("an agent ended")
        await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Stop all that runs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def close(self) -> None:
        await self.stop()
        await self._stack.aclose()

    async def check(self) -> None:
        """Hold what the server has against what was answered: nothing is lost, and nothing happened twice."""
        kept = {job["Uuid"]: job for job in await self.wire.call("GET", "jobs", shape=[MODELS["jobs"]])}
        assert self.notes.jobs.keys() <= kept.keys(), "jobs that were answered are lost"
        for uuid, state in self.notes.jobs.items():
            assert state not in ("finished", "failed") or kept[uuid]["State"] == state, (state, kept[uuid])
        assert not [uuid for uuid, times in self.notes.executed.items() if times > 1], "jobs were begun twice"
        assert not [job for job in kept.values() if job["State"] not in ("finished", "failed")]
        for machine in self.machines:
            await self._check_machine(machine, kept)
        for uuid, parts in self.notes.logs.items():
            log = await self.wire.bytes(f"jobs/{uuid}/log")
            assert all(part in log for part in parts), "a part of a log is lost"
        number = await self.cli.get_param("profiles", "written", "number")
        assert number in (self.written, self.written + 1), "what was written is lost"

    async def _check_machine(self, machine: Object, kept: dict[str, Object]) -> None:
        now = await self.cli.show("machines", machine["Uuid"])
        assert (now["WorkflowComplete"], now["CurrentTask"]) == (True, self._tasks + 1)
        chain, last = [], now["CurrentJob"]
        while last.strip("0-"):
            chain.append(kept[last])
            last = kept[last]["Previous"]
        mine = [job for job in kept.values() if job["Machine"] == machine["Uuid"]]
        assert len(chain) == len(mine), "a job is outside of the chain"
        assert [job["Current"] for job in chain] == [True] + [False] * (len(chain) - 1)
        finished = [job["CurrentIndex"] for job in reversed(chain) if job["State"] == "finished"]
        assert finished == list(range(1, self._tasks + 1)), "a task did not finish once, in its turn"


async def settle(load: Load) -> None:
    """Let all machines come to their end, and look at what there is."""
    try:
        await load.complete()
        await load.stop()
        await load.check()
    finally:
        await load.close()
