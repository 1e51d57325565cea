"""A release whose parts do not agree is not made, and a commit whose subject is too long is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RELEASED = {
    "galaxy.yml": "version: 1.2.0\n",
    "python/ansible_ensemble/__init__.py": '__version__ = "1.2.0"\n',
    "changelogs/changelog.yaml": "releases: {1.2.0: {}}\n",
    "CHANGELOG.md": "## v1\\.2\\.0\n",
    "plugins/modules/lock.py": "version_added: 1.2.0\n",
    "execution-environment.yml": "- name: tosca-ensemble-1.2.0.tar.gz\n- src: tosca-ensemble-1.2.0.tar.gz\n",
}


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("galaxy.yml", None, ""),
        ("galaxy.yml", "version: 1.3.0\n", "the package has version 1.2.0, the collection 1.3.0"),
        ("changelogs/changelog.yaml", "releases: {}\n", "has no release 1.2.0"),
        ("CHANGELOG.md", "## v1.1.0\n", "no heading v1.2.0"),
        (
            "execution-environment.yml",
            "name: tosca-ensemble-1.1.0.tar.gz\n",
            "is not about tosca-ensemble-1.2.0.tar.gz",
        ),
        ("changelogs/fragments/new.yml", "bugfixes: [x]\n", "1 that are in no release, such as new.yml"),
        ("plugins/modules/lock.py", "version_added: 1.10.0\n", "lock.py is of version 1.10.0"),
    ],
)
def test_what_a_release_has_to_agree_in(
    repository: Path, tmp_path: Path, file: str, text: str | None, fault: str
) -> None:
    for name, content in {**RELEASED, **({} if text is None else {file: text})}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    command = [sys.executable, repository / "tests" / "release" / "check.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, fault in done.stderr) == (int(text is not None), True), done.stderr


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("a" * 72 + "\n\n" + "b" * 90, 0),
        ("\n# a comment\n" + "ä" * 72, 0),
        ("a" * 73, 1),
        ("fixup! " + "a" * 72, 0),
    ],
)
def test_a_subject_has_72_characters(repository: Path, tmp_path: Path, message: str, code: int) -> None:
    (tmp_path / "message").write_text(message)
    done = subprocess.run([repository / "tests" / "commits" / "check", tmp_path / "message"])
    assert done.returncode == code
