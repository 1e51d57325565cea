"""A look of a shell at a path."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.configurators.looks import FOLDER, Look, looking, seen_by


def look(path: str, folder: Path, *, deep: bool = False) -> Look:
    command = looking(path, deep=deep)
    done = subprocess.run(command, cwd=folder, env={"HOME": str(folder)}, capture_output=True, text=True, check=True)
    seen = seen_by(done.stdout.rstrip("\n"))
    assert seen is not None
    return seen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a folder/inside/deep").mkdir(parents=True)
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("a folder")
    (tmp_path / "broken").symlink_to("nowhere")
    return tmp_path


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("@/file", "@/file"),
        ("@/a folder/new/b", "@/a folder"),
        ("@/link/new", "@/link"),
        ("@/broken", "@/broken"),
        ("@/file/below", "@/file"),
        ("a folder/new", "a folder"),
        ("file", "file"),
        ("new", "."),
        ("new/b", "."),
        ("-n", "."),
        ("../new/b", ".."),
        ("/", "/"),
        ("/no such/thing", "/"),
        ("/no such thing", "/"),
        ("~/new", "@"),
    ],
)
def test_what_exists_of_a_path(folder: Path, path: str, near: str) -> None:
    seen = look(path.replace("@", str(folder)), folder)
    assert seen.near == near.replace("@", str(folder))
    assert seen.path == path.replace("@", str(folder)).replace("~", str(folder))


def test_what_it_is(folder: Path) -> None:
    assert look(f"{folder}/link", folder).digest == FOLDER
    assert look(f"{folder}/file", folder).digest == look("file", folder).digest != ""
    assert look(f"{folder}/broken", folder).digest == ""
    assert look(f"{folder}/link/inside", folder).real == f"{folder}/a folder/inside"
    assert look(f"{folder}/link/new/b", folder).real == f"{folder}/a folder/new/b"
    assert look("link", folder).inside == {"link/inside"}
    assert look("a folder", folder, deep=True).inside == {"a folder/inside", "a folder/inside/deep"}
