"""A controller of Ansible, and a stand-in for machines whose agents take each job and say it went as the test wants."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.settings import Settings, settings_from
from ansible_ensemble.provision.objects import Machine
from tests.integration.provision.lasting import Lasting
from tests.preloaded import PROGRAMS
from tests.preloaded import run as run_command

KEY = "rocketskates:r0cketsk8ts"


@dataclass(frozen=True)
class Ended:
    """What came of a run: its exit code, what it printed, and the result of each task."""

    code: int
    output: str
    results: list[dict[str, Any]]

    def of(self, task: str) -> list[dict[str, Any]]:
        """The results of a task, of all hosts."""
        found = [one["result"] for one in self.results if one["task"] == task]
        assert found, f"{task} did not run: {self.output}"
        return found

    def __getitem__(self, task: str) -> dict[str, Any]:
        return self.of(task)[-1]


class Controller:
    """Runs Ansible's commands for a server.

    Attributes:
        defaults: of the modules, as `module_defaults` has them.
    """

    def __init__(self, server: Lasting, folder: Path, collections: Path) -> None:
        self.server, self.folder = server, folder
        self.ca_file = str(server.folder / "data" / "tls" / "server.crt")
        self.defaults: dict[str, Any] = {
            "group/tosca.ensemble.provision": {"endpoint": server.endpoint, "key": KEY, "ca_file": self.ca_file}
        }
        self.environment = {
            **os.environ,
            "ANSIBLE_CALLBACK_PLUGINS": str(Path(__file__).parent / "callbacks"),
            "ANSIBLE_CALLBACKS_ENABLED": "results",
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "RESULTS": str(folder / "results"),
            "RS_ENDPOINT": server.endpoint,
            "RS_KEY": KEY,
        }

    def command(self, program: str, *words: str, **environment: str) -> Ended:
        results = self.folder / "results"
        results.unlink(missing_ok=True)
        done = run_command([PROGRAMS / program, *words], cwd=self.folder, env={**self.environment, **environment})
        lines = results.read_text().splitlines() if results.exists() else []
        return Ended(done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines])

    def play(self, tasks: list[dict[str, Any]] | str, *words: str, hosts: str = "localhost", **said: Any) -> Ended:
        """Run tasks, on hosts that exist in name alone: nobody connects to them."""
        inventory = said.pop("inventory", "localhost ansible_connection=local\n")
        (self.folder / "hosts").write_text(inventory)
        play = {"hosts": hosts, "gather_facts": False, "module_defaults": self.defaults, **said, "tasks": []}
        text = json.dumps([play]) if isinstance(tasks, str) else json.dumps([{**play, "tasks": tasks}])
        if isinstance(tasks, str):
            indented = "".join(f"    {line}" if line.strip() else line for line in tasks.splitlines(keepends=True))
            text = _yaml(play) + "  tasks:\n" + indented
        (self.folder / "play.yml").write_text(text)
        return self.command("ansible-playbook", "-i", "hosts", "play.yml", *words)

    @property
    def settings(self) -> Settings:
        return settings_from({}, endpoint=self.server.endpoint, key=KEY, ca_file=self.ca_file)


def _yaml(play: Mapping[str, Any]) -> str:
    lines = [f"  {name}: {json.dumps(value)}" for name, value in play.items() if name != "tasks"]
    return "- " + "\n".join(lines).lstrip() + "\n"


class Agents:
    """Agents of all machines of a server: each boots at once, and finishes each job, or fails those of some tasks.

    Args:
        settings: how to reach the server.
        failing: tasks whose jobs fail, after they said why.
    """

    def __init__(self, settings: Settings, failing: Mapping[str, str] | None = None) -> None:
        self._settings, self._failing = settings, failing or {}
        self._thread = threading.Thread(target=lambda: run(settings, self._serve))

    def __enter__(self) -> Agents:
        self._begun = threading.Event()
        self._thread.start()
        self._begun.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    async def _serve(self, client: Client) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.ensure_future(self._follow(client))
        self._begun.set()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self, client: Client) -> None:
        async with client.events() as events:
            await events.register("machines.*.*")
            for machine in await client.select(Machine):
                await self._step(client, machine.uuid)
            async for event in events:
                if event.action != "delete":
                    await self._step(client, event.key)

    async def _step(self, client: Client, key: str) -> None:
        """Take the machine a step on; that is an event, which brings the next one, as does another's change of it."""
        with suppress(RequestFailed):  # somebody changed it at the same moment
            await self._stepped(client, key)

    async def _stepped(self, client: Client, key: str) -> None:
        found = [one for one in await client.select(Machine, {"Uuid": key}) if not one.workflow_complete]
        if not found or not found[0].available or found[0].locked:
            return
        machine = found[0]
        if not machine.runnable:
            if not await self._has_failed(client, machine) and not machine.meta.get("paused"):
                await client.change(machine, machine.replaced(runnable=True))
            return
        if job := await client.next_job(machine.uuid):
            said = self._failing.get(job.task, "")
            await client.append_log(job.uuid, f"this is {job.task}\n{said}\n".encode())
            ended = await client.change(job, job.replaced(state="failed" if said else "finished"))
            if ended.state == "finished":
                await self._step(client, key)

    async def _has_failed(self, client: Client, machine: Machine) -> bool:
        from ansible_ensemble.provision.objects import Job

        return bool(machine.current_job) and (await client.get(Job, machine.current_job)).state == "failed"


def documentation(file: Path) -> Any:
    """A plugin's file as a module, for the texts in it."""
    spec = importlib.util.spec_from_file_location(f"_told_{file.parent.name}_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
