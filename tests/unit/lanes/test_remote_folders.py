"""Folders for modules' files are made as core's commands make them, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.lanes.remote_folders import Folders


@pytest.fixture
def made(tmp_path: Path) -> tuple[Folders, Path]:
    folders = Folders()
    parent = tmp_path / "above" / "tmp"
    assert folders.carry_out("make", str(parent), "one") == f"one={parent}/one\n".encode()
    return folders, parent / "one"


def test_folders_are_the_users_own(made: tuple[Folders, Path]) -> None:
    folders, path = made
    assert [folder.stat().st_mode & 0o777 for folder in (path, path.parent, path.parent.parent)] == [0o700] * 3
    assert folders.carry_out("make", str(path.parent), "one") is None, "it is there"


def test_a_file_is_written_part_by_part(made: tuple[Folders, Path]) -> None:
    folders, path = made
    file = path / "file"
    for start, part in ((0, b"one"), (3, b"part that is written again"), (3, b"two")):
        assert folders.put(str(file), start, part, 0o640)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"onetwo", 0o640)
    assert folders.carry_out("open", str(path), str(file)) == b""
    assert file.stat().st_mode & 0o777 == 0o740
    assert folders.carry_out("remove", f"{path}/") == b""
    assert not path.exists()


def test_what_was_not_made_here_is_left_to_the_command(made: tuple[Folders, Path], tmp_path: Path) -> None:
    folders, path = made
    (tmp_path / "other").mkdir()
    assert folders.carry_out("remove", str(tmp_path / "other")) is None
    assert not folders.put(str(tmp_path / "other" / "file"), 0, b"", 0o600)
    assert not folders.put(str(path / "no" / "file"), 0, b"", 0o600)
    assert not folders.put(str(path / "no file"), 3, b"", 0o600), "its first part is missing"
    assert folders.carry_out("open", str(path / "nothing")) is None
    assert (tmp_path / "other").exists()


def test_a_tree_is_left_to_the_command(made: tuple[Folders, Path]) -> None:
    folders, path = made
    (path / "inner").mkdir()
    assert folders.carry_out("remove", str(path)) is None
    assert path.exists()


def test_what_is_left_goes_at_the_end(made: tuple[Folders, Path]) -> None:
    folders, path = made
    (path / "inner").mkdir()
    folders.end()
    assert not path.exists()
    assert path.parent.exists()
