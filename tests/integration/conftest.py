"""Fixtures of the tests that run Ansible."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long, so that tests that run side by side end together."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def collections(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder in which the repository is found as a collection."""
    folder = tmp_path_factory.mktemp("collections")
    (folder / "ansible_collections" / "tosca").mkdir(parents=True)
    (folder / "ansible_collections" / "tosca" / "ensemble").symlink_to(repository)
    return folder
