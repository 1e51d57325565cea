"""Confinement of paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.paths import confine, folder_name


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    (tmp_path / "project-other").mkdir()
    (tmp_path / "allowed").mkdir()
    (project / "out").symlink_to(tmp_path)
    (project / "in").symlink_to(project / "sub")
    (project / "loop").symlink_to(project / "loop")
    return project


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.yaml", "sub/a.yaml"),
        ("../a.yaml", "a.yaml"),
        (".", "sub"),
        ("..", "."),
        ("../in/x", "sub/x"),
        ("../out/project/x", "x"),
        ("../out/allowed/x", "../allowed/x"),
    ],
)
def test_inside(project: Path, path: str, found: str) -> None:
    roots = [project, project.parent / "allowed"]
    assert confine(path, project / "sub", roots, "the file") == (project / found).resolve()


@pytest.mark.parametrize(
    "path",
    [
        "../..",
        "../../x",
        "/etc/passwd",
        "../out/x",
        "../../project-other/x",
        "",
        "a\0b",
        "x" * 5000,
        "\udc80\ud800",
        "../loop",
    ],
)
def test_outside(project: Path, path: str) -> None:
    with pytest.raises(InvalidInput, match="the artifact") as caught:
        confine(path, project / "sub", [project], "the artifact", Place("a.yaml", 3, 4))
    assert caught.value.place == Place("a.yaml", 3, 4)


def test_different_names_have_different_folders() -> None:
    names = ["a/b", "a%2Fb", "a%252Fb"]
    assert len({folder_name(name) for name in names}) == 3
