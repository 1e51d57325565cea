"""Rules about a job's files and ids (docs/rules.md)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.commands import prepare_job, prepare_saved_plan
from ansible_ensemble.jobs.planned import make_plan as plan_of
from ansible_ensemble.jobs.replay import plan_replay
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.records.current import read_recovered
from tests.rules.test_rules import HERE, Case

TRIED_TWICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    web:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create: {implementation: {primary: 'mkdir tried || exit 0; exit 1', retries: 1, delay: 0}}
"""


@pytest.fixture
def web(tmp_path: Path) -> Case:
    return Case(HERE / "deploy" / "new", tmp_path / "case")


def record(folder: Path) -> dict:
    (file,) = (folder / "changes").glob("job*.yaml")
    return yaml.safe_load(file.read_text())


def test_a_job_leaves_its_records(web):
    report = web.run({})
    job = report["job"]["id"]
    (change,) = (web.folder / "changes").iterdir()
    assert change.name.startswith("job") and change.name.endswith(f"-{job[:8]}.yaml")
    assert {file.suffix for file in (web.folder / "jobs").iterdir()} >= {".yaml", ".jsonl"}
    lines = (web.folder / "jobs.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines if line.startswith(job[:8])] == [
        job,
        *(f"{job[:8]}000{n}" for n in (1, 2, 3)),
    ]


def test_each_task_is_a_config_change_with_an_id_of_its_job(web):
    job = web.run({})["job"]["id"]
    changes = record(web.folder)["changes"][1:]
    assert [change["changeId"] for change in changes] == [f"{job[:8]}000{n}" for n in (1, 2, 3)]
    assert [change["implementation"]["operation"] for change in changes] == ["create", "configure", "start"]


def test_what_git_does_not_keep_can_be_removed(web):
    web.run({})
    for name in ("jobs", "planned", "active/tasks"):
        shutil.rmtree(web.folder / name, ignore_errors=True)
    assert web.plan({})[1].empty
    assert web.run({"workflow": "undeploy"})["job"]["success"]
    assert web.log[-2:] == ["stop web", "delete web"]


def test_ids_of_later_jobs_sort_behind(web):
    first, second = web.run({})["job"]["id"], web.run({"workflow": "stop"})["job"]["id"]
    assert first < second


