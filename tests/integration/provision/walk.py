"""What a walk consists of: content with names of its own, machines, and agents that run on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from tests.integration.provision.drpcli import Drpcli, Object
from tests.integration.provision.processjobs import Agent
from tests.integration.provision.wire import Wire

_NUMBERS = count()
#: Seconds that agents wait for more to do.
_WAIT = 0.3


class Walk:
    """Objects of one test; their names begin with a word of its own, so that tests can share a server.

    Attributes:
        cli: the commands.
        folder: a folder of the test.
    """

    def __init__(self, wire: Wire, folder: Path) -> None:
        self.cli, self.folder = Drpcli(wire), folder
        self._number, self._agents = next(_NUMBERS), count()

    def name(self, name: str) -> str:
        """The name that an object of the test has."""
        return f"w{self._number}-{name}"

    async def task(self, name: str, *scripts: str, **fields: Any) -> Object:
        """A task of scripts in sh, named 0, 1, ..."""
        templates = [
            {"Name": f"{number}", "Path": "", "ID": "", "Contents": f"#!/bin/sh\n{script}\n", "Meta": None}
            for number, script in enumerate(scripts)
        ]
        return await self.cli.create("tasks", {"Name": self.name(name), "Templates": templates, **fields})

    def once(self, code: int) -> str:
        """A script that ends with a code when it runs first, and well from then on."""
        mark = self.folder / f"mark-{next(self._agents)}"
        return f"[ -e {mark} ] && exit 0; touch {mark}; exit {code}"

    async def stage(self, name: str, tasks: Sequence[str] = (), **fields: Any) -> Object:
        """A stage of tasks of the test; entries with a colon stand as they are."""
        entries = [task if ":" in task else self.name(task) for task in tasks]
        return await self.cli.create("stages", {"Name": self.name(name), "Tasks": entries, **fields})

    async def workflow(self, name: str, stages: Mapping[str, Sequence[str]], **bootenvs: str) -> Object:
        """A workflow of stages, each with its tasks, and its bootenv if one is named."""
        for stage, tasks in stages.items():
            await self.stage(stage, tasks, BootEnv=bootenvs.get(stage, ""))
        return await self.cli.create("workflows", {"Name": self.name(name), "Stages": [*map(self.name, stages)]})

    async def machine(self, name: str, workflow: str = "", **fields: Any) -> Object:
        """A machine, with a workflow of the test."""
        wanted = {"Workflow": self.name(workflow)} if workflow else {}
        return await self.cli.create("machines", {"Name": self.name(name), **wanted, **fields})

    async def processjobs(self, machine: Object, fresh: bool = True, **options: Any) -> Agent:
        """Run an agent until it ends; fresh ones know nothing of runs before."""
        state = self.folder / ("state" if not fresh else f"state-{next(self._agents)}")
        state.mkdir(exist_ok=True)
        token = await self.cli.machine_token(machine["Uuid"])
        async with Wire(self.cli.wire.endpoint, token=token, proxied=True) as wire:
            agent = Agent(wire, machine["Uuid"], state, **{"wait": _WAIT, "pause": 0.2, **options})
            await agent.run()
        return agent

    async def at(self, machine: Object) -> Object:
        """The machine as it is now."""
        return await self.cli.show("machines", machine["Uuid"])

    async def jobs(self, machine: Object) -> list[tuple[Any, ...]]:
        """Of each job of a machine, in their order: its task without the word of the test, index, state, exit state."""
        word = self.name("")
        return [
            (job["Task"].replace(word, ""), job["CurrentIndex"], job["State"], job["ExitState"])
            for job in await self.cli.history(machine["Uuid"])
        ]
