"""The command `schema`: the types it knows are those of what it is asked of, or of the ensemble here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_ensemble.cli.main import main
from ansible_ensemble.projects.create import init_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return init_project(tmp_path / "shop").folder


def test_types_of_what_is_asked_of_are_known(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "service-template", "--of", "shop"]) == 0
    offered = json.loads(capsys.readouterr().out)["$defs"]["tosca.node_template"]["properties"]["type"]["anyOf"][0]
    assert "example.Folder" in offered["enum"]
    assert main(["schema", "service-template"]) == 0  # there is no ensemble here
    assert "example.Folder" not in capsys.readouterr().out


def test_all_are_written_into_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--write", "--of", "shop/ensemble.yaml"]) == 0
    assert capsys.readouterr().out == "Wrote .schemas/service-template.json\n"
    assert main(["schema", "--write", "--of", "shop"]) == 0
    assert capsys.readouterr().out == "The schemas are as they were.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "schema wants KIND, or --write"),
        (["project", "--write"], "schema wants KIND, or --write"),
        (["service"], "invalid choice: 'service'"),
        (["project", "--of", "nowhere"], "nowhere"),
    ],
)
def test_what_is_refused(project: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["schema", *words]) != 0
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""


def test_what_has_no_types_reads_no_ensemble(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "ensemble.yaml").write_text("kind: Ensemble\nspec: {service_template: none.yaml}\n")
    assert main(["schema", "project", "--of", "shop"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Project"
    assert main(["schema", "ensemble", "--of", "shop"]) == 3
