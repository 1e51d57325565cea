"""Plans that are made while a job runs are no business of the job's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.nodes import noted, service
from tests.matrix import sampled

PLAYBOOK = ("tosca.ensemble.deploy", "-e", "ensemble=service.yaml", "-e", "ensemble_force=true")
UNDEPLOY = ("tosca.ensemble.plan", "-e", "ensemble=service.yaml", "-e", "ensemble_workflow=undeploy")


@pytest.mark.parametrize("program", sampled(["ansible-ensemble", "ansible-playbook"], 2))
def test_plans_of_undeploy_beside_a_deploy(
    tmp_path: Path, command: Callable[..., Any], start: Callable[..., Any], program: str
) -> None:
    (tmp_path / "service.yaml").write_text(service(2))
    assert command("deploy", "--approve", "service.yaml").code == 0
    words = PLAYBOOK if program == "ansible-playbook" else ("deploy", "--approve", "--force", "service.yaml")
    job = start(*words, program=program)
    made = []
    while job.poll() is None:
        planned = command(*UNDEPLOY, program="ansible-playbook")
        assert planned.code == 0, planned.output
        made.append(planned)
    assert job.wait() == 0, job.stdout.read()
    assert made
    assert sorted(noted(tmp_path)) == ["create n0", "create n0", "create n1", "create n1"]
    left = [json.loads(file.read_text())["workflow"] for file in (tmp_path / "planned").glob("*.json")]
    assert left == ["undeploy"] * len(made), "each has a file of its own, and the job's went with it"


def test_a_playbook_refuses_the_plan_of_another_workflow(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "service.yaml").write_text(service(1))
    saved = ("-e", "ensemble=service.yaml ensemble_plan_file=plan.json")
    assert command("tosca.ensemble.plan", *saved, program="ansible-playbook").code == 0
    refused = command("tosca.ensemble.undeploy", *saved, program="ansible-playbook")
    assert refused.code == 2
    assert "is a plan to deploy, not to undeploy" in " ".join(refused.output.split())
    assert command("undeploy", "--approve", "plan.json").code == 2
    assert not (tmp_path / "ensemble.yaml.lock").exists()
    done = command("tosca.ensemble.deploy", *saved, program="ansible-playbook")
    assert (done.code, noted(tmp_path)) == (0, ["create n0"]), done.output
