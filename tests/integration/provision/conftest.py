"""Databases for the tests of the server of machines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.provision.postgres import Cluster, programs


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
