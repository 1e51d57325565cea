"""Jobs that are killed, interrupted or raced."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.processes import kill_all, wait_for, working_in
from tests.integration.jobs.records.repositories import git, make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ensemble"
    folder.mkdir()
    return folder


def test_after_a_kill_what_finished_does_not_run_again(command, start, folder):
    (folder / "service.yaml").write_text(service(12, seconds=0.3))
    start("deploy", "--approve", "--jobs", "3", "service.yaml", cwd=folder)
    wait_for(lambda: len(noted(folder)) >= 4, "four nodes")
    kill_all(folder)
    wait_for(lambda: not working_in(folder), "the end of all processes")
    finished = [line.split()[1] for line in noted(folder)]

    shown = command("status", "--output", "json", "service.yaml", cwd=folder)
    unknown = [i["name"] for i in json.loads(shown.stdout)["instances"] if i["status"] == "unknown"]
    assert 1 <= len(unknown) <= 3

    again = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert again.code == 0, again.output
    assert all(f"{name}:Standard.create" in again.output for name in unknown)
    assert "was killed" in again.output
    began = [line.split()[1] for line in noted(folder, "begin")]
    repeated = {name for name in began if began.count(name) > 1}
    assert repeated <= set(unknown)
    # what a command did between its last line and our note of it cannot be known: only that may come twice
    assert len(set(finished) & repeated) <= 3
    assert command("deploy", "--approve", "service.yaml", cwd=folder).output.count("No changes.") == 1


CHECKED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Checked:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard: {operations: {create: echo create >> log}}
      Install:
        operations:
          check: 'echo checked >> log; test -e held || exit 0; touch began; while test -e held; do sleep 0.05; done'
topology_template:
  node_templates:
    a: {type: Checked}
    b: {type: Checked, requirements: [{dependency: a}]}
"""


def test_after_a_kill_of_a_check_nothing_is_known_worse_and_the_next_command_goes_on(command, start, folder):
    (folder / "service.yaml").write_text(CHECKED)
    assert command("deploy", "--approve", "service.yaml", cwd=folder).code == 0
    before = json.loads(command("status", "--output", "json", "service.yaml", cwd=folder).stdout)["instances"]
    (folder / "held").touch()
    start("check", "service.yaml", cwd=folder)
    wait_for(lambda: (folder / "began").exists(), "a check to begin")
    kill_all(folder)
    wait_for(lambda: not working_in(folder), "the end of all processes")
    (folder / "held").unlink()
    after = json.loads(command("status", "--output", "json", "service.yaml", cwd=folder).stdout)["instances"]
    assert [(one["name"], one["state"]) for one in after] == [(one["name"], one["state"]) for one in before]
    checked = command("check", "--output", "json", "service.yaml", cwd=folder)
    assert checked.code == 0, checked.output
    report = json.loads(checked.stdout)
    assert [(one["instance"], one["target_status"]) for one in report["tasks"]] == [("a", "ok"), ("b", "ok")]
    again = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert again.code == 0 and "No changes." in again.output, again.output
    assert (folder / "log").read_text().count("create") == 2


