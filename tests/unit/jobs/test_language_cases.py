"""Faults that users met: each case is taken, or refused with a place, as the language has it."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path

CASES: dict[str, list[str] | None] = read_yaml(Path(__file__).with_name("language_cases.yaml")).data


@pytest.fixture
def entry(language_cases: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """What a case is validated by: its service template in a copy, or the archive of its folder `src`."""
    folder = tmp_path / "case"
    shutil.copytree(language_cases / request.param, folder)
    if not (folder / "src").is_dir():
        return next(folder.rglob("service.yaml"))
    with zipfile.ZipFile(tmp_path / "a.csar", "w") as archive:
        for file in (folder / "src").rglob("*"):
            archive.write(file, file.relative_to(folder / "src"))
    return tmp_path / "a.csar"


@pytest.mark.parametrize(("entry", "wanted"), CASES.items(), indirect=["entry"], ids=list(CASES))
def test_language_case(entry: Path, wanted: list[str] | None) -> None:
    errors: list[dict[str, Any]] = validate_path(str(entry), JobOptions())["errors"]
    assert [
        (part in error["message"], bool(error["line"])) for part, error in zip(wanted or [], errors, strict=True)
    ] == [(True, True) for _ in wanted or []], errors
