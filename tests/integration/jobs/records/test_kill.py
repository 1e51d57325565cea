"""Kills of jobs that git has to do with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.jobs.processes import kill_all, wait_for, working_in
from tests.integration.jobs.records.repositories import git, is_sound, make_project
from tests.matrix import sampled


def test_a_killed_rollback_is_recorded_by_its_own_specification_and_inputs(command, start, tmp_path):
    project, slow = make_project(tmp_path / "project"), tmp_path / "slow"
    service = project / "service.yaml"
    service.write_text(
        service.read_text().replace('echo "$text"', f'test ! -e {slow} || sleep 60; echo "$text"')
        + "  outputs: {told: {value: {concat: [then, ' ', {get_input: text}]}}}\n"
    )
    git(project, "commit", "-qam", "an output")
    assert command("deploy", "--approve", "--commit", "--input", "text=given", cwd=project).code == 0
    [job] = json.loads(command("history", "--output", "json", cwd=project).stdout)["jobs"]
    service.write_text(service.read_text().replace("[then,", "[now,"))
    git(project, "commit", "-qam", "another output")
    assert command("deploy", "--approve", "--commit", "--reset-input", "text", cwd=project).code == 0
    assert json.loads(command("outputs", "--output", "json", cwd=project).stdout) == {"told": "now one"}

    slow.touch()
    start("rollback", job["change_id"], "--approve", cwd=project)
    wait_for(lambda: any("first" in path.read_text() for path in project.glob("jobs/*.journal")), "the operation")
    kill_all(project)
    wait_for(lambda: not working_in(project), "the end of all processes")
    done = command("recover", cwd=project)
    assert done.code == 0, done.output
    assert json.loads(command("outputs", "--output", "json", cwd=project).stdout) == {"told": "then given"}


@pytest.mark.parametrize("by", sampled(["recover", "deploy"], 2))
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
    wait_for(lambda: not working_in(project), "the end of all processes")
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
