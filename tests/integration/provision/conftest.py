"""Servers of machines and their databases, and walks through what machines do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.provision.lasting import Lasting
from tests.integration.provision.postgres import Cluster, programs
from tests.integration.provision.served import Served
from tests.integration.provision.walk import Walk
from tests.integration.provision.wire import Wire

Walking = Callable[[Callable[[Walk], Awaitable[None]]], None]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server that all tests share."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed")
    cluster = Cluster(folder)
    yield cluster
    cluster.remove()


@pytest.fixture
def postgres(cluster: Cluster) -> str:
    """The URL of an empty PostgreSQL database."""
    return cluster.emptied()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers, which end with the test."""
    started: list[Served] = []

    def start(*options: str, **said: Any) -> Served:
        started.append(Served(said.pop("folder", tmp_path), *options, **said))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lasting]:
    """A server that tests share; at its end it lives, and has made no mistake."""
    server = Lasting(tmp_path_factory.mktemp("shared"))
    yield server
    assert server.is_alive
    assert server.stop() == 0
    assert server.complaints == []


@pytest.fixture
def walk(shared: Lasting, tmp_path: Path) -> Walking:
    """Run a walk over the shared server."""

    def walked(steps: Callable[[Walk], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with Wire(shared.endpoint) as wire:
                await steps(Walk(wire, tmp_path))

        asyncio.run(whole())

    return walked
