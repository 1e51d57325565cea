"""The playbooks lock, plan, execute, record and unlock, whatever happens in between."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.ensembles.options import JobOptions

PLAY = ("-e", "ensemble=web/ensemble.yaml")
JOB = ["lock present", "plan", "execute", "record", "lock absent"]


@pytest.mark.parametrize(
    "workflow", ["deploy", "undeploy", "check", "discover", "start", "stop", "run", "notify", "adopt"]
)
def test_a_job_takes_five_steps(ansible: Callable, workflow: str) -> None:
    run = ansible("ansible-playbook", f"tosca.ensemble.{workflow}", *PLAY)
    assert run.code == 0, run.output
    assert run.names == JOB
    assert run.call("plan")["workflow"] == workflow
    told = run.call("execute")
    assert (told["workflow"], told["plan_file"], told["plan_digest"]) == (workflow, "made.json", "d1")
    assert "plan for " in run.output
    assert "job is recorded" in run.output


@pytest.mark.parametrize(
    ("fail", "names", "message"),
    [
        ("lock", ["lock present"], "held by somebody (wait with ensemble_lock_timeout)"),
        ("plan", ["lock present", "plan", "lock absent"], "ensemble.yaml:3:1: unknown type"),
        ("start", ["lock present", "plan", "execute", "lock absent"], "the plan is stale"),
        ("execute", JOB, "app failed"),
        ("record", JOB, "cannot write"),
    ],
)
def test_a_failure_is_reported_recorded_and_unlocked(
    ansible: Callable, fail: str, names: list[str], message: str
) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, fail=fail)
    assert run.code == 2, run.output
    assert run.names == names
    assert message in run.output
    assert "Traceback" not in run.output


def test_an_error_carries_its_exit_code(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.plan", *PLAY, fail="plan")
    assert '"exit_code": 3' in run.output


def test_options_come_one_by_one_or_as_a_map(ansible: Callable) -> None:
    options = {"repair": "degraded", "instances": ["db"], "inputs": {"size": 2}, "jobs": 3, "commit": True}
    run = ansible(
        "ansible-playbook",
        "tosca.ensemble.deploy",
        *PLAY,
        "-e",
        json.dumps({"ensemble_options": options}),
        "-e",
        "ensemble_instances=app,proxy ensemble_force=true ensemble_jobs=5",
    )
    assert run.code == 0, run.output
    assert JobOptions.from_mapping(run.call("plan")["options"]).changed() == {
        "instances": ["app", "proxy"],
        "force": True,
        "repair": "degraded",
        "inputs": {"size": 2},
    }
    assert run.call("execute")["options"]["jobs"] == 5
    assert run.call("record")["options"]["commit"] is True


def test_extra_variables_set_inputs(ansible: Callable) -> None:
    variables = {
        "input_zones": ["a", "b"],
        "base": 4,
        "input_size": "{{ base + 1 }}",
        "ensemble_inputs": {"size": 1, "x": 2},
    }
    run = ansible(
        "ansible-playbook", "tosca.ensemble.deploy", "tosca.ensemble.validate", *PLAY, "-e", json.dumps(variables)
    )
    assert run.code == 0, run.output
    inputs = {"zones": ["a", "b"], "size": 5}
    assert run.call("plan")["options"]["inputs"] == {"x": 2} | inputs
    assert run.call("validate")["options"]["inputs"] == {"x": 2} | inputs
    assert run.call("execute")["options"]["inputs"] == inputs


def test_a_plan_goes_from_job_to_job_as_a_document(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text("{}\n")
    made = ("-e", f"ensemble_plan_file={tmp_path / 'made.json'}", "-e", "ensemble_plan_handed=true")
    planned = ansible("ansible-playbook", "tosca.ensemble.plan", *PLAY, *made)
    [stats] = re.findall(r"RUN: (\{.*\})", planned.output)
    handed = json.loads(stats)["ensemble_stats"]
    assert handed["plan_text"].startswith("plan for web/ensemble.yaml")
    variables = {"ensemble_stats": handed, "ensemble_plan_document": "{{ ensemble_stats.plan_document }}"}
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "-e", json.dumps(variables))
    assert run.code == 0, run.output
    assert run.names == ["lock present", "execute", "record", "lock absent"]
    told = run.call("execute")
    assert (told["plan_file"], told["plan_digest"], b64decode(told["plan_document"])) == (None, None, b"{}\n")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "made.json"),
        ({"ensemble_plan_file": "web.json"}, "web.json"),
        ({"awx_job_id": 42}, None),
        ({"awx_job_id": 42, "ensemble_plan_file": "plans/web.json"}, "plans/web.json"),
    ],
)
def test_no_plan_in_a_container_is_an_artifact(ansible: Callable, given: dict[str, Any], told: str | None) -> None:
    planned = ansible("ansible-playbook", "tosca.ensemble.plan", *PLAY, "-e", json.dumps(given))
    [stats] = re.findall(r"RUN: (\{.*\})", planned.output)
    found = json.loads(stats)["ensemble_stats"]
    assert (found["plan_digest"], found.get("plan_file")) == ("d1", told)


@pytest.mark.parametrize(("variables", "code"), [((), 0), (("-e", "ensemble_fail_on_drift=true"), 2)])
def test_a_check_fails_on_drift_if_it_is_to(ansible: Callable, variables: tuple[str, ...], code: int) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.check", *PLAY, *variables, fail="drift")
    assert (run.code, run.names) == (code, JOB)
    assert run.output.count("the table") == 1


def test_a_wrong_option_is_refused_before_anything_happens(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "-e", "ensemble_repair=sometimes")
    assert run.code == 2
    assert "value of ensemble_repair must be one of: error, degraded, none" in run.output
    assert run.calls == []


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ("ensemble_instancs=app", "there is no variable ensemble_instancs (did you mean ensemble_instances?)"),
        ('{"ensemble_options": {"prun": true}}', "there is no variable ensemble_options: prun (did you mean prune?)"),
    ],
)
def test_a_misspelled_variable_is_refused(ansible: Callable, variables: str, message: str) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "-e", variables)
    assert (run.code, run.calls) == (2, [])
    assert message in " ".join(run.output.split())


UPKEEP = ("status", "outputs", "history", "validate", "recover", "unlock", "forget")


def test_each_command_that_looks_or_mends_has_its_playbook(ansible: Callable) -> None:
    given = {
        "ensemble_inputs": {"size": 2},
        "ensemble_environment": "test",
        "ensemble_instances": ["db"],
        "ensemble_last": 3,
        "ensemble_lock_id": "L7",
    }
    run = ansible("ansible-playbook", *(f"tosca.ensemble.{name}" for name in UPKEEP), *PLAY, "-e", json.dumps(given))
    assert run.code == 0, run.output
    assert run.names == ["info", "info", "info", *UPKEEP[3:]]
    assert [(call["gather"], call["last"]) for call in run.calls[:3]] == [
        (["status"], None),
        (["outputs"], None),
        (["history"], 3),
    ]
    for name in ("info", "recover", "unlock", "forget"):
        assert run.call(name)["options"] == {"environment": "test"}
    assert run.call("validate")["options"] == {"inputs": {"size": 2}, "environment": "test"}
    assert (run.call("unlock")["lock_id"], run.call("forget")["instances"]) == ("L7", ["db"])
    assert "what is known: history" in run.output


def test_what_has_no_dry_run_is_skipped_in_check_mode(ansible: Callable) -> None:
    playbooks = [f"tosca.ensemble.{name}" for name in ("recover", "unlock", "forget")]
    given = ("-e", "ensemble_lock_id=L7 ensemble_instances=db")
    run = ansible("ansible-playbook", *playbooks, *PLAY, *given, "--check")
    assert (run.code, run.names, run.call("forget")["check"]) == (0, ["forget"], True), run.output


def test_the_ensemble_must_be_named(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy")
    assert run.code == 2
    assert "missing required arguments: ensemble" in run.output


def test_check_and_diff_reach_each_step(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "--check", "--diff")
    assert run.code == 0, run.output
    assert run.names == JOB
    assert (run.call("plan")["check"], run.call("plan")["diff"]) == (True, True)
    assert run.call("execute")["options"]["check"] is True
    assert run.call("record")["check"] is True


def test_the_plan_playbook_only_plans(ansible: Callable) -> None:
    run = ansible(
        "ansible-playbook", "tosca.ensemble.plan", *PLAY, "-e", "ensemble_plan_file=p.json ensemble_of_mine=1"
    )
    assert run.code == 0, run.output
    assert run.names == ["plan"]
    assert "ensemble_of_mine is not a variable of a job" in " ".join(run.output.split())
    assert Path(run.call("plan")["plan_file"]).name == "p.json"
    assert "runs git commit --message; ensemble_prune is not set" in run.output, "what people wrote stays as it is"


def test_a_saved_plan_is_executed_as_it_is(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "-e", "ensemble_plan_file=p.json")
    assert run.names == ["lock present", "execute", "record", "lock absent"]
    told = run.call("execute")
    assert (told["workflow"], Path(told["plan_file"]).name, told["plan_digest"]) == ("deploy", "p.json", None)
    taken, freed = (one for one in run.calls if one["call"] == "lock")
    assert (Path(taken["plan_file"]).name, taken["environment"]) == ("p.json", None), "the plan says the environment"
    assert freed["environment"] == "planned"


def test_a_saved_plan_is_known_by_its_digest(ansible: Callable) -> None:
    saved = ("-e", "ensemble_plan_file=p.json ensemble_plan_digest=d2")
    assert ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, *saved).call("execute")["plan_digest"] == "d2"


def test_a_lock_of_the_caller_is_worked_under_and_not_freed(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.deploy", *PLAY, "-e", "ensemble_lock_id=L7")
    assert run.names == ["lock present", "plan", "execute", "record"]
    assert run.call("lock")["lock_id"] == "L7"


def test_the_actions_work_in_a_play_of_ones_own(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "play.yml").write_text(
        """
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/tosca.ensemble.ensemble: {ensemble: web}
  tasks:
    - tosca.ensemble.plan: {workflow: stop, show: false}
      register: planned
    - ansible.builtin.assert: {that: planned.plan_file == 'made.json'}
    - tosca.ensemble.plan: {workflw: stop}
"""
    )
    run = ansible("ansible-playbook", "play.yml")
    assert run.names == ["plan"]
    assert run.call("plan")["workflow"] == "stop"
    assert "plan for web" not in run.output
    assert "Unsupported parameters" in run.output


def test_a_missing_library_is_one_message(ansible: Callable, tmp_path: Path) -> None:
    package = tmp_path / "package"
    core = package / "ansible_ensemble" / "core"
    core.mkdir(parents=True)
    (package / "ansible_ensemble" / "__init__.py").touch()
    (core / "__init__.py").touch()
    (core / "errors.py").write_text("import a_library_that_nobody_has\n")
    run = ansible("ansible-playbook", "tosca.ensemble.plan", *PLAY, package=package)
    assert run.code == 2
    assert "a_library_that_nobody_has" in run.output
    assert "-m pip install -r" in run.output
    assert "Traceback" not in run.output


def test_the_package_inside_the_collection_is_found(ansible: Callable) -> None:
    run = ansible("ansible-playbook", "tosca.ensemble.plan", "-e", "ensemble=nowhere.yaml", package=None)
    assert run.code == 2
    assert "lacks a Python library" not in run.output
    assert "nowhere.yaml" in run.output
