"""Looking and mending as the collection's modules ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.jobs import upkeep
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.git import init_repository
from ansible_ensemble.records.journals import create_journal
from tests.unit.engine.entries import finished, job_started, started

JOB = "A6BKKsK50000"
SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    app: {type: tosca.nodes.Root}
    db: {type: tosca.nodes.Root}
"""


@pytest.fixture
def service(tmp_path: Path) -> str:
    (tmp_path / "service.yaml").write_text(SERVICE)
    return str(tmp_path / "service.yaml")


def leave_killed_job(folder: Path) -> None:
    journal = create_journal(folder, JOB, {})
    made = {"name": "db", "template": "db", "status": "ok", "created": "A6BKKsK50001"}
    entries = (
        job_started(job=JOB),
        *(started("db:create"), finished("db:create", changed=True, host="localhost", patches=(made,))),
        started("app:create"),
    )
    for entry in entries:
        journal.append(entry.to_json())
    journal.close()


def test_a_killed_job_is_recovered_once(tmp_path: Path, service: str) -> None:
    leave_killed_job(tmp_path)
    found = upkeep.recover(service, options={}, action=None)
    assert (found["changed"], found["job"]["id"], found["job"]["outcome"]) == (True, JOB, "interrupted")
    assert [(one["instance"], one["status"]) for one in found["operations"]] == [("db", "ok"), ("app", "interrupted")]
    assert found["hosts"] == {"localhost": {"ok": 1, "changed": 1, "unreachable": 0, "failed": 0}}
    assert upkeep.recover(service, options={}, action=None) == {"changed": False, "notes": []}


@pytest.mark.parametrize("within", ["", "sites/web"])
def test_a_job_of_awx_tells_paths_of_the_repository(tmp_path: Path, within: str, monkeypatch) -> None:
    monkeypatch.setenv("JOB_ID", "42")
    monkeypatch.setenv("AWX_HOST", "https://awx.example")
    folder = tmp_path / within
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ensemble-project.yaml").write_text("environments: {}\n")
    (folder / "service.yaml").write_text(SERVICE)
    init_repository(tmp_path)
    leave_killed_job(folder)
    job = upkeep.recover(str(folder / "service.yaml"), options={}, action=None)["job"]
    assert job["ensemble"] == str(Path(within, "ensemble.yaml"))
    assert Path(job["record"]).parent == Path(within, "changes")
    assert (tmp_path / job["record"]).is_file()


def test_only_the_lock_that_is_meant_is_removed(tmp_path: Path, service: str) -> None:
    held = locks.acquire(tmp_path / "ensemble.yaml", "deploy")
    with pytest.raises(UsageError, match="that is not the lock's id"):
        upkeep.unlock(service, lock_id="0", options={}, action=None)
    assert upkeep.unlock(service, lock_id=held.id, options={}, action=None) == {"changed": True}
    assert upkeep.unlock(service, lock_id=held.id, options={}, action=None) == {"changed": False}


def test_a_dry_run_of_an_adoption_tells_what_it_would_do_and_what_is_wrong(tmp_path: Path, service: str) -> None:
    would = upkeep.adopt(service, instance="db", attributes={}, options={}, check=True, action=None)
    assert (would["changed"], would["adopted"]) == (True, "db")
    with pytest.raises(InvalidInput, match='has no attribute "nothing"'):
        upkeep.adopt(service, instance="db", attributes={"nothing": 1}, options={}, check=True, action=None)
    assert [path.name for path in tmp_path.iterdir()] == ["service.yaml"]


def test_what_hosts_others_is_not_forgotten_alone(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    hosted = "app: {type: tosca.nodes.SoftwareComponent, requirements: [{host: db}]}"
    file.write_text(
        SERVICE.replace("app: {type: tosca.nodes.Root}", hosted).replace(
            "db: {type: tosca.nodes.Root}", "db: {type: tosca.nodes.Compute}"
        )
    )
    for name in ("db", "app"):
        upkeep.adopt(str(file), instance=name, attributes={}, options={}, check=False, action=None)
    with pytest.raises(InvalidInput, match='"db" hosts app'):
        upkeep.forget(str(tmp_path), instances=["db"], options={}, check=True, action=None)
    done = upkeep.forget(str(tmp_path), instances=["app", "db", "gone"], options={}, check=False, action=None)
    told = "not recorded, so there is nothing to forget of them: gone"
    assert done == {"changed": True, "forgotten": ["app", "db"], "warnings": [told]}
