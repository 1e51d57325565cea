"""What a reader can know stops a deploy and a dry run as it stops a plan: with the same words, before anything runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.conftest import Run
from tests.unit.jobs.test_early_faults import CASES, written

pytestmark = pytest.mark.matrix

FAULTS = {name: case for name, case in CASES.items() if "words" in case}
SILENT = {name: case for name, case in CASES.items() if "words" not in case}


def placed(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A case whose paths on the host are in a folder of the test."""
    return dict(json.loads(json.dumps(case).replace("/tmp/", f"{folder}/")))


def contents(folder: Path) -> dict[str, str]:
    """All in a folder, by path: what it is, its mode and its content."""
    return {
        str(path.relative_to(folder)): f"{path.lstat().st_mode:o} "
        + (hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in folder.rglob("*")
    }


@pytest.fixture
def host(tmp_path: Path) -> Path:
    folder = tmp_path / "host"
    folder.mkdir()
    (folder / "kept").write_text("as it was")
    return folder


@pytest.mark.parametrize("name", FAULTS)
def test_nothing_runs(command: Callable[..., Run], host: Path, tmp_path: Path, name: str) -> None:
    case = placed(FAULTS[name], host)
    project = tmp_path / "project"
    project.mkdir()
    written(case, project)
    before = contents(project), contents(host)
    for words in (["deploy", "--check"], ["deploy", "--approve"]):
        done = command(*words, "service.yaml", "-i", "hosts", cwd=project)
        assert case["words"] in done.output, done.output
        assert done.code != 0
        assert "Traceback" not in done.output
        assert (contents(project), contents(host)) == before


@pytest.mark.parametrize("name", SILENT)
def test_what_is_no_fault_is_planned(command: Callable[..., Run], host: Path, tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    written(placed(SILENT[name], host), project)
    before = contents(host)
    for words in (["validate", "service.yaml"], ["plan", "service.yaml", "-i", "hosts"]):
        done = command(*words, cwd=project)
        assert done.code == 0, done.output
        assert "Error" not in done.output
    assert contents(host) == before
