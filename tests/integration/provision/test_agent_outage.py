"""A server that goes away and comes back while our agent works, or waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.provision.agents import Simulated
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.served import PATIENCE
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Wire


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Lasting]:
    """A server of the test alone."""
    server = Lasting(tmp_path / "server")
    yield server
    assert server.stop() == 0
    assert server.complaints == []


async def _until_complete(walk: Walk, simulated: Simulated) -> None:
    async with asyncio.timeout(PATIENCE):
        while not (await walk.at(simulated.machine))["WorkflowComplete"]:
            await asyncio.sleep(0.05)


def test_the_server_is_killed(server: Lasting, tmp_path: Path) -> None:
    gate, mark = tmp_path / "gate", tmp_path / "mark"

    async def main() -> None:
        async with Wire(server.endpoint) as wire:
            walk = Walk(wire, tmp_path)
            await walk.task(
                "held", f"echo before; touch {mark}; while [ ! -e {gate} ]; do sleep 0.05; done; echo after"
            )
            await walk.task("last", "exit 0")
            await walk.workflow("flow", {"stage": ["held", "last"]})
            await walk.workflow("other", {"more": ["last", "last"]})
            simulated = Simulated(walk, await walk.machine("m", "flow"))
            async with simulated.running() as agent:
                async with asyncio.timeout(PATIENCE):
                    while not mark.exists():
                        await asyncio.sleep(0.05)
                server.kill()
                gate.touch()  # the script ends while nobody is there to hear of it
                await asyncio.to_thread(server.start)
                await _until_complete(walk, simulated)
                history = await walk.jobs(simulated.machine)
                assert history == [("held", 1, "finished", "complete"), ("last", 2, "finished", "complete")]
                held = (await walk.cli.history(simulated.machine["Uuid"]))[0]["Uuid"]
                log = (await walk.cli.log(held)).splitlines()
                assert [line for line in log if line in ("before", "after")] == ["before", "after"]

                server.kill()  # while the agent waits
                await asyncio.to_thread(server.start)
                await walk.cli.workflow(simulated.machine["Uuid"], walk.name("other"))
                await _until_complete(walk, simulated)
                assert not agent.ended.done()

    asyncio.run(main())
