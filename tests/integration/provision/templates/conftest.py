from __future__ import annotations

import pytest

from tests.integration.provision.templates.golang import Go, build


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Go:
    """Go's text/template with its own functions."""
    return _built(tmp_path_factory, sprig=False)


@pytest.fixture(scope="session")
def sprig(tmp_path_factory: pytest.TempPathFactory) -> Go:
    """Go's text/template with sprig."""
    return _built(tmp_path_factory, sprig=True)


def _built(tmp_path_factory: pytest.TempPathFactory, sprig: bool) -> Go:
    go = build(tmp_path_factory.mktemp("go"), sprig)
    if isinstance(go, str):
        pytest.skip(go)
    return go
