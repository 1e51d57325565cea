"""What a merge of two clones leaves in conflict beside ensemble.yaml."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.merging import merge_conflict
from ansible_ensemble.projects.create import init_project
from ansible_ensemble.projects.git import clone_repository, commit, run_git

OURS, THEIRS = "A6BBBBBB0000", "A6CCCCCC0000"
IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.com")


def write(folder: Path, job: str, templates: dict[str, object], rendered: str | None) -> None:
    """Write what a job leaves, and commit it."""
    text = (folder / "ensemble.yaml").read_text().partition("lastJob:")[0]
    (folder / "ensemble.yaml").write_text(f"{text}lastJob: {{changeId: {job}}}\n")
    artifacts = folder / "active" / "artifacts"
    (artifacts / "app").mkdir(parents=True, exist_ok=True)
    (artifacts / "templates.json").write_text(json.dumps(templates, indent=1, sort_keys=True) + "\n")
    if rendered is None:
        (artifacts / "app" / "conf").unlink()
    else:
        (artifacts / "app" / "conf").write_text(rendered)
    assert commit(folder, [folder / "ensemble.yaml", folder / "active"], f"job {job}")


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    one, other = tmp_path / "one", tmp_path / "other"
    init_project(one)
    write(one, "A6AAAAAA0000", {"app": {"a": 1}, "db": {"b": 1}, "old": {}}, "start")
    clone_repository(str(one), other)
    return one, other


@pytest.mark.parametrize(("ours", "theirs"), [("ours", "theirs"), ("ours", None), (None, "theirs")])
@pytest.mark.parametrize("newer", [True, False])
def test_what_both_sides_keep_and_rendered_is_united(
    clones: tuple[Path, Path], ours: str | None, theirs: str | None, newer: bool
) -> None:
    one, other = clones
    write(one, OURS if newer else "A6DDDDDD0000", {"app": {"a": 2}, "db": {"b": 1}, "new": {"x": 1}}, ours)
    write(other, THEIRS, {"app": {"a": 1}, "db": {"b": 2}, "old": {}, "newer": {"y": 1}}, theirs)
    assert run_git(one, *IDENTITY, "pull", "-q", "--no-rebase", "--no-edit", str(other))[0] != 0
    artifacts = one / "active" / "artifacts"
    json.loads((artifacts / "templates.json").read_text())  # no marks of a conflict in it

    done = merge_conflict(one / "ensemble.yaml")
    assert [line.partition(":")[0] for line in done["check"]] == [str(artifacts / "app" / "conf")]
    assert json.loads((artifacts / "templates.json").read_text()) == {
        "app": {"a": 2},
        "db": {"b": 2},
        "new": {"x": 1},
        "newer": {"y": 1},
    }
    taken = theirs if newer else ours
    file = artifacts / "app" / "conf"
    assert (file.read_text() if file.exists() else None) == taken
    assert run_git(one, *IDENTITY, "commit", "-qm", "merged")[0] == 0
    assert run_git(one, "status", "--porcelain")[1] == ""
    assert merge_conflict(one / "ensemble.yaml") == {}


def test_jobs_of_one_id_are_left_to_the_user(clones: tuple[Path, Path]) -> None:
    one, other = clones
    for folder, text in ((one, "ours"), (other, "theirs")):
        record = folder / "changes" / "job2026-11-11-11-11-11-A6BBBBBB.yaml"
        record.parent.mkdir()
        record.write_text(text)
        assert commit(folder, [record], text)
    assert run_git(one, *IDENTITY, "pull", "-q", "--no-rebase", "--no-edit", str(other))[0] != 0
    with pytest.raises(InvalidInput, match=r"A6BBBBBB.yaml: both sides have a job of this id"):
        merge_conflict(one / "ensemble.yaml")
    assert run_git(one, *IDENTITY, "checkout", "--ours", "changes")[0] == 0
    assert run_git(one, "add", "changes")[0] == 0
    assert merge_conflict(one / "ensemble.yaml") == {}


@pytest.mark.parametrize(("text", "said"), [("[1]", "it is not a map"), ("{", "this is no JSON")])
def test_what_one_side_keeps_in_another_form_is_left_to_the_user(
    clones: tuple[Path, Path], text: str, said: str
) -> None:
    one, other = clones
    write(one, OURS, {"app": {"a": 2}}, "start")
    write(other, THEIRS, {"app": {"a": 3}}, "start")
    templates = other / "active" / "artifacts" / "templates.json"
    templates.write_text(text)
    assert commit(other, [templates], "by hand")
    assert run_git(one, *IDENTITY, "pull", "-q", "--no-rebase", "--no-edit", str(other))[0] != 0
    with pytest.raises(InvalidInput, match=said):
        merge_conflict(one / "ensemble.yaml")
