"""History, rollback and replay: they end in what is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.records.repositories import git, make_project

DEPLOY = ("deploy", "--approve", "--commit")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


def jobs_of(command: Any, project: Path) -> list[dict[str, Any]]:
    return json.loads(command("history", "--output", "json", cwd=project).stdout)["jobs"]


def state(command: Any, project: Path) -> dict[str, Any]:
    """What is, free of change ids."""
    shown = json.loads(command("status", "--output", "json", cwd=project).stdout)
    kept = ("name", "template", "status", "state", "properties", "attributes")
    return {
        "instances": sorted(({k: i[k] for k in kept} for i in shown["instances"] if i["status"] != "absent"), key=str),
        "outputs": shown["outputs"],
        "files": {path.name: path.read_text() for path in project.glob("*.txt")},
    }


def test_rollback_ends_in_the_recorded_state(command, project):
    assert command(*DEPLOY, "--input", "text=given", cwd=project).code == 0
    before = state(command, project)
    service = project / "service.yaml"
    changed = service.read_text().replace("default: one}\n    interfaces", "default: two}\n    interfaces")
    service.write_text(changed + "    third: {type: Note}\n")
    git(project, "commit", "-qam", "two, and a third")
    assert command(*DEPLOY, "--reset-input", "text", cwd=project).code == 0
    later = state(command, project)
    assert later["files"] == {"first.txt": "one\n", "second.txt": "two\n", "third.txt": "two\n"}
    newest, oldest = jobs_of(command, project)

    done = command("rollback", oldest["change_id"], "--approve", "--commit", cwd=project)
    assert done.code == 0, done.output
    assert state(command, project) == before
    assert "git checkout" in done.output
    assert "service.yaml" in done.output
    # the files were not touched: the next deploy follows them, but the input lasts
    assert "third" in service.read_text()
    assert git(project, "status", "--porcelain") == ""
    assert command(*DEPLOY, "--reset-input", "text", cwd=project).code == 0
    assert state(command, project)["files"] == later["files"]
    # and back to the job in between, whose specification is the one in the files
    assert "git checkout" not in command("rollback", newest["change_id"], "--approve", cwd=project).output


def test_a_plan_to_go_back_is_saved_and_executed(command, project):
    assert command(*DEPLOY, "--input", "text=given", cwd=project).code == 0
    before = state(command, project)
    service = project / "service.yaml"
    service.write_text(service.read_text() + "    third: {type: Note}\n")
    git(project, "commit", "-qam", "a third")
    assert command(*DEPLOY, "--reset-input", "text", cwd=project).code == 0
    oldest = jobs_of(command, project)[-1]["change_id"]

    planned = command("plan", "--rollback", oldest, "--out", "back.json", cwd=project)
    assert planned.code == 0, planned.output
    assert "git checkout" in planned.output
    assert "third will be deleted" in planned.output
    assert state(command, project) != before, "a plan changes nothing"
    done = command("deploy", "back.json", cwd=project)
    assert done.code == 0, done.output
    assert state(command, project) == before


def test_a_saved_plan_names_no_commit_to_go_back_to(command, project):
    """Else whoever can change its file chooses what code runs, of all that was ever fetched."""
    assert command(*DEPLOY, cwd=project).code == 0
    [job] = jobs_of(command, project)
    assert command("plan", "--rollback", job["change_id"], "--force", "--out", "back.json", cwd=project).code == 0
    service = (project / "service.yaml").read_text()
    git(project, "checkout", "-q", "-b", "other")
    (project / "service.yaml").write_text(service.replace('echo "$text"', "echo foreign"))
    git(project, "commit", "-qam", "foreign")
    foreign = git(project, "rev-parse", "HEAD")
    git(project, "checkout", "-q", "-")
    plan = json.loads((project / "back.json").read_text())
    plan["options"]["revision"] = foreign
    (project / "back.json").write_text(json.dumps(plan))
    assert command("deploy", "back.json", cwd=project).code == 0
    assert (project / "first.txt").read_text() == "one\n"


def test_rollback_to_a_job_whose_specification_was_committed_with_it(command, project):
    service = project / "service.yaml"
    service.write_text(service.read_text().replace("default: one}\n    interfaces", "default: two}\n    interfaces"))
    assert command(*DEPLOY, "--dirty", "ok", cwd=project).code == 0
    # what was changed before the job is not the job's to commit
    assert git(project, "status", "--porcelain") == "M service.yaml"
    [job] = jobs_of(command, project)
    refused = command("rollback", job["change_id"], "--approve", cwd=project)
    assert refused.code == 3
    assert "is in no commit" in refused.stderr


@pytest.mark.parametrize(
    ("job", "message"),
    [("A6BKKsK50000", "no record of a job"), ("x", "no record of a job"), ("undeploy", "not a deploy")],
)
def test_jobs_that_cannot_be_gone_back_to(command, project, job, message):
    assert command(*DEPLOY, cwd=project).code == 0
    if job == "undeploy":
        assert command("undeploy", "--approve", cwd=project).code == 0
        job = jobs_of(command, project)[0]["change_id"]
    for words in (("rollback", job, "--approve"), ("plan", "--rollback", job)):
        refused = command(*words, cwd=project)
        assert refused.code == 3
        assert message in refused.stderr
    assert not (project / "ensemble.yaml.lock").exists()


def test_replay_reproduces_what_is_gone(command, project):
    assert command(*DEPLOY, "--input", "text=given", cwd=project).code == 0
    before = state(command, project)
    [job] = jobs_of(command, project)
    assert command("undeploy", "--approve", cwd=project).code == 0
    assert state(command, project)["files"] == {}

    done = command("replay", job["change_id"], "--approve", cwd=project)
    assert done.code == 0, done.output
    assert state(command, project) == before
    assert "2 added" in done.output
    assert "2 destroyed" in command("undeploy", "--approve", cwd=project).output


def test_replay_of_one_task_runs_it_with_its_recorded_inputs(command, project):
    assert command(*DEPLOY, "--input", "text=first time", cwd=project).code == 0
    assert command(*DEPLOY, "--input", "text=second time", cwd=project).code == 0
    job = jobs_of(command, project)[-1]["change_id"]
    tasks = json.loads(command("show", job, "--output", "json", cwd=project).stdout)["tasks"]
    [task] = [task["change_id"] for task in tasks if task["target"] == "::first"]
    assert (project / "first.txt").read_text() == "second time\n"
    assert command("replay", task, "--approve", cwd=project).code == 0
    assert (project / "first.txt").read_text() == "first time\n"


def test_what_cannot_be_replayed(command, project):
    service = project / "service.yaml"
    service.write_text(service.read_text().replace('echo "$text"', 'test $name = second && echo "$text"'))
    assert command("deploy", "--approve", cwd=project).code == 1
    [job] = jobs_of(command, project)
    tasks = json.loads(command("show", job["change_id"], "--output", "json", cwd=project).stdout)["tasks"]
    [failed] = [task["change_id"] for task in tasks if task["target"] == "::first"]
    refused = command("replay", failed, "--approve", cwd=project)
    assert refused.code == 3
    assert "did not succeed" in refused.stderr
    assert "there is no change" in command("replay", "A6BKKsK50001", "--approve", cwd=project).stderr
    # of a job, what succeeded is replayed
    done = command("replay", job["change_id"], "--approve", cwd=project)
    assert done.code == 0, done.output
    assert "1 operation" in done.output


def test_a_job_without_a_task_is_one_line(command, project):
    assert command(*DEPLOY, cwd=project).code == 0
    lines = (project / "jobs.tsv").read_text().splitlines()
    assert command(*DEPLOY, cwd=project).code == 0
    assert len((project / "jobs.tsv").read_text().splitlines()) == len(lines) + 1
    assert [job["tasks"] for job in jobs_of(command, project)] == [0, 2]
