"""Git's settings that a strange repository includes from other files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ansible_ensemble.projects.git import dirty_files, run_git

pytestmark = pytest.mark.usefixtures("nothing_trusted")


@pytest.mark.parametrize("section", ["[include]", '[includeIf "gitdir:/"]', '[includeIf "onbranch:main"]', "[Include]"])
def test_included_settings_are_read_and_run_nothing(tmp_path: Path, section: str) -> None:
    root, ran = tmp_path / "stranger", tmp_path / "ran"
    subprocess.run(["git", "init", "-q", "-b", "main", root], check=True)
    (root / ".gitattributes").write_text("*.txt filter=evil diff=evil\n")
    (root / "a.txt").write_text("a")
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"], cwd=root, check=True
    )
    (root / ".git" / "more").write_text(
        f'[core]\n\tfsmonitor = touch {ran}\n[filter "evil"]\n\tclean = touch {ran}\n\trequired\n'
        f'[diff "evil"]\n\ttextconv = touch {ran}\n[alias]\n\tstatus = !touch {ran}\n'
    )
    with (root / ".git" / "config").open("a") as file:
        file.write(f"{section}\n\tpath = more\n")
    (root / "a.txt").write_text("b")
    assert dirty_files(root) == ["a.txt"]
    assert run_git(root, "diff", "--name-only")[:2] == (0, "a.txt\n")
    assert not ran.exists()
