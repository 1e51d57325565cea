"""A cluster for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.kubernetes.cluster import MISSING, SKIP_REASON, Cluster, running


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A Kubernetes cluster without nodes."""
    if MISSING:
        pytest.skip(SKIP_REASON)
    with running(tmp_path_factory.mktemp("kubernetes") / "cluster") as one:
        yield one
