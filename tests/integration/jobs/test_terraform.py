"""Terraform modules as operations, with the real program: `terraform_data` is built in and needs no network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.projects.vault import is_encrypted
from ansible_ensemble.records.recover import record_journal

pytestmark = pytest.mark.skipif(shutil.which("terraform") is None, reason="the program terraform is not installed")

SECRET = "k7-a-canary-of-terraform"

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Stack:
    derived_from: tosca.nodes.Root
    properties:
      size: {type: integer, default: 1}
      password: {type: string, default: SECRET, metadata: {sensitive: true}}
    attributes:
      address: {type: string}
      token: {type: string}
      wanted: {type: integer}
    interfaces:
      Standard:
        inputs: {size: {get_property: [SELF, size]}, password: {get_property: [SELF, password]}}
        operations:
          create: {implementation: stack, outputs: {address: [SELF, address], token: [SELF, token]}}
          delete: stack
      Install:
        inputs: {size: {get_property: [SELF, size]}, password: {get_property: [SELF, password]}}
        operations: {check: stack, discover: stack}
topology_template:
  node_templates:
    stack: {type: Stack}
""".replace("SECRET", SECRET)

MODULE = """\
variable "size" { type = number }
variable "password" { type = string }
resource "terraform_data" "server" {
  count = var.size
  input = "server-${count.index}"
}
resource "terraform_data" "token" { input = var.password }
output "wanted" { value = var.size }
output "address" { value = join(",", terraform_data.server[*].output) }
output "token" {
  value     = terraform_data.token.output
  sensitive = true
}
"""

#: A resource that fails when all others are made.
LATE = """\
resource "terraform_data" "late" {
  input = terraform_data.server[0].id
  lifecycle {
    postcondition {
      condition     = self.output == "x"
      error_message = "no"
    }
  }
}
"""

Job = Callable[..., dict[str, Any]]


def without_ansible() -> NoReturn:
    pytest.fail("Terraform needs no Ansible")


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("TF_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", "/dev/null")
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack" / "main.tf").write_text(MODULE)
    (tmp_path / "password").write_text("vault password\n")

    def run(workflow: str = "deploy", **given: Any) -> dict[str, Any]:
        options = JobOptions.from_mapping({"vault_ids": [str(tmp_path / "password")], **given})
        file = tmp_path / "ensemble.yaml"
        location = locate(file if file.exists() else tmp_path / "service.yaml")
        ensemble = read_ensemble(location, options)
        plan = plan_workflow(ensemble, workflow, options)
        _, journal = run_plan(ensemble, plan, options, without_ansible, show=lambda _: None)
        events = [json.loads(line) for line in journal.read_text().splitlines()]
        report = record_journal(read_ensemble(location, options), journal) if not options.check else {}
        return {**report, "events": events}

    return run


def instance(folder: Path) -> Mapping[str, Any]:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!vault", lambda loader, node: f"vault {loader.construct_scalar(node)[:15]}")
    status = yaml.load((folder / "ensemble.yaml").read_text(), Loader)["status"]
    found: Mapping[str, Any] = status["instances"]["stack"]
    return found


def status(folder: Path) -> str:
    return str(instance(folder)["readyState"]["local"])


