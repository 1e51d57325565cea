"""Two clones of an ensemble that ran different jobs, and their merge."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.changes.history import history
from ansible_ensemble.changes.job_record import write_job
from ansible_ensemble.changes.jobs_tsv import append_job
from ansible_ensemble.changes.merge import Merged, merge_ensembles
from ansible_ensemble.changes.record import ChangeRecord, JobRecord
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.projects import git
from ansible_ensemble.projects.create import clone_project, init_project
from ansible_ensemble.projects.folders import committed_paths
from ansible_ensemble.projects.git_merge import conflicting_versions

FIRST, OURS, THEIRS = "A6AAAAAA0000", "A6BBBBBB0000", "A6CCCCCC0000"


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Tester\nemail = tester@example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def run_job(folder: Path, job_id: str, changed: dict[str, str]) -> None:
    """Record a job as the job room does, and commit it."""
    file = folder / "ensemble.yaml"
    document = read_yaml(file).data
    changes = {name: instance["lastConfigChange"] for name, instance in _instances(document).items()}
    changes |= changed
    lines = "".join(f"    {name}:\n      lastConfigChange: {change}\n" for name, change in changes.items())
    spec = file.read_text().partition("status:\n")[0]
    file.write_text(f"{spec}status:\n  instances:\n{lines}lastJob:\n  changeId: {job_id}\n")
    job = JobRecord(job_id, workflow="deploy")
    tasks = [ChangeRecord(change, f"::{name}", "configure") for name, change in changed.items()]
    write_job(folder, job, tasks, Redactor())
    append_job(folder / "jobs.tsv", job, tasks)
    assert git.commit(folder, committed_paths(file), f"job {job_id}", base=git.head(folder))
    assert git.dirty_files(folder) == []


def _instances(document: dict[str, dict[str, dict[str, dict[str, str]]]]) -> dict[str, dict[str, str]]:
    return document.get("status", {}).get("instances", {})


def pull(folder: Path) -> Merged:
    """Merge the other clone's work, the ensemble's file by our own rules."""
    file = folder / "ensemble.yaml"
    assert git.run_git(folder, "pull", "-q", "--no-rebase", "--no-edit")[0] != 0
    _, unmerged, _ = git.run_git(folder, "diff", "--name-only", "--diff-filter=U")
    assert unmerged == "ensemble.yaml\n"
    versions = conflicting_versions(folder, file)
    assert versions is not None
    merged = merge_ensembles(*versions, file)
    file.write_text(merged.text)
    assert git.run_git(folder, "commit", "-qam", "merge")[0] == 0
    return merged


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    origin, one, other = tmp_path / "origin.git", tmp_path / "one", tmp_path / "other"
    init_project(tmp_path / "start")
    run_job(tmp_path / "start", FIRST, {"app": FIRST[:8] + "0001", "db": FIRST[:8] + "0002"})
    assert git.run_git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "start"), str(origin))[0] == 0
    for folder in (one, other):
        clone_project(f"file://{origin}", folder)
    return one, other


def test_jobs_on_different_instances(clones: tuple[Path, Path]) -> None:
    one, other = clones
    run_job(one, OURS, {"app": OURS[:8] + "0001"})
    run_job(other, THEIRS, {"db": THEIRS[:8] + "0001"})
    git.push(other)
    merged = pull(one)
    assert (merged.reported, merged.unresolved) == ([], [])
    data = read_yaml(one / "ensemble.yaml").data
    assert {name: instance["lastConfigChange"] for name, instance in _instances(data).items()} == {
        "app": OURS[:8] + "0001",
        "db": THEIRS[:8] + "0001",
    }
    assert data["lastJob"] == {"changeId": THEIRS}
    assert [(job["change_id"], job["tasks"]) for job in history(one)] == [(FIRST, 2), (OURS, 1), (THEIRS, 1)]
    git.push(one)
    git.check_upstream(one)


def test_jobs_on_the_same_instance_are_reported(clones: tuple[Path, Path]) -> None:
    one, other = clones
    run_job(one, OURS, {"app": OURS[:8] + "0001"})
    run_job(other, THEIRS, {"app": THEIRS[:8] + "0001"})
    git.push(other)
    merged = pull(one)
    assert len(merged.reported) == 1
    assert "instance app" in merged.reported[0]
    assert len(history(one)) == 3
