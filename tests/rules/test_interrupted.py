"""Jobs that were killed within a known operation: what runs again, and what of it a check in between may change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.execution import workers
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.records.journals import OPEN, RECORDED
from tests.rules.test_recovery import events_of, line
from tests.rules.test_rules import HERE, Case

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  Wire:
    derived_from: tosca.relationships.DependsOn
    interfaces: {Configure: {operations: {add_source: echo connect >> log, remove_source: echo part >> log}}}
node_types:
  Server:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string}, up: {type: string}}
    interfaces:
      Standard:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          create: 'echo create $name >> log; touch $name; echo ''{"made": "yes"}'''
          start: 'echo start $name >> log; touch $name.up; echo ''{"up": "yes"}'''
          stop: 'echo stop $name >> log; rm -f $name.up'
          delete: 'echo delete $name >> log; rm -f $name'
      Install:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          check: >-
            if [ -e $name.up ]; then echo '{"status": "ok"}';
            elif [ -e $name ]; then echo '{"status": "pending"}'; else echo '{"status": "absent"}'; fi
topology_template:
  node_templates:
    app: {type: Server, requirements: [{dependency: {node: db, relationship: {type: Wire}}}]}
    db: {type: Server}
"""
START, STOP, DELETE = "db:Standard.start", "db:Standard.stop", "db:Standard.delete"
MADE, UP = ["db", "app", "app.up"], ["db", "db.up", "app", "app.up"]

#: Runs a job (its workflow) that does not know of one operation (its key) how it ended.
CutOff = Callable[[Case, str, str], None]


@pytest.fixture
def service(tmp_path: Path) -> Case:
    case = Case(HERE / "deploy" / "new", tmp_path / "case")
    (case.folder / "service.yaml").write_text(SERVICE)
    case.run({"workflow": "check"})  # makes ensemble.yaml
    return case


def kill_within(case: Case, workflow: str, key: str) -> None:
    """Run a job, and leave of it what is there when it is killed while the operation of this key runs."""
    before = case.folder.with_name("before")
    shutil.copytree(case.folder, before)
    logs = set((case.folder / "jobs").glob(f"*{RECORDED}"))
    case.run({"workflow": workflow})
    [log] = set((case.folder / "jobs").glob(f"*{RECORDED}")) - logs
    events = events_of(log)
    last = next(n for n, event in enumerate(events) if event["event"] == "started" and event["key"] == key)
    shutil.rmtree(case.folder)
    before.rename(case.folder)
    journal = case.folder / "jobs" / (log.name.removesuffix(RECORDED) + OPEN)
    journal.write_bytes(b"".join(map(line, events[: last + 1])))


def lose_within(case: Case, workflow: str, key: str) -> None:
    """Run a job that goes on, but never learns how the operation of this key ended."""
    name = key.rpartition(".")[2]
    line = {"add_source": "echo connect", "remove_source": "echo part"}.get(name, f"echo {name}")

    async def run(order: Command, **options: Any) -> Outcome:
        if order.argv[0].startswith(line) and order.environment.get("name") in (None, key.partition(":")[0]):
            return Outcome(ok=False, cancelled=True, error="its worker is gone")
        return await run_command(order, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(workers, "run_command", run)
        report = case.run({"workflow": workflow})
    assert [task["error"] for task in report["tasks"] if task["key"] == key] == ["its worker is gone"]


def leave(case: Case, files: list[str]) -> None:
    """Let these files be there, and no others that operations make."""
    for name in UP:
        (case.folder / name).unlink(missing_ok=True)
    for name in files:
        (case.folder / name).touch()


@pytest.mark.parametrize("checked", [False, True], ids=["", "then-checked"])
@pytest.mark.parametrize("cut_off", [kill_within, lose_within])
@pytest.mark.parametrize(
    ("key", "files", "log"),
    [
        ("db:Standard.create", [], ["create db", "start db", "create app", "start app", "connect"]),
        ("db:Standard.create", ["db"], ["create db", "start db", "create app", "start app", "connect"]),
        ("db:Standard.create", ["db", "db.up"], ["create db", "start db", "create app", "start app", "connect"]),
        (START, [], ["create db", "start db", "create app", "start app", "connect"]),
        (START, ["db"], ["start db", "create app", "start app", "connect"]),
        (START, ["db", "db.up"], ["start db", "create app", "start app", "connect"]),
        ("app:Standard.start", ["db", "db.up", "app"], ["start app", "connect"]),
        ("app:Standard.start", UP, ["start app", "connect"]),
        ("app:dependency#0:Configure.add_source", UP, ["connect"]),
    ],
)
def test_deploy_goes_on(
    service: Case, key: str, files: list[str], log: list[str], *, cut_off: CutOff, checked: bool
) -> None:
    cut_off(service, "deploy", key)
    leave(service, files)
    _go_on(service, "deploy", log, checked=checked)
    found = {one.name: one for one in read_ensemble(service.location, JobOptions()).instances}
    assert all(one.attributes == {"made": "yes", "up": "yes"} for one in found.values())
    assert {one.state.value for one in found.values() if one.state} == {"started"}
    assert found["app"].relationships["dependency#0"].added == ["add_source"]


@pytest.mark.parametrize("checked", [False, True], ids=["", "then-checked"])
@pytest.mark.parametrize("cut_off", [kill_within, lose_within])
@pytest.mark.parametrize(
    ("key", "files", "log"),
    [
        ("app:dependency#0:Configure.remove_source", UP, ["part", "stop app", "delete app", "stop db", "delete db"]),
        ("app:Standard.stop", UP, ["stop app", "delete app", "stop db", "delete db"]),
        ("app:Standard.delete", ["app", "db", "db.up"], ["delete app", "stop db", "delete db"]),
        (STOP, ["db"], ["stop db", "delete db"]),
        (DELETE, ["db"], ["delete db"]),
    ],
)
def test_undeploy_goes_on(
    service: Case, key: str, files: list[str], log: list[str], *, cut_off: CutOff, checked: bool
) -> None:
    service.run({"workflow": "deploy"})
    cut_off(service, "undeploy", key)
    leave(service, files)
    _go_on(service, "undeploy", log, checked=checked)


def test_what_a_check_finds_gone_is_not_deleted_again(service: Case) -> None:
    service.run({"workflow": "deploy"})
    kill_within(service, "undeploy", DELETE)
    leave(service, [])
    _go_on(service, "undeploy", [], checked=True)


def test_what_a_check_finds_at_work_after_all_is_stopped_again(service: Case) -> None:
    service.run({"workflow": "deploy"})
    kill_within(service, "undeploy", DELETE)
    leave(service, ["db", "db.up"])
    _go_on(service, "undeploy", ["stop db", "delete db"], checked=True)


def test_what_came_up_although_its_create_was_interrupted_is_stopped_before_it_is_deleted(service: Case) -> None:
    kill_within(service, "deploy", "db:Standard.create")
    leave(service, ["db", "db.up"])
    _go_on(service, "undeploy", ["stop db", "delete db"], checked=True)


def _go_on(case: Case, workflow: str, log: list[str], *, checked: bool) -> None:
    (case.folder / "log").unlink(missing_ok=True)
    if checked:
        case.run({"workflow": "check"})
    report: dict[str, Any] = case.run({"workflow": workflow})
    assert case.log == log
    assert report["job"]["success"]
    again = case.run({"workflow": workflow})
    assert again["tasks"] == []
