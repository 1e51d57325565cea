"""A secret that a job is given is found in no file, git object, output, artifact and command line of the job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.jobs.records.canaries import CANARY, hunt
from tests.integration.jobs.records.repositories import git, make_project
from tests.matrix import sampled

#: Where a secret comes from -> the secret.
CANARIES = {
    "property": f"{CANARY}property-5d1",
    "input": f"{CANARY}input-8c2",
    "vault": f"{CANARY}vault-1f3",
    "environment": f"{CANARY}environment-7a4",
}

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Holder:
    derived_from: tosca.nodes.Root
    properties:
      password: {type: string, metadata: {sensitive: true}}
      given: {type: string, metadata: {sensitive: true}}
      vaulted: {type: string, metadata: {sensitive: true}}
      variable: {type: string, metadata: {sensitive: true}}
    attributes:
      token: {type: string, metadata: {sensitive: true}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: >-
              printf '%s ' "$PASSWORD" "$GIVEN" "$VAULTED" "$VARIABLE" >&2; echo "$PASSWORD $GIVEN $VAULTED $VARIABLE"
            inputs:
              PASSWORD: {get_property: [SELF, password]}
              GIVEN: {get_property: [SELF, given]}
              VAULTED: {get_property: [SELF, vaulted]}
              VARIABLE: {get_property: [SELF, variable]}
            outputs: {token: [SELF, token]}
          configure:
            implementation: ansible.builtin.copy
            inputs:
              dest: {concat: [{get_input: folder}, /password]}
              content: "{{ SELF.password }} {{ SELF.given }} {{ SELF.vaulted }} {{ SELF.variable }}"
          start: START
topology_template:
  inputs:
    folder: {type: string}
    given: {type: string, metadata: {sensitive: true}}
  node_templates:
    holder:
      type: Holder
      properties:
        password: {eval: {secret: property}}
        given: {get_input: given}
        vaulted: {eval: {secret: vault}}
        variable: {eval: {secret: environment}}
  outputs:
    password: {value: {get_property: [holder, password]}}
    given: {value: {get_property: [holder, given]}}
"""

PROJECT = """\
apiVersion: tosca-ensemble/v1
kind: Project
environments:
  defaults:
    secrets:
      property: {get_env: SECRET_PROPERTY}
      environment: {get_env: SECRET_ENVIRONMENT}
"""

_ALL = "inputs: {PASSWORD: {get_property: [SELF, password]}, GIVEN: {get_property: [SELF, given]}}"
FAILING = {
    "succeeds": "{implementation: 'exit 0'}",
    "fails": f"""{{implementation: 'echo "$PASSWORD $GIVEN"; echo "$PASSWORD" >&2; exit 1', {_ALL}}}""",
    "template": f"{{implementation: 'echo {{{{ SELF.given.nothing.of_it }}}} {{{{ SELF.password | int }}}}', {_ALL}}}",
    "module": "{implementation: ansible.builtin.copy, inputs: {dest: /nowhere/x, content: '{{ SELF.password }}'}}",
}


def make_secret_project(command, folder: Path, start: str, tmp_path: Path) -> dict[str, str]:
    """The project; returns the environment variables of its jobs."""
    service = SERVICE.replace("START", FAILING[start])
    project = make_project(folder, service)
    (project / "ensemble-project.yaml").write_text(PROJECT)
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    secrets = project / "secrets" / "secrets.yaml"
    secrets.parent.mkdir()
    secrets.write_text(f"vault: {CANARIES['vault']}\n")
    done = command("encrypt", "--vault-password-file", str(password), str(secrets), program="ansible-vault")
    assert done.code == 0, done.output
    git(project, "add", ".")
    git(project, "commit", "-qm", "secrets")
    return {"SECRET_PROPERTY": CANARIES["property"], "SECRET_ENVIRONMENT": CANARIES["environment"]}


