"""Our agents: in this process, or as processes of their own. What they do with the power is written to a file."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ansible_ensemble.provision.agent.agent import Agent
from ansible_ensemble.provision.agent.host import Host
from ansible_ensemble.provision.agent.known_tasks import KnownTasks
from ansible_ensemble.provision.agent.local_host import LocalHost, PowerCommands
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.states import Instruction
from ansible_ensemble.provision.agent.watch import Watch
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.settings import Settings
from tests.integration.provision.drpcli import Object
from tests.integration.provision.served import COMMAND, PATIENCE
from tests.integration.provision.walk import Walk

_PAUSES = MappingProxyType({Instruction.PAUSE: 0.05, Instruction.PAUSE_LONG: 0.05, Instruction.WAIT_FOR_BOOT: 0.05})


@dataclass(frozen=True)
class Ran:
    """What an agent said, its exit code, and what it did with the power."""

    lines: list[str]
    code: int
    power: list[str]

    @property
    def codes(self) -> list[int]:
        """The exit codes of scripts."""
        return [int(line.split()[-1]) for line in self.lines if line.startswith("Command exited")]


@dataclass(frozen=True)
class Running:
    """An agent that runs, what it has said, and its exit code to be."""

    agent: Agent
    lines: list[str]
    ended: asyncio.Task[int]


class Simulated:
    """A machine whose agents run here; each boot is another one of its own.

    Attributes:
        machine: as the server created it.
        boots: how often it booted.
    """

    def __init__(self, walk: Walk, machine: Object) -> None:
        self.walk, self.machine, self.boots = walk, machine, 1
        self.folder = walk.folder / machine["Uuid"]
        self.folder.mkdir()
        self.power = self.folder / "power"

    @property
    def host(self) -> LocalHost:
        """The machine as it is booted now."""
        orders = {word: ("sh", "-c", f"echo {word} >>{self.power}") for word in ("reboot", "poweroff", "kexec")}
        return LocalHost(PowerCommands(**orders), self._environment, f"boot-{self.boots}")

    @property
    def _environment(self) -> Mapping[str, str]:
        return {**os.environ, "TMPDIR": str(self.folder)}

    @property
    def powered(self) -> list[str]:
        """What was done with the power."""
        return self.power.read_text().split() if self.power.exists() else []

    async def run(self, **said: Any) -> Ran:
        """Run an agent until it leaves; `oneshot`, unless it is said otherwise."""
        async with self.running(**{"oneshot": True, "patience": 0.05, **said}) as running:
            code = await running.ended
        return Ran(running.lines, code, self.powered)

    @asynccontextmanager
    async def running(self, host: Host | None = None, **said: Any) -> AsyncIterator[Running]:
        """An agent that runs meanwhile."""
        lines: list[str] = []
        token = await self.walk.cli.machine_token(self.machine["Uuid"])
        settings = Settings((self.walk.cli.wire.endpoint,), token=token, insecure=True)
        options = AgentOptions(**{"state_folder": self.folder / "state", "pauses": _PAUSES, **said})
        async with Client(settings) as client, Watch(client) as watch:
            now = Situation(client, watch, KnownTasks(client), settings, host or self.host, options, lines.append)
            agent = Agent(now, self.machine["Uuid"])
            ended = asyncio.create_task(agent.run())
            try:
                yield Running(agent, lines, ended)
            finally:
                if not ended.done():
                    agent.stop(signal.SIGTERM)
                await ended

    async def start(self, *options: str, **variables: str) -> AgentProcess:
        """Start an agent as a process."""
        orders = [f"--{word}-command=sh -c 'echo {word} >>{self.power}'" for word in ("reboot", "poweroff", "kexec")]
        where = [f"--state-dir={self.folder / 'state'}", f"--boot-id=boot-{self.boots}", "--insecure"]
        token = await self.walk.cli.machine_token(self.machine["Uuid"])
        known = {"RS_ENDPOINT": self.walk.cli.wire.endpoint, "RS_TOKEN": token}
        return AgentProcess(
            [self.machine["Uuid"], *orders, *where, *options], {**self._environment, **known, **variables}
        )


class AgentProcess:
    """`ansible-ensemble provision agent` as a process."""

    def __init__(self, words: list[str], environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "provision", "agent", *words],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.lines: list[str] = []

    def until(self, beginning: str) -> str:
        """Read until a line begins so; that line."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith(beginning):
                return self.lines[-1]
        raise AssertionError(f"it never said {beginning!r}: {self.lines}")

    def lines_until(self, count: int) -> bool:
        """Read so many lines; whether it ended before."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if len(self.lines) >= count:
                return False
        return True

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, if it still runs, and wait for its end; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """Read all it says until it ends; its exit code."""
        assert self.process.stdout
        self.lines += [line.rstrip() for line in self.process.stdout]
        self.process.stdout.close()
        return self.process.wait(PATIENCE)