def test_a_task_that_is_tried_again_is_one_change(web):
    (web.folder / "service.yaml").write_text(TRIED_TWICE)
    job = web.run({})["job"]["id"]
    (change,) = record(web.folder)["changes"][1:]
    assert (change["changeId"], change.get("outcome")) == (f"{job[:8]}0001", None)
    lines = (web.folder / "jobs.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines if line.startswith(job[:8])] == [job, f"{job[:8]}0001"]


def test_a_replay_runs_a_sub_task_once(tmp_path):
    made = Case(HERE / "dynamic" / "python-class", tmp_path / "case")
    job = made.run({})["job"]["id"]
    changes = {change["implementation"]["operation"]: change for change in record(made.folder)["changes"][1:]}
    assert changes["Tool.twice"]["partOf"] == changes["configure"]["changeId"]
    options = JobOptions()
    ensemble = read_ensemble(made.location, options)
    plan = plan_replay(ensemble, [job], options)
    assert [operation.operation for operation in plan.operations if operation.instance == "made"] == [
        "create",
        "configure",
    ]
    alone = plan_replay(ensemble, [changes["Tool.twice"]["changeId"]], options)
    assert [operation.operation for operation in alone.operations] == ["twice"]


def test_an_instance_keeps_the_last_change_and_the_one_that_created_it(web):
    job = web.run({})["job"]["id"]
    instance = yaml.safe_load((web.folder / "ensemble.yaml").read_text())["status"]["instances"]["web"]
    assert instance["created"] == f"{job[:8]}0001"
    assert instance["lastConfigChange"] == f"{job[:8]}0003"


def test_what_is_read_is_recorded_for_change_detection(web):
    web.run({})
    configure = record(web.folder)["changes"][2]
    assert "::web::port" in configure["digestKeys"].split(",")


def test_a_job_that_finds_the_lock_taken_aborts(web):
    held = locks.acquire(web.folder / "ensemble.yaml", "deploy")
    try:
        assert (web.folder / "ensemble.yaml.lock").is_file()
        with pytest.raises(EnsembleError, match="lock"):
            prepare_job(str(web.folder / "service.yaml"), "deploy", {})
    finally:
        locks.release(held)
    assert not (web.folder / "ensemble.yaml.lock").exists()


def test_a_lock_is_of_one_ensemble(web, tmp_path):
    shutil.copytree(web.folder, tmp_path / "other")
    held = locks.acquire(web.folder / "ensemble.yaml", "deploy")
    try:
        with prepare_job(str(tmp_path / "other" / "service.yaml"), "deploy", {}) as job:
            assert job.document["summary"]["add"] == 1
    finally:
        locks.release(held)


def test_a_plan_changes_nothing(web):
    before = sorted(web.folder.rglob("*"))
    plan_of(str(web.folder / "service.yaml"), "deploy", {})
    assert sorted(web.folder.rglob("*")) == before


def test_a_dry_run_leaves_no_record_whoever_records_it(web):
    report = web.run({"options": {"check": True}})
    assert (report["job"]["success"], report["tasks"][0]["basis"]) == (True, "not-run")
    assert not any((web.folder / name).exists() for name in ("ensemble.yaml", "changes", "jobs.tsv"))
    web.run({})
    before = {path: path.read_text() for path in (web.folder / "ensemble.yaml", web.folder / "jobs.tsv")}
    report = web.run({"workflow": "undeploy", "options": {"check": True}})
    assert {path: path.read_text() for path in before} == before
    assert report["job"]["ensemble_status"] == "ok", "the status is what it is, and not what it would be"


@pytest.mark.parametrize("what", ["spec", "status", "inputs"])
def test_a_saved_plan_is_carried_out_or_stale(web, tmp_path, what):
    service = web.folder / "service.yaml"
    text = service.read_text()
    service.write_text(text.replace("topology_template:\n", "topology_template:\n  inputs: {size: {default: 1}}\n"))
    file = tmp_path / "plan.json"
    plan_of(str(service), "deploy", {}).save(file)
    with prepare_saved_plan(file, "deploy", {}) as job:
        assert [change["address"] for change in job.document["resource_changes"]] == ["web"]
    if what == "spec":
        service.write_text(service.read_text() + "    more: {type: App}\n")
    elif what == "status":
        web.run({})
    else:
        service.write_text(service.read_text().replace("default: 1", "default: 2"))
    with pytest.raises(EnsembleError, match="stale"):
        prepare_saved_plan(file, "deploy", {})


def test_two_plans_of_the_same_are_the_same(web):
    one, other = (plan_of(str(web.folder / "service.yaml"), "deploy", {}).document for _ in range(2))
    assert one == other


@pytest.mark.parametrize("save", [False, True])
def test_a_command_is_in_the_history_if_it_is_saved(web, save):
    web.run({})
    report = web.run({"workflow": "run", "options": {"command": ["echo hello"], "save": save}})
    assert [task["stdout"].strip() for task in report["tasks"]] == ["hello"]
    assert (report["job"]["id"] in (web.folder / "jobs.tsv").read_text()) == save


def test_a_job_that_lost_its_lock_leaves_its_journal_to_who_has_it_now(web):
    web.run({})
    with prepare_job(str(web.folder), "deploy", {}) as job:  # which has nothing to do
        locks.unlock(job._location.ensemble, job._lock.local.id)
        other = locks.acquire(job._location.ensemble, "undeploy")
        # a worker of the other job lives
        locks.adopt(other.path, other.id, pid=os.getppid())
        with pytest.raises(Locked, match=r"lost while the job ran: .* for undeploy since .*the next job records it"):
            job.finish()
        assert job.journal.is_file()
    assert locks.holds(other)
    locks.release(other)
    # its process is this one, which lives
    with pytest.raises(Locked, match=f"job {job.id} is still running without its lock"):
        web.plan({})
    text = job.journal.read_text()
    assert read_recovered(web.location, JobOptions(), write=False).warnings
    assert job.journal.read_text() == text
