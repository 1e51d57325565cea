"""Agents of one process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.agent.local_host import LocalHost
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.run import run_agents
from ansible_ensemble.provision.agent.saved import SavedState
from tests.unit.provision.client.test_events import Hub


async def _ran(serving: Any, folder: Path, *machines: str) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The exit codes of agents of machines that have nothing to do, and what they said."""
    hub, said = Hub(), list[tuple[str, str]]()

    async def handle(request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/api/v3/")
        if path == "ws":
            return await hub.handle(request)
        uuid = path.removeprefix("machines/")
        return web.json_response({"Uuid": uuid, "Available": True} if uuid in machines else None)

    options = AgentOptions(folder / "state", oneshot=True, patience=0.05)
    host = LocalHost(environment={"TMPDIR": str(folder)}, boot_id="b")
    async with serving(handle) as server:
        say = lambda machine, line: said.append((machine, line))  # noqa: E731
        return await run_agents(server.settings, dict.fromkeys(machines, host), options, say), said


def test_an_agent_that_cannot_begin_keeps_the_others_from_nothing(serving: Any, tmp_path: Path) -> None:
    held = SavedState(tmp_path / "state", "two", "")
    held.hold()
    codes, said = asyncio.run(_ran(serving, tmp_path, "one", "two"))
    assert codes == {"one": 0, "two": 1}
    assert any(who == "two" and "another agent runs for this machine" in line for who, line in said)
    with pytest.raises(EnsembleError, match="another agent runs"):
        asyncio.run(_ran(serving, tmp_path, "two"))
    held.release()
