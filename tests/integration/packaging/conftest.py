"""What is delivered, built once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.integration.packaging.calls import call


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, repository], folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def tarball(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    folder = tmp_path_factory.mktemp("tarball")
    galaxy = Path(sys.executable).parent / "ansible-galaxy"
    call([galaxy, "collection", "build", "--output-path", folder, repository], folder)
    return next(folder.glob("*.tar.gz"))
