"""Atomic replacement and durable appending, with a full disk and refused rights."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.documents.atomic import append_durably, write_atomically


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_made_and_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    write_atomically(file, "one\r\né")
    assert file.read_bytes() == "one\r\né".encode()
    file.chmod(0o600)
    write_atomically(file, "two")
    assert file.read_text() == "two"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names(tmp_path) == ["a.yaml"]


@pytest.mark.parametrize(("umask", "asked", "mode"), [(0o077, 0o644, 0o600), (0o022, 0o600, 0o600)])
def test_a_new_file_minds_the_umask(tmp_path: Path, umask: int, asked: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(tmp_path / "a", "x", mode=asked)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    os.chown(file, 12345, 12346)
    write_atomically(file, "two")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 12346)


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    file = tmp_path / "real" / "a"
    file.write_text("one")
    link = tmp_path / "link"
    link.symlink_to(file)
    write_atomically(link, "two")
    assert link.is_symlink()
    assert file.read_text() == "two"


@pytest.mark.parametrize("step", ["fsync", "fchmod"])
@pytest.mark.parametrize(("code", "hint"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "who owns")])
def test_after_a_failure_the_old_file_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, code: int, hint: str
) -> None:
    file = tmp_path / "a"
    file.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(EnsembleError, match=os.strerror(code)) as caught:
        write_atomically(file, "new")
    assert hint in str(caught.value)
    assert file.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_an_interruption_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "a", "new")
    assert names(tmp_path) == []


def test_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    for path, message in [
        (tmp_path / "folder", "directory"),
        (tmp_path / "none" / "a", "make its folder first"),
        (tmp_path / "file" / "a", "directory"),
    ]:
        for write in (write_atomically, append_durably):
            with pytest.raises(EnsembleError, match=message):
                write(path, "x")
    with pytest.raises(EnsembleError, match="not Unicode"):
        write_atomically(tmp_path / "a", "\udc80")
    assert names(tmp_path) == ["file", "folder"]


def test_appending(tmp_path: Path) -> None:
    file = tmp_path / "jobs.tsv"
    append_durably(file, "one\n")
    append_durably(file, "two\n")
    assert file.read_text() == "one\ntwo\n"


def test_an_unfinished_line_does_not_swallow_the_next(tmp_path: Path) -> None:
    file = tmp_path / "jobs.tsv"
    file.write_text("one\ntw")
    append_durably(file, "three\n")
    assert file.read_text() == "one\ntw\nthree\n"


def test_an_append_that_fails_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "jobs.tsv"
    file.write_text("one\n")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(EnsembleError, match="free some space"):
        append_durably(file, "two\n")
    assert file.read_text() == "one\n"


def test_a_link_that_leads_to_itself_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(EnsembleError, match="loop cannot be written"):
        write_atomically(tmp_path / "loop", "x")
