"""An agent that is told to end at each of its requests: its job is given back, or ends, and nothing else is run."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ansible_ensemble.provision.agent.agent import Agent
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.known_tasks import KnownTasks
from ansible_ensemble.provision.agent.local_host import LocalHost
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.watch import Watch
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.objects.codec import decode_json
from tests.unit.provision.client.test_events import Hub

MACHINE = {"Uuid": "m", "Available": True, "Runnable": True, "Workflow": "flow", "CurrentTask": 0, "Tasks": ["t"]}
JOB = {"Uuid": "j", "Machine": "m", "Task": "t", "Meta": {}}
ACTIONS = [{"Name": "a", "Path": "", "Content": "#!/bin/sh\nexit 0\n", "Meta": None}]


class Stopping:
    """A server with one job, where the agent is told to end when it gets a certain request.

    Attributes:
        state: of the job; empty before it was asked for.
        log: what was logged.
    """

    def __init__(self, request: str, params: Any = None, **job: Any) -> None:
        self.hub, self.state, self.exit_state, self.log = Hub(), job.pop("State", ""), "", b""
        self._job, self._params = {**JOB, **job}, params
        self.stop: Any = None
        self._request = request
        self.asked = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v3/")
        if path == "ws":
            return await self.hub.handle(request)
        if self.stop and f"{request.method} {path}" == self._request:
            self.stop, stop = None, self.stop
            stop(signal.SIGTERM)
        answer = self._answer(request.method, path, await request.read())
        return web.json_response(answer) if answer is not None else web.Response(status=204)

    def _answer(self, method: str, path: str, body: bytes) -> Any:
        if method == "POST":
            self.asked += 1
            self.state = self.state or "created"
            return {**self._job, "State": self.state} if self.state in ("created", "finished") else None
        if method == "PATCH" and path == "jobs/j":
            test, *changes = decode_json(body)
            assert test == {"op": "test", "path": "/State", "value": self.state}
            changed = {change["path"]: change["value"] for change in changes}
            self.state, self.exit_state = changed["/State"], changed.get("/ExitState", "")
        if method == "PUT":
            self.log += body
        known = {"machines/m": MACHINE, "jobs/j/actions": ACTIONS, "machines/m/token": {"Token": "t"}, "jobs/j/log": {}}
        task = {"Name": "t", "Meta": {"feature-flags": "sane-exit-codes"}}
        known |= {"jobs/j": {**self._job, "State": self.state}, "tasks/t": task}
        known |= {"machines/m/params/runner-tmpdir": self._params}
        return known.get(path, {})


@pytest.mark.parametrize(
    ("request_of_it", "state", "exit_state"),
    [
        ("GET machines/m", "", ""),
        ("POST jobs", "incomplete", "stop"),
        ("PATCH jobs/j", "incomplete", "stop"),
        ("GET tasks/t", "incomplete", "stop"),
        ("GET jobs/j/actions", "incomplete", "stop"),
        ("PUT jobs/j/log", "incomplete", "stop"),
    ],
)
def test_an_agent_is_told_to_end(serving: Any, tmp_path: Path, request_of_it: str, state: str, exit_state: str) -> None:
    async def main() -> None:
        server = Stopping(request_of_it)
        async with serving(server.handle) as served, Client(served.settings) as client, Watch(client) as watch:
            host = LocalHost(environment={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin"}, boot_id="b")
            lines: list[str] = []
            options = AgentOptions(tmp_path / "state")
            now = Situation(client, watch, KnownTasks(client), served.settings, host, options, lines.append)
            agent = Agent(now, "m")
            server.stop = agent.stop
            assert await agent.run() == 128 + signal.SIGTERM
            assert (server.state, server.exit_state) == (state, exit_state), lines
            assert server.asked == bool(state)
            assert not list(tmp_path.glob("runner-*"))

    asyncio.run(main())


class PoweredOff(LocalHost):
    """A host that cannot be reached when its agent leaves."""

    async def remove_folder(self, path: str) -> None:
        """Fail."""
        raise HostFailed("no route to host")


async def _left(
    serving: Any, folder: Path, host: LocalHost, request_of_it: str, **job: Any
) -> tuple[Stopping, list[str]]:
    """A server, and what the agent said that was told to end there."""
    server, lines = Stopping(request_of_it, **job), list[str]()
    async with serving(server.handle) as served, Client(served.settings) as client, Watch(client) as watch:
        options = AgentOptions(folder / "state")
        now = Situation(client, watch, KnownTasks(client), served.settings, host, options, lines.append)
        agent = Agent(now, "m")
        server.stop = agent.stop
        assert await agent.run() == 128 + signal.SIGTERM
    return server, lines


def test_a_host_that_cannot_be_reached_keeps_no_agent_from_leaving(serving: Any, tmp_path: Path) -> None:
    host = PoweredOff(environment={"TMPDIR": str(tmp_path)}, boot_id="b")
    _, lines = asyncio.run(_left(serving, tmp_path, host, "POST jobs"))
    assert lines[-1].endswith("is left: no route to host")


class ToldTwice(LocalHost):
    """A host whose agent gets a second signal while it leaves."""

    async def remove_folder(self, path: str) -> None:
        """Be cut short."""
        raise asyncio.CancelledError


def test_a_second_signal_while_an_agent_leaves_ends_it_like_the_first(serving: Any, tmp_path: Path) -> None:
    host = ToldTwice(environment={"TMPDIR": str(tmp_path)}, boot_id="b")
    asyncio.run(_left(serving, tmp_path, host, "POST jobs"))


def test_what_the_server_has_done_is_not_given_back(serving: Any, tmp_path: Path) -> None:
    host = LocalHost(environment={"TMPDIR": str(tmp_path)}, boot_id="b")
    server, _ = asyncio.run(_left(serving, tmp_path, host, "POST jobs", Task="action:power:poweron", State="finished"))
    assert (server.state, server.log) == ("finished", b"")


@pytest.mark.parametrize("params", [5, ["/tmp"]])
def test_a_folder_that_is_no_path_is_an_error(serving: Any, tmp_path: Path, params: Any) -> None:
    async def main() -> None:
        server = Stopping("", params=params)
        async with serving(server.handle) as served, Client(served.settings) as client, Watch(client) as watch:
            host, lines = LocalHost(environment={"TMPDIR": str(tmp_path)}, boot_id="b"), list[str]()
            options = AgentOptions(tmp_path / "state", exit_on_failure=True)
            now = Situation(client, watch, KnownTasks(client), served.settings, host, options, lines.append)
            assert await Agent(now, "m").run() == 1
            assert "Error: the param runner-tmpdir is not the path of a folder" in lines

    asyncio.run(main())
