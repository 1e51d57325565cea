"""A plan shows how a text has changed that an operation read, by what git has of it; never a secret."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.core.sensitive import may_show
from ansible_ensemble.ensembles.revisions import current_text, earlier_text

GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def commit(folder: Path, text: str) -> None:
    (folder / "site.txt").write_text(text)
    subprocess.run([*GIT, "add", "."], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "-qm", "x"], cwd=folder, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for text in ("one\n", "two\n", "key: 1\npassword: x\n"):
        commit(tmp_path, text)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "found"),
    [("one\n", "one\n"), ("two\n", "two\n"), ("never\n", None), ("key: 1\npassword: x\n", None)],
)
def test_it_is_found_by_its_digest(repository: Path, text: str, found: str | None):
    assert earlier_text(repository / "site.txt", digest(text)) == found


def test_without_git_there_is_none(tmp_path: Path):
    (tmp_path / "site.txt").write_text("one\n")
    assert earlier_text(tmp_path / "site.txt", digest("one\n")) is None


@pytest.mark.parametrize(
    "text",
    ["$ANSIBLE_VAULT;1.1;AES256\n61\n", "a\0b", "  db_password: x\n", "- token = x\n", '{"api_key": 1}', "x" * 60_000],
)
def test_what_may_hold_a_secret_is_not_shown(tmp_path: Path, text: str):
    assert not may_show(text)
    (tmp_path / "f").write_text(text)
    assert current_text(tmp_path / "f") is None


def test_other_texts_are_shown(tmp_path: Path):
    (tmp_path / "f").write_text("port {{ port }}\npasswordless: true\n")
    assert current_text(tmp_path / "f") == "port {{ port }}\npasswordless: true\n"
    assert current_text(tmp_path / "none") is None
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    assert current_text(tmp_path / "b") is None