def test_two_ensembles_that_read_each_other_lose_nothing_at_once(command, start, tmp_path):
    project = make_project(tmp_path / "project", service(6, seconds=0.2))
    read = "  outputs: {own: {value: here}, theirs: {value: {eval: {external: other}, select: 'outputs::own'}}}\n"
    for name, other in (("one", "two"), ("two", "one")):
        (project / name).mkdir()
        (project / name / "service.yaml").write_text(service(6, seconds=0.2) + read)
        (project / name / "ensemble.yaml").write_text(
            "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
            f"environment: {{external: {{other: {{manifest: {{file: ../{other}/ensemble.yaml}}}}}}}}\n"
        )
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Two")
    jobs = [start("deploy", "--approve", "--commit", cwd=project / name) for name in ("one", "two")]
    outputs = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], outputs
    for name in ("one", "two"):
        folder = project / name
        assert sorted(noted(folder)) == [f"create n{number}" for number in range(6)]
        status = json.loads(command("status", "--output", "json", cwd=folder).stdout)
        assert [one["status"] for one in status["instances"]] == ["ok"] * 6
        assert "No changes." in command("plan", cwd=folder).output
        assert command("outputs", "--raw", "theirs", cwd=folder).stdout.strip() == "here"
        assert git(project, "status", "--porcelain", "--", f"{name}/ensemble.yaml", f"{name}/changes") == ""
        told = git(project, "log", "--format=%s", "--", f"{name}/ensemble.yaml").splitlines()
        assert len([line for line in told if line.startswith("Deploy A")]) == 1


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_lets_end_what_runs_and_records_and_commits_it(command, start, tmp_path, number, code):
    folder = make_project(tmp_path / "project", service(8, seconds=0.6))
    job = start("deploy", "--approve", "--commit", "--jobs", "2", cwd=folder)
    wait_for(lambda: len(noted(folder, "begin")) >= 2, "two nodes to begin")
    job.send_signal(number)
    output, _ = job.communicate()
    assert job.returncode == code, output
    began, ended = noted(folder, "begin"), noted(folder)
    assert sorted(began) == sorted(ended)
    assert len(ended) < 8
    assert not (folder / "ensemble.yaml.lock").exists()
    status = json.loads(command("status", "--output", "json", cwd=folder).stdout)
    assert sorted(f"create {i['name']}" for i in status["instances"] if i["status"] == "ok") == sorted(ended)
    assert "No changes." not in command("plan", cwd=folder).output
    assert git(folder, "log", "-1", "--format=%s").startswith("Deploy A"), output
    assert git(folder, "status", "--porcelain") == ""


def test_a_second_job_is_told_who_holds_the_lock_since_when(command, start, folder):
    (folder / "service.yaml").write_text(service(2, seconds=3))
    job = start("deploy", "--approve", "service.yaml", cwd=folder)
    wait_for(lambda: noted(folder, "begin"), "the first job to begin")
    second = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert second.code == 4
    assert f"process {job.pid}" in second.stderr
    assert "for deploy since 2" in second.stderr
    assert job.wait() == 0
    assert len(noted(folder)) == 2
    assert command("deploy", "--approve", "service.yaml", cwd=folder).code == 0


def test_eight_jobs_at_once_run_one_at_a_time(start, folder):
    (folder / "service.yaml").write_text(service(3, seconds=0.1))
    jobs = [start("deploy", "--approve", "--lock-timeout", "120", "service.yaml", cwd=folder) for _ in range(8)]
    outputs = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0] * 8, outputs
    assert sorted(noted(folder)) == ["create n0", "create n1", "create n2"]
    lines = (folder / "jobs.tsv").read_text().splitlines()
    assert sum("workflow=deploy" in line for line in lines) == 8


def test_a_job_whose_lock_is_removed_ends_in_order_and_keeps_others_out_until_then(command, start, folder):
    (folder / "service.yaml").write_text(
        service(2, chain=True).replace("sleep 0.0", "until test -e go; do sleep 0.05; done")
    )
    job = start("deploy", "--approve", "service.yaml", cwd=folder)
    wait_for(lambda: noted(folder, "begin"), "the job to begin")
    held = json.loads((folder / "ensemble.yaml.lock").read_text())["ID"]
    assert command("unlock", held, cwd=folder).code == 0
    other = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert (other.code, noted(folder)) == (4, [])
    assert "is still running without its lock" in other.stderr
    [journal] = (folder / "jobs").glob("*.journal")
    wait_for(lambda: '"stopping"' in journal.read_text(), "the job to notice")
    (folder / "go").touch()
    output, _ = job.communicate()
    assert job.returncode == 4, output
    assert "Stopping, the lock was lost while the job ran: " in output
    assert "waiting for n0: create" in output
    assert noted(folder, "begin") == noted(folder) == ["create n0"]
    assert not list((folder / "jobs").glob("*.journal"))
    done = command("deploy", "--approve", "service.yaml", cwd=folder)
    assert done.code == 0, done.output
    assert noted(folder) == ["create n0", "create n1"]
