from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked
from ansible_ensemble.projects import lfs_lock
from ansible_ensemble.projects.git import init_repository
from ansible_ensemble.projects.lfs_lock import (
    LfsSettings,
    acquire_global,
    check_global,
    release_global,
)

client = pytest.mark.skipif(shutil.which("git-lfs") is None, reason="the git lfs client is not installed")


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def clone(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / name / "prod"
    folder.mkdir(parents=True)
    init_repository(folder.parent)
    file = folder / "ensemble.yaml"
    file.write_text("kind: Ensemble\n")
    return file


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return clone(tmp_path, "one")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return clone(tmp_path, "other")


@client
def test_one_of_two_clones_is_refused_with_the_owner(lfs_server: Any, one: Path, other: Path) -> None:
    held = acquire_global(LfsSettings("require", lfs_server.url("alice")), one)
    assert held is not None
    assert held.name == "prod/ensemble.yaml.lock"
    assert held.owner == "alice"
    for mode in ("try", "require"):
        with pytest.raises(Locked, match="alice since 2026-01-02") as refused:
            acquire_global(LfsSettings(mode, lfs_server.url("bob")), other)
        assert "canary" not in str(refused.value)
    check_global(held)
    assert release_global(held) is None
    again = acquire_global(LfsSettings("require", lfs_server.url("bob")), other)
    assert again is not None
    assert again.owner == "bob"


@client
def test_the_same_user_in_another_clone_is_refused_too(lfs_server: Any, one: Path, other: Path) -> None:
    settings = LfsSettings("require", lfs_server.url("alice"))
    assert acquire_global(settings, one)
    with pytest.raises(Locked, match="alice"):
        acquire_global(settings, other)


@client
def test_a_lock_that_a_killed_job_left_is_taken_up(lfs_server: Any, one: Path) -> None:
    settings, notices = LfsSettings("require", lfs_server.url("alice")), []
    left = acquire_global(settings, one)
    taken = acquire_global(settings, one, notice=notices.append)
    assert taken == left
    assert "reused" in notices[0]
    assert taken is not None
    assert release_global(taken) is None
    assert lfs_server.locks == {}
    assert not taken.record.exists()


@client
def test_a_lost_lock_is_reported(lfs_server: Any, one: Path) -> None:
    held = acquire_global(LfsSettings("require", lfs_server.url("alice")), one)
    assert held is not None
    lfs_server.locks.clear()
    with pytest.raises(Locked, match="it was removed"):
        check_global(held)
    lfs_server.lock(held.name, "mallory")
    with pytest.raises(Locked, match="mallory has held it since"):
        check_global(held)
    release_global(held)
    assert [lock["owner"]["name"] for lock in lfs_server.locks.values()] == ["mallory"]


@client
def test_a_lock_that_cannot_be_freed_is_told(lfs_server: Any, one: Path) -> None:
    held = acquire_global(LfsSettings("require", lfs_server.url("alice")), one)
    assert held is not None
    lfs_server.keeps = True
    left = release_global(held)
    assert left is not None
    assert f"unlock --force --id={held.id}" in left
    assert "canary" not in left
    assert held.record.exists()


@client
def test_unsaved_changes_do_not_keep_the_lock(lfs_server: Any, one: Path) -> None:
    settings = LfsSettings("require", lfs_server.url("alice"), "prod/ensemble.yaml")
    held = acquire_global(settings, one)
    assert held is not None
    one.write_text("changed: 1\n")
    assert release_global(held) is None


@client
def test_names(lfs_server: Any, one: Path) -> None:
    url = lfs_server.url("alice")
    for name, expected in {
        "group1/$environment": "group1/production",
        "$ensemble_uri": "https/git.example.com/x.git/prod",
        "${local_lock_path}.global": "prod/ensemble.yaml.lock.global",
    }.items():
        held = acquire_global(
            LfsSettings("try", url, name),
            one,
            uri="https://me:canary@git.example.com/x.git:prod",
            environment="production",
        )
        assert held is not None
        assert held.name == expected


@pytest.mark.parametrize("name", ["$unknown", "$", "../x", "a//b", "$environment"])
def test_impossible_names(one: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        acquire_global(LfsSettings("try", "http://127.0.0.1:1/", name), one)


@client
def test_without_a_server(one: Path) -> None:
    notices: list[str] = []
    url = "http://alice:canary@127.0.0.1:1/lfs"
    assert acquire_global(LfsSettings("try", url), one, notice=notices.append) is None
    assert "no global lock" in notices[0]
    with pytest.raises(EnsembleError, match="requires the lock") as refused:
        acquire_global(LfsSettings("require", url), one)
    assert "canary" not in str(refused.value) + notices[0]


def test_without_a_repository(tmp_path: Path) -> None:
    file = tmp_path / "ensemble.yaml"
    assert acquire_global(LfsSettings("try"), file) is None
    with pytest.raises(EnsembleError, match="no git repository"):
        acquire_global(LfsSettings("require"), file)


def test_no_lock_is_the_default(one: Path) -> None:
    assert acquire_global(LfsSettings(), one) is None


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (None, LfsSettings()),
        ({}, LfsSettings()),
        ({"lock": False}, LfsSettings()),
        ({"lock": "require", "url": "u", "name": "n"}, LfsSettings("require", "u", "n")),
    ],
)
def test_settings(section: Any, expected: LfsSettings) -> None:
    assert lfs_lock.lfs_settings(section) == expected


@pytest.mark.parametrize("section", [[], "try", {"lock": "maybe"}, {"lock": True}, {"lokc": "try"}, {"url": 3}])
def test_wrong_settings(section: Any) -> None:
    with pytest.raises(InvalidInput):
        lfs_lock.lfs_settings(section)
