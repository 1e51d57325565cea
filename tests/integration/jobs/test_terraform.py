"""Terraform modules as operations, with the real program: `terraform_data` is built in and needs no network."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ansible_ensemble.projects.vault import is_encrypted
from tests.integration.jobs.terraform_jobs import Job, edit, finished, instance, jobs_in, status

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


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("TF_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", "/dev/null")
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack" / "main.tf").write_text(MODULE)
    (tmp_path / "password").write_text("vault password\n")

    return jobs_in(tmp_path)


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
