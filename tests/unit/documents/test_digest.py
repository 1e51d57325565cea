"""Digests of files and folders."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.digest import digest_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "a").write_text("a")
    (folder / "sub" / "b").write_text("b")
    (folder / "link").symlink_to("a")
    return folder


def test_a_file(folder: Path) -> None:
    assert digest_path(folder / "a") == hashlib.sha256(b"a").hexdigest()


def test_a_copy_has_the_same_digest(folder: Path) -> None:
    copy = folder.parent / "two"
    shutil.copytree(folder, copy, symlinks=True)
    (copy / ".git" / "HEAD").write_text("x")
    (copy / "sub" / "__pycache__").mkdir()
    (copy / "sub" / "__pycache__" / "b.pyc").write_text("x")
    assert digest_path(copy) == digest_path(folder)


def swap(folder: Path) -> None:
    (folder / "a").write_text("b")
    (folder / "sub" / "b").write_text("a")


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "sub" / "b").write_text("c"),
        lambda folder: (folder / "a").rename(folder / "c"),
        lambda folder: (folder / "a").chmod(0o755),
        lambda folder: (folder / "new").write_text(""),
        lambda folder: (folder / "link").unlink(),
        lambda folder: (folder / "folder-link").symlink_to("sub"),
        swap,
    ],
)
def test_each_change_is_seen(folder: Path, change: Callable[[Path], object]) -> None:
    before = digest_path(folder)
    change(folder)
    assert digest_path(folder) != before


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="cannot be read"):
        digest_path(tmp_path / "none")
