"""Fixtures of the service."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_ensemble.provision.service import built_ins
from tests.unit.provision.service.world import World, opened


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a store with what is built in, and the password of its first user."""
    folder = tmp_path_factory.mktemp("store")
    with opened(folder) as world:
        password = world.write(built_ins.install)
    assert password
    return folder, password


@pytest.fixture
def world(first_start: tuple[Path, str], tmp_path: Path) -> Iterator[World]:
    """A store in which nothing is but what is built in."""
    folder = shutil.copytree(first_start[0], tmp_path / "data")
    with opened(folder) as one:
        yield one
