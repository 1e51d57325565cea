"""Servers that are killed while many agents work: what was answered holds, and agents go on by themselves.

TORTURE_ROUNDS says how often, up to 50.
"""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import pytest

from tests.integration.provision.lasting import Lasting
from tests.integration.provision.torture.load import Load, settle

ROUNDS = min(int(os.environ.get("TORTURE_ROUNDS", "3")), 50)
MACHINES = 50 if ROUNDS > 3 else 20
#: Jobs of each machine: each kill finds some that were not begun.
TASKS = max(6, ROUNDS)
pytestmark = pytest.mark.timeout(1200 + 60 * ROUNDS)  # a round takes half a minute on a busy machine


def test_one_server_is_killed(tmp_path: Path) -> None:
    server = Lasting(tmp_path / "server")

    async def main() -> None:
        load = Load([server.endpoint], tmp_path, MACHINES, TASKS)
        await load.start()
        for number in range(ROUNDS):
            await load.until(load.total * (number + 1) // (ROUNDS + 1))
            server.kill()
            await asyncio.to_thread(server.start)
        await settle(load)

    asyncio.run(main())
    assert server.stop() == 0
    assert server.complaints == []


@pytest.mark.matrix
def test_one_of_three_servers_is_killed(tmp_path: Path, postgres: str) -> None:
    servers = [Lasting(tmp_path / name, "--database", postgres) for name in ("one", "two", "three")]
    chance = random.Random(ROUNDS)

    async def main() -> None:
        load = Load([server.endpoint for server in servers], tmp_path, MACHINES, TASKS)
        await load.start()
        for number in range(ROUNDS):
            await load.until(load.total * (2 * number + 1) // (2 * ROUNDS + 1))
            killed = chance.choice(servers)
            killed.kill()
            await load.until(load.total * (2 * number + 2) // (2 * ROUNDS + 1))  # the others alone
            await asyncio.to_thread(killed.start)
        await settle(load)

    asyncio.run(main())
    for server in servers:
        assert server.stop() == 0
        assert server.complaints == []
