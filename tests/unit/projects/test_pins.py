from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.projects import git
from ansible_ensemble.projects.pins import check_pins, pins, tool_versions


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def repository(folder: Path) -> Path:
    folder.mkdir()
    git.init_repository(folder)
    git.commit(folder, [write(folder / "ensemble.yaml", "a: 1\n"), write(folder / "template.yaml", "a: 1\n")], "start")
    return folder


@pytest.fixture
def roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return {"self": repository(tmp_path / "own"), "types": repository(tmp_path / "types")}


def check(section: Any, roots: dict[str, Path]) -> None:
    own = roots["self"]
    check_pins(section, roots, [own / "ensemble.yaml", own / "changes"], own / "ensemble.yaml", {})


def test_the_section(roots: dict[str, Path]) -> None:
    section = pins(roots, {})
    assert section["runtime"]["ansible-ensemble"]["version"] == tool_versions()["ansible-ensemble"]
    assert section["repositories"][0]["name"] == "self"
    assert section["repositories"][0]["commit"] == git.head(roots["self"])
    assert section["repositories"][0]["url"].startswith("git-local://")


def test_the_same_is_accepted_and_the_job_own_commits_do_not_count(roots: dict[str, Path]) -> None:
    section, own = pins(roots, {}), roots["self"]
    check(section, roots)
    git.commit(own, [write(own / "ensemble.yaml", "b: 1\n"), write(own / "changes" / "a.yaml", "x")], "a job")
    write(own / "ensemble.yaml", "c: 1\n")
    check(section, roots)


def _other_commit(roots: dict[str, Path]) -> None:
    git.commit(roots["types"], [write(roots["types"] / "template.yaml", "b: 1\n")], "newer")


def _dirty(roots: dict[str, Path]) -> None:
    write(roots["types"] / "template.yaml", "b: 1\n")


def _own_commit(roots: dict[str, Path]) -> None:
    git.commit(roots["self"], [write(roots["self"] / "template.yaml", "b: 1\n")], "newer")


def _own_dirty(roots: dict[str, Path]) -> None:
    write(roots["self"] / "template.yaml", "b: 1\n")


def _missing(roots: dict[str, Path]) -> None:
    del roots["types"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_other_commit, "'types' is at"),
        (_dirty, "'types' has uncommitted changes"),
        (_own_commit, r"template\.yaml differs"),
        (_own_dirty, r"template\.yaml differs"),
        (_missing, "'types' is missing"),
    ],
)
def test_what_differs_is_named(roots: dict[str, Path], change: Any, message: str) -> None:
    section = pins(roots, {})
    change(roots)
    with pytest.raises(InvalidInput, match=message):
        check(section, roots)


def test_another_repository_of_the_same_name(roots: dict[str, Path]) -> None:
    section = pins(roots, {})
    section["repositories"][1]["initial"] = "0" * 40
    with pytest.raises(InvalidInput, match="another repository"):
        check(section, roots)


def test_a_commit_that_is_unknown_here(roots: dict[str, Path]) -> None:
    section = pins(roots, {})
    section["repositories"][0]["commit"] = "0" * 40
    with pytest.raises(InvalidInput, match="is not in the ensemble's repository"):
        check(section, roots)


def test_other_tools(roots: dict[str, Path]) -> None:
    section = pins(roots, {})
    section["runtime"]["ansible-core"]["version"] = "1.0"
    section["runtime"]["unfurl"] = {"version": "1.2.0"}
    with pytest.raises(InvalidInput, match=r"ansible-core is .*, but the lock section has 1\.0"):
        check(section, roots)


@pytest.mark.parametrize("section", [None, "x", []])
def test_nothing_is_locked(roots: dict[str, Path], section: Any) -> None:
    with pytest.raises(InvalidInput, match="nothing is locked"):
        check(section, roots)
