"""The command of this package, started by another process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.core.own_command import own_command


@pytest.mark.parametrize("removes", [False, True])
def test_it_runs_and_removes_the_folder(tmp_path: Path, removes: bool) -> None:
    (tmp_path / "ansible_ensemble.py").write_text("raise Exception('a stranger')\n")
    folder = tmp_path / "folder"
    folder.mkdir()
    line = own_command("validate", "missing.yaml", folder=folder if removes else None)
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "missing.yaml" in done.stdout + done.stderr
    assert folder.exists() is not removes