@pytest.mark.parametrize(
    ("start", "vault"),
    sampled([("succeeds", True), ("fails", True), ("fails", False), ("template", True), ("module", False)], 2),
)
def test_canaries(command, tmp_path, watched, start, vault):
    project, site, given = tmp_path / "project", tmp_path / "site", tmp_path / "given.yaml"
    site.mkdir()
    given.write_text(f"folder: {site}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, start, tmp_path)
    variables["ANSIBLE_ENSEMBLE_LOG"] = str(tmp_path / "log")
    password = ["--vault-password-file", str(tmp_path / "vault-password")]
    if not vault:
        password = []
        (project / "secrets" / "secrets.yaml").unlink()
        variables["SECRET_VAULT"] = CANARIES["vault"]
        (project / "ensemble-project.yaml").write_text(PROJECT + "      vault: {get_env: SECRET_VAULT}\n")
        git(project, "commit", "-qam", "no vault")
    options = ["--inputs", str(given), *password]
    runs = []

    def run(*arguments: str, code: int = 0) -> None:
        runs.append(command(*arguments, cwd=project, extra=variables))
        assert runs[-1].code == code, runs[-1].output

    fails = {"succeeds": 0, "template": 3}.get(start, 1)
    if start != "template":  # that is refused before anything runs
        run("plan", *options, "--out", str(tmp_path / "saved.plan"))
    run("deploy", "--approve", "--commit", "-vvv", *options, code=fails)
    there = (site / "password").read_text() if (site / "password").exists() else ""
    assert start == "template" or all(CANARIES[name] in there for name in CANARIES), runs[-1].output
    run("status", *password)
    run("outputs", "--output", "json", *password)
    run("history", "--output", "json")
    for job in json.loads(runs[-1].stdout)["jobs"]:
        run("show", job["change_id"])
    run("deploy", "--approve", "--commit", *options, code=fails)
    watched.done.set()

    saved = (tmp_path / "saved.plan").read_text() if (tmp_path / "saved.plan").exists() else ""
    logged = (tmp_path / "log").read_text()
    assert "git add" in logged or start == "template"
    assert hunt(project, saved, logged, *(text for done in runs for text in (done.stdout, done.stderr))) == []
    assert watched.found == set()
    assert not (project / "planned" / "given.json").exists()


def test_an_unchanged_secret_causes_nothing_and_a_changed_one_does(command, tmp_path):
    project, site, given = tmp_path / "project", tmp_path / "site", tmp_path / "given.yaml"
    site.mkdir()
    given.write_text(f"folder: {site}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    options = ["--inputs", str(given), "--vault-password-file", str(tmp_path / "vault-password")]
    assert command("deploy", "--approve", *options, cwd=project, extra=variables).code == 0
    assert "No changes." in command("plan", *options, cwd=project, extra=variables).output
    variables["SECRET_PROPERTY"] = "another"
    plan = command("plan", *options, cwd=project, extra=variables)
    assert "1 to change" in plan.output
    assert "another" not in plan.output


def test_encrypted_files_of_inputs_are_opened_and_secret(command, tmp_path):
    project, given = tmp_path / "project", tmp_path / "given.yaml"
    given.write_text(f"folder: {tmp_path}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    password = ("--vault-password-file", str(tmp_path / "vault-password"))
    assert command("encrypt", *password, str(given), program="ansible-vault").code == 0
    refused = command("deploy", "--approve", "--inputs", str(given), cwd=project, extra=variables)
    assert refused.code == 3
    assert "vault password" in refused.stderr
    done = command("deploy", "--approve", "--inputs", str(given), *password, cwd=project, extra=variables)
    assert done.code == 0, done.output
    assert CANARIES["input"] in (tmp_path / "password").read_text()
    assert hunt(project, done.output) == []


def test_looking_makes_no_key(command, tmp_path):
    project, given = tmp_path / "project", tmp_path / "given.yaml"
    given.write_text(f"folder: {tmp_path}\ngiven: {CANARIES['input']}\n")
    variables = make_secret_project(command, project, "succeeds", tmp_path)
    (project / "secrets" / "secrets.yaml").unlink()
    (project / "ensemble-project.yaml").write_text(PROJECT + "      vault: plain\n")
    git(project, "commit", "-qam", "no vault")
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    done = command("plan", "--inputs", str(given), cwd=project, extra=variables)
    assert done.code == 0, done.output
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert after == before
