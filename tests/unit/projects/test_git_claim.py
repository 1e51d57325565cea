from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.projects import git_claim
from ansible_ensemble.projects.git import init_repository, run_git
from ansible_ensemble.projects.git_claim import claimed, free_claimed
from ansible_ensemble.projects.process import describe_process

#: No process has this id.
NOBODY = 2**22 + 1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    init_repository(folder)
    return folder


def leave_claim(root: Path, pid: int = NOBODY, **fields: object) -> Path:
    """The claim of a job, made a second ago."""
    claim = root / ".git" / f"ansible-ensemble-{pid}.claim"
    claim.write_text(json.dumps({**describe_process(pid).to_json(), **fields}))
    earlier = claim.stat().st_mtime - 1
    os.utime(claim, (earlier, earlier))
    return claim


def leave_lock(root: Path, name: str = "index.lock") -> Path:
    lock = root / ".git" / name
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    return lock


def test_a_repository_is_claimed_while_git_works_in_it(root: Path) -> None:
    with claimed(root):
        [claim] = (root / ".git").glob("*.claim")
        assert json.loads(claim.read_text())["Pid"] == os.getpid()
        leave_lock(root)
        assert free_claimed(root) == []
    assert not claim.exists()


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_what_a_killed_job_left_is_removed_once(root: Path, name: str) -> None:
    claim, lock = leave_claim(root), leave_lock(root, name)
    assert free_claimed(root) == [lock]
    assert not lock.exists()
    assert not claim.exists()
    leave_lock(root, name)
    assert free_claimed(root) == []


def test_a_lock_without_a_claim_or_from_before_it_stays(root: Path) -> None:
    lock = leave_lock(root)
    assert free_claimed(root) == []
    claim = leave_claim(root)
    before = claim.stat().st_mtime - 1
    os.utime(lock, (before, before))
    assert free_claimed(root) == []
    assert lock.exists()


@pytest.mark.parametrize("fields", [{"Host": "another"}, {"Pid": "no number"}])
def test_a_claim_of_which_nothing_is_known_frees_nothing(root: Path, fields: dict[str, object]) -> None:
    leave_claim(root, **fields)
    leave_lock(root)
    assert free_claimed(root) == []


def test_a_lock_stays_while_a_git_works_in_the_repository(root: Path) -> None:
    leave_claim(root)
    lock = leave_lock(root)
    with subprocess.Popen(
        ["git", "hash-object", "--stdin"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as at_work:
        while git_claim.Path(f"/proc/{at_work.pid}/comm").read_text().strip() != "git":
            pass
        assert free_claimed(root) == []
        at_work.communicate(b"")
    assert free_claimed(root) == [lock]


def test_a_lock_stays_where_processes_cannot_be_seen(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_claim(root)
    leave_lock(root)
    monkeypatch.setattr(git_claim, "_PROCESSES", root / "nothing")
    assert free_claimed(root) == []


def test_another_working_tree_of_the_repository(root: Path, tmp_path: Path) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.com")
    assert run_git(root, *identity, "commit", "--quiet", "--allow-empty", "-m", "start")[0] == 0
    other = tmp_path / "other"
    assert run_git(root, "worktree", "add", "--quiet", str(other))[0] == 0
    with claimed(other):
        [claim] = root.glob(".git/worktrees/*/*.claim")
        text = claim.read_text()
    claim.write_text(json.dumps({**json.loads(text), "Pid": NOBODY}))
    locks = {leave_lock(root, "worktrees/other/index.lock"), leave_lock(root, "refs/heads/other.lock")}
    assert {path.resolve() for path in free_claimed(other)} == locks