def finished(report: Mapping[str, Any]) -> dict[str, Any]:
    (event,) = [one for one in report["events"] if one["event"] == "finished"]
    found: dict[str, Any] = event
    return found


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_a_module_lives_as_an_instance(job: Job, tmp_path: Path) -> None:
    predicted = finished(job(check=True))
    assert predicted["basis"] == "predicted"
    shown = predicted["diff"][0]["prepared"].splitlines()
    assert shown[0] == "# terraform_data.server[0] will be created"
    assert shown[-2:] == ["  + token   = (sensitive value)", "  + wanted  = 1"]
    assert not (tmp_path / "active").exists()

    job()
    state = tmp_path / "active" / "secrets" / "stack" / "terraform.tfstate"
    assert status(tmp_path) == "ok"
    assert instance(tmp_path)["attributes"]["address"] == "server-0"
    assert instance(tmp_path)["attributes"]["token"].startswith("vault $ANSIBLE_VAULT")
    sealed = state.read_bytes()
    assert is_encrypted(sealed)

    assert [one for one in job()["events"] if one["event"] == "finished"] == []
    assert finished(job("check"))["changed"] is False
    assert state.read_bytes() == sealed, "a look leaves the state as it was, to the byte"

    edit(tmp_path / "service.yaml", "default: 1}", "default: 2}")
    assert status(tmp_path) == "ok"
    report = job("check")
    assert status(tmp_path) == "error", "the world lacks a resource that the module asks for"
    assert instance(tmp_path)["attributes"]["wanted"] == 1, "a plan's outputs are predicted"
    assert (finished(report)["basis"], finished(report)["changed"]) == ("real", False)
    job()
    assert (status(tmp_path), instance(tmp_path)["attributes"]["address"]) == ("ok", "server-0,server-1")

    edit(tmp_path / "stack" / "main.tf", "server-$", "host-$")
    job("check")
    assert status(tmp_path) == "degraded", "resources differ, and none is missing"
    job(repair="degraded")
    assert instance(tmp_path)["attributes"]["address"] == "host-0,host-1", "the module's files decide, too"

    job("discover")
    assert (status(tmp_path), instance(tmp_path)["created"][0]) == ("ok", "A")

    shutil.rmtree(tmp_path / "stack")
    edit(tmp_path / "service.yaml", "    stack: {type: Stack}", "    other: {type: tosca.nodes.Root}")
    (tmp_path / "service.yaml").write_text(
        (tmp_path / "service.yaml").read_text().split("node_types:")[0]
        + "topology_template: {node_templates: {other: {type: tosca.nodes.Root}}}\n"
    )
    report = job(prune=True)
    assert report["job"]["success"], "a copy of the module destroys what it made"
    assert not state.parent.exists()
    for file in tmp_path.rglob("*"):
        if file.is_file() and file.name != "service.yaml":
            assert SECRET not in file.read_text(errors="replace"), file


def test_what_fails_says_why_and_keeps_what_it_made(job: Job, tmp_path: Path) -> None:
    module = tmp_path / "stack" / "main.tf"
    sound = module.read_text()
    module.write_text(sound + 'resource "terraform_data" "a" { input = nowhere.at.all }\n')
    failed = finished(job())
    assert (failed["ok"], failed["error"]) == (False, "Reference to undeclared resource (main.tf:14)")
    assert status(tmp_path) == "pending", "nothing was modified"

    module.write_text(sound + LATE)
    failed = finished(job())
    assert failed["error"] == "Resource postcondition failed (main.tf:18)"
    assert (status(tmp_path), "created" in instance(tmp_path)) == ("error", True)

    module.write_text(sound)
    assert finished(job("undeploy"))["ok"]
    assert status(tmp_path) == "absent"


def test_an_inline_module_keeps_its_secret_from_command_lines(job: Job, tmp_path: Path) -> None:
    main = 'variable "password" { type = string }\noutput "address" { value = nonsensitive(sha1(var.password)) }\n'
    edit(
        tmp_path / "service.yaml",
        "implementation: stack,",
        f"implementation: Terraform, inputs: {{main: {json.dumps(main)}}},",
    )
    job()
    assert len(instance(tmp_path)["attributes"]["address"]) == 40
    rendered = tmp_path / "active" / "tasks" / "stack" / "Standard.create"
    assert json.loads((rendered / "ensemble.tfvars.json").read_text()) == {"size": 1}


def test_a_missing_program_is_told(job: Job, tmp_path: Path) -> None:
    edit(
        tmp_path / "service.yaml",
        "implementation: stack,",
        "implementation: stack, inputs: {command: tofu-of-nowhere},",
    )
    assert "install it, or name another one" in finished(job())["error"]
    assert status(tmp_path) == "pending"
