"""`make demo-mesh` tells its story: nothing is lost but what the worker that is killed was doing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.mesh.receptors import RECEPTOR
from tests.integration.mesh.site import needs_mesh

pytestmark = [pytest.mark.slow, *needs_mesh]


def test_the_demo_of_a_mesh(tmp_path: Path, repository: Path) -> None:
    shutil.copytree(repository / "examples" / "mesh", tmp_path / "mesh")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "mesh" / "demo.py")],
        env=os.environ | {"RECEPTOR": str(RECEPTOR), "HOME": str(tmp_path)},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the worker of c is killed" in done.stdout
    assert "12 pages are there; instances: {'ok': 12}." in done.stdout
    assert list((tmp_path / "mesh" / "site").iterdir()) == []
    assert not (tmp_path / "mesh" / "nodes").is_symlink()
