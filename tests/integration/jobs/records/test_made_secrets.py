"""A secret that an operation makes or a workflow takes is found nowhere that anybody may look."""

from __future__ import annotations

import json

import pytest

from tests.integration.jobs.records.canaries import CANARY, hunt
from tests.integration.jobs.records.repositories import git, make_project
from tests.matrix import sampled

#: What operations make, a workflow takes, and a job gets as variables -> the secret.
MADE = {
    "attribute": f"{CANARY}attribute-2b6",
    "field": f"{CANARY}field-9e0",
    "item": f"{CANARY}item-5f7",
    "nested": f"{CANARY}nested-4c7",
    "workflow": f"{CANARY}workflow-3d8",
    "extra": f"{CANARY}extra-6f5",
    "hidden": f"{CANARY}hidden-0a9",
}

MADE_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string}
      password: {type: string, metadata: {sensitive: true}}
node_types:
  Maker:
    derived_from: tosca.nodes.Root
    attributes:
      key: {type: string, metadata: {sensitive: true}}
      login: {type: Login}
      logins: {type: list, entry_schema: {type: Login}}
      other: {type: Login}
    interfaces:
      Standard:
        operations:
          create:
            implementation: cat made.json; cat made.json >&2
            outputs:
              key: [SELF, key]
              login: [SELF, login]
              logins: [SELF, logins]
              nested: [SELF, other, password]
          configure:
            implementation: 'echo "$VALUES" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              VALUES:
                concat:
                  - {get_attribute: [SELF, key]}
                  - {get_attribute: [SELF, login, password]}
                  - "{{ SELF.logins[0].password }}"
                  - {get_attribute: [SELF, other, password]}
          stop:
            implementation: 'echo "$TAKEN $EXTRA $HIDDEN" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              TAKEN: none
              EXTRA: "{{ extra_password | default('') }}"
              HIDDEN: "{{ hidden | default('') }}"
topology_template:
  inputs:
    site: {type: string}
  workflows:
    hand_on:
      inputs:
        taken: {type: string, metadata: {sensitive: true}}
      steps:
        only:
          target: maker
          activities:
            - call_operation: {operation: Standard.stop, inputs: {TAKEN: {concat: [it is, {get_input: taken}]}}}
  node_templates:
    maker: {type: Maker}
"""


@pytest.mark.parametrize("vault", sampled([True, False], 2))
def test_canaries_that_operations_make_and_workflows_take(command, tmp_path, watched, vault):
    project, site, given = make_project(tmp_path / "project", MADE_SERVICE), tmp_path / "site", tmp_path / "given.yaml"
    login = {"user": "somebody", "password": MADE["field"]}
    made = {"key": MADE["attribute"], "login": login, "logins": [{**login, "password": MADE["item"]}]}
    outside = tmp_path / "made.json"
    outside.write_text(json.dumps({**made, "nested": MADE["nested"]}))
    service = project / "service.yaml"
    service.write_text(service.read_text().replace("made.json", str(outside)))
    git(project, "commit", "-qam", "made")
    given.write_text(json.dumps({"extra_password": MADE["extra"], "input_taken": MADE["workflow"]}))
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    vault_id = ["--vault-id", f"prod@{password}"] if vault else []
    options = ["--input", f"site={site}", "-e", f"@{given}", *vault_id]
    expected = {name: secret for name, secret in MADE.items() if name != "hidden"}
    if vault:
        hidden = tmp_path / "hidden.yaml"
        hidden.write_text(f"hidden: {MADE['hidden']}\n")
        done = command("encrypt", *vault_id, str(hidden), program="ansible-vault")
        assert done.code == 0, done.output
        options += ["-e", f"@{hidden}"]
        expected = MADE
    runs = []

    def run(*arguments: str) -> None:
        runs.append(command(*arguments, cwd=project))
        assert runs[-1].code == 0, runs[-1].output

    run("deploy", "--approve", "--commit", "-vvv", *options)
    run("run", "--workflow", "hand_on", "--approve", "--commit", "-vvv", *options)
    assert all(secret in site.read_text() for secret in expected.values()), runs[-1].output
    run("status", "--output", "json", *vault_id)
    for change in json.loads(command("history", "--output", "json", cwd=project).stdout)["jobs"]:
        run("show", change["change_id"])
    run("plan", "--workflow", "hand_on", "--out", str(tmp_path / "saved.plan"), *options)
    watched.done.set()
    saved = (tmp_path / "saved.plan").read_text()
    assert hunt(project, saved, *(text for done in runs for text in (done.stdout, done.stderr))) == []
    assert watched.found == set()
    assert not (project / "planned" / "given.json").exists()
