"""Ensembles of users of Unfurl that met a fault, which may lie beside the project, a folder for each."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

#: Folder -> the commands in turn: their words, the exit code, and what is shown.
CASES: dict[str, list[tuple[str, int, str]]] = {
    "stub-types-pretend": [("deploy -y", 3, "there is no chart .bitnami/mysql"), ("status", 0, "No instances")],
    "unfurl-status-change-blind": [("plan", 0, "word: hello -> bye")],
    "sensitive-property-as-attribute": [("deploy -y", 0, r"pw: +\(sensitive value\)"), ("plan", 0, "No changes")],
    "explicit-error-exit-0": [("deploy -y", 1, "1 failed, 1 blocked"), ("status", 0, r"a +error")],
    "optional-failure-blocks": [("deploy -y", 0, "1 added"), ("deploy -y", 0, "nothing to do")],
    "run-module-short-name": [
        ("run -y --module ping", 0, "pong"),
        ("run -y --module command -- echo hello", 0, "hello"),
    ],
    "workflow-on-failure": [
        ("deploy -y service.yaml", 0, "2 added"),
        ("run -y --workflow release --input version=bad", 0, "Release complete"),
    ],
    "directory-digest": [
        ("deploy -y", 0, "added"),
        ("CHANGE d/f", 0, ""),
        ("plan", 0, r"(?s)viaabspath will.*viafile will.*viafilter will.*artifact will"),
    ],
    "environment-rules": [("deploy -y", 0, "1 added")],
    "result-variables": [("deploy -y", 0, "added")],
    "reverse-read": [("deploy -y", 0, "added")],
    "select-undeclared": [("deploy -y net", 0, "added"), ("deploy -y", 0, "added")],
    "inventory-group": [("deploy -y", 0, "added"), ("query ::*::o", 0, r"seen \['g'\]")],
    "playbook-variables": [("deploy -y", 0, "4 added"), ("query ::inventory_input::h", 0, "h1")],
}


@pytest.fixture
def cases(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of the folder of a case."""
    folder = REPOSITORY.parent / "shared" / "repro" / "unfurl"
    if not folder.is_dir():
        pytest.skip("the folder of cases of Unfurl's users is not here")

    def copy(name: str) -> Path:
        work = ("active", "changes.tmp", "jobs", "planned")
        shutil.copytree(folder / name, tmp_path / name, ignore=shutil.ignore_patterns(*work))
        return tmp_path / name

    return copy


@pytest.mark.parametrize("name", CASES)
def test_a_case(command: Callable[..., Any], cases: Callable[[str], Path], name: str) -> None:
    folder = cases(name)
    for words, code, shown in CASES[name]:
        if words.startswith("CHANGE "):
            (folder / words.split()[1]).write_text("something else\n")
            continue
        done = command(*words.split(), cwd=folder)
        assert done.code == code, done.output
        assert re.search(shown, done.output), done.output


def test_forms_of_the_dialect_load(command: Callable[..., Any], cases: Callable[[str], Path]) -> None:
    folder = cases("load")
    for file in sorted(folder.glob("*.yaml")):
        if file.name != "parts.yaml":
            done = command("plan", file.name, cwd=folder)
            assert done.code == 0, file.name + done.output
            (folder / "ensemble.yaml").unlink(missing_ok=True)
