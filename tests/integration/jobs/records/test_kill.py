"""A kill between the record of a job and its commit."""

from __future__ import annotations

from pathlib import Path

from tests.integration.jobs.records.repositories import git, is_sound, make_project
from tests.integration.jobs.test_crash import kill_all, processes_in, wait_for


def test_what_is_recorded_is_committed_by_the_next_job(command, start, tmp_path):
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
    (project / ".git" / "index.lock").unlink(missing_ok=True)
    done = command("deploy", "--approve", "--commit", cwd=project)
    assert done.code == 0, done.output
    assert is_sound(project)
    assert git(project, "status", "--porcelain") == ""
    assert len(git(project, "ls-files", "changes").splitlines()) == 2
