"""Two clones that ran different jobs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.integration.jobs.records.repositories import clone, git, make_project


@pytest.fixture
def clones(command, tmp_path: Path) -> tuple[Path, Path]:
    """Two clones of a project that is deployed."""
    one = make_project(tmp_path / "one")
    assert command("deploy", "--approve", "--commit", cwd=one).code == 0
    other = clone(one, tmp_path / "other")
    return one, other


def merge(folder: Path, other: Path) -> None:
    git(folder, "fetch", "--quiet", str(other), "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(folder, "merge", "FETCH_HEAD")
    conflicts = git(folder, "diff", "--name-only", "--diff-filter=U").splitlines()
    assert "ensemble.yaml" in conflicts
    assert not [name for name in conflicts if name.startswith(("changes/", "jobs.tsv"))]


def statuses(command, folder: Path) -> dict[str, str]:
    shown = json.loads(command("status", "--output", "json", cwd=folder).stdout)
    return {instance["name"]: instance["status"] for instance in shown["instances"]}


def test_records_merge_by_themselves_and_instances_with_recover(command, clones):
    one, other = clones
    assert command("undeploy", "--approve", "--commit", "--instance", "first", cwd=one).code == 0
    skip = ("--skip-upstream-check", "--commit")
    assert command("undeploy", "--approve", "--instance", "second", *skip, cwd=other).code == 0
    merge(one, other)
    refused = command("deploy", "--approve", cwd=one)
    assert refused.code == 3
    assert "ansible-ensemble recover" in refused.stderr

    done = command("recover", cwd=one)
    assert done.code == 0, done.output
    assert "instance" not in done.output
    git(one, "commit", "-qm", "merged")
    assert git(one, "status", "--porcelain") == ""
    assert statuses(command, one) == {"first": "absent", "second": "absent"}
    jobs = json.loads(command("history", "--output", "json", cwd=one).stdout)["jobs"]
    assert [job["workflow"] for job in jobs] == ["undeploy", "undeploy", "deploy"]
    assert command("deploy", "--approve", cwd=one).code == 0


def test_an_instance_that_both_changed_is_reported(command, clones):
    one, other = clones
    assert command("deploy", "--approve", "--commit", "--input", "text=ours", cwd=one).code == 0
    options = ("--skip-upstream-check", "--commit", "--input", "text=theirs")
    assert command("deploy", "--approve", *options, cwd=other).code == 0
    merge(one, other)
    done = command("recover", cwd=one)
    assert done.code == 0, done.output
    assert "instance first: both sides changed it" in done.output
    assert "instance second" not in done.output
    shown = json.loads(command("status", "--output", "json", cwd=one).stdout)
    [first] = [instance for instance in shown["instances"] if instance["name"] == "first"]
    assert first["properties"]["text"] == "theirs"
