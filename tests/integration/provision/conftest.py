"""Databases for the tests of the server of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.provision.postgres import Cluster, programs
from tests.integration.provision.served import Served


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
