"""A rulebook gets the events of the collection's source."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.jobs.test_endings import DRIFT, FIRST, check

RULEBOOK = """
- name: Watch
  hosts: localhost
  sources:
    - tosca.ensemble.ensemble: {ensemble: FOLDER, events: [drift_found], earlier: true}
  rules:
    - name: Drift
      condition: event.event == "drift_found"
      actions:
        - print_event: {}
        - shutdown: {}
"""

pytestmark = [
    pytest.mark.skipif(
        importlib.util.find_spec("ansible_rulebook") is None, reason="ansible-rulebook is not installed"
    ),
    pytest.mark.skipif(shutil.which("java") is None, reason="ansible-rulebook needs Java"),
]


def test_a_rulebook_hears_of_drift(tmp_path: Path, collections: Path, repository: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {}\n")
    check(tmp_path, FIRST, DRIFT)
    (tmp_path / "rulebook.yml").write_text(RULEBOOK.replace("FOLDER", str(tmp_path)))
    programs = Path(sys.executable).parent
    done = subprocess.run(
        [programs / "ansible-rulebook", "--rulebook", tmp_path / "rulebook.yml"],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(collections),
            "ANSIBLE_HOME": str(tmp_path / "home"),
            "HOME": str(tmp_path),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(repository / "python"),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"'change_id': '{FIRST}'" in done.stdout
    assert "'live': 81" in done.stdout
