"""Fixtures of the tests that run Ansible."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def collections(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """A folder in which the repository is found as a collection."""
    folder = tmp_path_factory.mktemp("collections")
    (folder / "ansible_collections" / "tosca").mkdir(parents=True)
    (folder / "ansible_collections" / "tosca" / "ensemble").symlink_to(repository)
    return folder
