"""A kill between the record of a job and its commit: what git had locked is freed by the next job, or by `recover`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.jobs.records.repositories import git, is_sound, make_project
from tests.integration.jobs.test_crash import kill_all, processes_in, wait_for


@pytest.mark.parametrize("by", ["deploy", "recover"])
def test_what_is_recorded_is_committed_by_the_next_job(command, start, tmp_path, by):
    project = make_project(tmp_path / "project")
    began = tmp_path / "began"
    hook: Path = project / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {began}\nsleep 60\n")
    hook.chmod(0o755)
    start("deploy", "--approve", "--commit", cwd=project)
    wait_for(began.exists, "the commit to begin")
    kill_all(project)
    wait_for(lambda: not processes_in(project), "the end of all processes")
    hook.unlink()

    assert is_sound(project)
    assert git(project, "log", "--format=%s") == "start"
    assert "No changes." in command("plan", cwd=project).output
    assert (project / ".git" / "index.lock").exists()
    assert not command("plan", cwd=project).output.count("index.lock")
    if by == "recover":
        assert "Removed .git/index.lock" in command("recover", cwd=project).output
        assert "nothing to recover" in command("recover", cwd=project).output
    done = command("deploy", "--approve", "--commit", cwd=project)
    assert ("Removed .git/index.lock" in done.output) == (by == "deploy"), done.output
    assert done.code == 0, done.output
    assert is_sound(project)
    assert git(project, "status", "--porcelain") == ""
    assert len(git(project, "ls-files", "changes").splitlines()) == 2
