"""Fixtures of the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.provision.service.world import World, opened


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A store in which nothing is but what is built in."""
    with opened(tmp_path) as one:
        yield one
