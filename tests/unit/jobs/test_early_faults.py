"""What a reader can know is said by validate, or by a plan where it takes the variables of hosts; the rest is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.jobs.validate import validate_path

CASES: dict[str, dict[str, Any]] = read_yaml(Path(__file__).with_name("early_faults.yaml")).data


def written(case: dict[str, Any], folder: Path) -> Path:
    """The files of a case; returns the one to validate."""
    text = case.get("service") or case.get("resources")
    if text is None:
        text = (
            f"resources:\n  one: {case['resource'].rstrip('}')}{'}' * (_closing(case['resource']) - 1)}, host: h1}}\n"
        )
    files = {**case.get("files", {}), "service.yaml": text, "hosts": "h1 ansible_connection=local\n"}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder / "service.yaml"


def _closing(text: str) -> int:
    return len(text) - len(text.rstrip("}"))


def told_by_plan(path: Path) -> str:
    try:
        make_plan(str(path), "deploy", {"inventory": [str(path.with_name("hosts"))]})
    except InvalidInput as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_who_says_it_first(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(case, tmp_path)
    by_validate = [error["text"] for error in validate_path(str(path), JobOptions())["errors"]]
    by_plan = told_by_plan(path)
    if "words" not in case:
        assert (by_validate, by_plan) == ([], "")
        return
    assert case["words"] in by_plan, by_plan
    assert any(case["words"] in text for text in by_validate) == (case.get("first") != "plan"), by_validate
