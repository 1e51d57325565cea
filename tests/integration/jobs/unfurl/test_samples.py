"""Samples of Unfurl's types load and plan everywhere, and those that need no server are deployed here.

Those of Docker, DNS, supervisord, Kubernetes and Helm are deployed by the tests of these, with their servers.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.conftest import Run
from tests.integration.jobs.services.conftest import COLLECTIONS
from tests.integration.jobs.terraform_jobs import instance, status
from tests.integration.jobs.unfurl.samples import SAMPLES, write_sample

Command = Callable[..., Run]


@pytest.mark.parametrize("name", SAMPLES)
def test_it_loads_and_plans(command: Command, tmp_path: Path, name: str) -> None:
    if name.startswith("docker") and not COLLECTIONS.is_dir():
        pytest.skip("make community installs community.docker")
    write_sample(name, tmp_path)
    planned = command("plan", "--output", "json", extra={"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS)})
    assert planned.code == 0, planned.output
    assert "Warning" not in planned.stderr
    changes = {one["name"]: one["change"]["actions"] for one in json.loads(planned.stdout)["resource_changes"]}
    templates = [*SAMPLES[name]["service"]["topology_template"]["node_templates"], *SAMPLES[name].get("also", ())]
    assert changes == {one: ["create"] for one in templates}


@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("artifact")])
def test_an_artifact_runs(command: Command, tmp_path: Path, name: str) -> None:
    write_sample(name, tmp_path)
    done = command("deploy", "--approve")
    assert done.code == 0, done.output
    assert (tmp_path / "greeting").read_text() == "hello\n"


@pytest.mark.skipif(shutil.which("terraform") is None, reason="the program terraform is not installed")
@pytest.mark.parametrize("name", [name for name in SAMPLES if name.startswith("terraform")])
def test_terraform_deploys_and_is_undeployed(command: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "password").write_text("vault password\n")
    write_sample(name, tmp_path)
    for workflow, now in (("deploy", "ok"), ("undeploy", "absent")):
        done = command(workflow, "--approve", "--vault-id", "password")
        assert done.code == 0, done.output
        assert status(tmp_path) == now
        if now == "ok":
            attributes = instance(tmp_path)["attributes"]
            assert (attributes["name"], attributes.get("all", [0, 1])) == ("test", [0, 1])
