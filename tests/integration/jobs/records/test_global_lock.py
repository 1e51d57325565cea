"""One job at a time on all clones: the lock of a git LFS server that tells owners apart."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.processes import wait_for
from tests.integration.jobs.records.repositories import clone, git, make_project
from tests.unit.projects.conftest import lfs_server

pytestmark = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="the git lfs client is not installed")
__all__ = ["lfs_server"]

DEPLOY = ("deploy", "--approve", "--skip-upstream-check")


def require(folder: Path, url: str) -> Path:
    (folder / "ensemble-project.yaml").write_text(
        f"environments:\n  defaults:\n    lfs_lock: {{lock: require, url: '{url}', name: all}}\n"
    )
    return folder


@pytest.fixture
def clones(tmp_path: Path, lfs_server: Any) -> tuple[Path, Path]:
    """Two clones of a project, one of alice, one of bob."""
    one = make_project(tmp_path / "one", service(2, seconds=2, chain=True))
    other = clone(one, tmp_path / "other")
    return require(one, lfs_server.url("alice")), require(other, lfs_server.url("bob"))


def test_of_two_clones_one_is_refused_with_the_owner(command, start, clones, lfs_server):
    one, other = clones
    job = start(*DEPLOY, cwd=one)
    wait_for(lambda: noted(one, "begin"), "the first job to begin")
    refused = command(*DEPLOY, cwd=other)
    assert refused.code == 4
    assert "the global lock all is held by alice since 2026-01-02" in refused.stderr
    assert "canary-password" not in refused.output
    assert not (other / "ensemble.yaml.lock").exists()
    output, _ = job.communicate()
    assert job.returncode == 0, output
    assert lfs_server.locks == {}
    assert command("plan", cwd=other).code == 0


def test_it_is_freed_by_a_signal_and_taken_up_if_it_was_left(command, start, clones, lfs_server):
    one, _ = clones
    job = start(*DEPLOY, cwd=one)
    wait_for(lambda: noted(one, "begin"), "the job to begin")
    assert len(lfs_server.locks) == 1
    job.send_signal(signal.SIGTERM)
    assert job.wait() == 143
    assert lfs_server.locks == {}

    lfs_server.keeps = True
    kept = command(*DEPLOY, cwd=one)
    assert kept.code == 1
    assert "the global lock all could not be released: " in kept.output
    assert "not today" in kept.output
    assert not (one / "ensemble.yaml.lock").exists()
    assert "could not be released" in command("recover", cwd=one).stderr
    lfs_server.keeps = False
    again = command(*DEPLOY, cwd=one)
    assert again.code == 0, again.output
    assert "reused the global lock" in again.output
    assert lfs_server.locks == {}


def test_a_lock_that_is_lost_while_the_job_runs_is_told(start, clones, lfs_server):
    one, _ = clones
    job = start(*DEPLOY, cwd=one)
    wait_for(lambda: noted(one, "begin"), "the job to begin")
    lfs_server.locks.clear()
    lfs_server.lock("all", "mallory")
    output, _ = job.communicate()
    assert job.returncode == 4
    assert "was lost while the job ran: mallory has held it since" in output
    assert [lock["owner"]["name"] for lock in lfs_server.locks.values()] == ["mallory"]
    assert (one / "jobs.tsv").exists()


def test_a_playbook_takes_and_frees_it_too(command, clones, lfs_server):
    one, other = clones
    for folder in clones:
        (folder / "deploy.yml").write_text(
            "- hosts: localhost\n  gather_facts: false\n  vars: {ensemble: ensemble.yaml}\n"
            "  roles: [tosca.ensemble.job]\n"
        )
    play = ("deploy.yml", "-e", "ensemble_skip_upstream_check=true")
    done = command(*play, program="ansible-playbook", cwd=one)
    assert done.code == 0, done.output
    assert lfs_server.locks == {}
    lfs_server.lock("all", "alice")
    refused = command(*play, program="ansible-playbook", cwd=other)
    assert refused.code != 0
    assert "held by alice" in refused.output
    assert git(other, "status", "--porcelain", "--untracked-files=no") == ""
