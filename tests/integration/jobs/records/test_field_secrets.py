"""Secrets in fields of inputs and in variables of the environment are found nowhere that anybody may look."""

from __future__ import annotations

import json

import pytest

from tests.integration.jobs.records.canaries import CANARY, hunt
from tests.integration.jobs.records.repositories import git, make_project

FIELDS = {name: f"{CANARY}{name}-{mark}" for name, mark in (("field", "1c4"), ("list", "7b2"), ("step", "9d6"))}
VARIABLES = {"plain": f"{CANARY}variable-3e1", "before": f"{CANARY}before-8f5", "number": "94770115"}

FIELDS_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Login:
    properties:
      user: {type: string}
      pw: {type: string, metadata: {sensitive: true}}
node_types:
  User:
    derived_from: tosca.nodes.Root
    properties:
      cred: {type: Login}
      creds: {type: list, entry_schema: {type: Login}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: 'echo "$CRED $CREDS ${PATH%%:*} $PLAIN $NUMBER" | tee -a "$SITE"'
            inputs:
              SITE: {get_input: site}
              CRED: {get_property: [SELF, cred, pw]}
              CREDS: {get_property: [SELF, creds, 0, pw]}
          stop:
            implementation: 'echo "$TAKEN $PLAIN" | tee -a "$SITE"; test -n "$TAKEN"'
            inputs:
              SITE: {get_input: site}
              TAKEN: ""
topology_template:
  inputs:
    site: {type: string}
    cred: {type: Login}
    creds: {type: list, entry_schema: {type: Login}}
  workflows:
    rotate:
      inputs:
        next: {type: Login}
      steps:
        only:
          target: user
          activities:
            - call_operation: {operation: Standard.stop, inputs: {TAKEN: {get_input: next}}}
  node_templates:
    user: {type: User, properties: {cred: {get_input: cred}, creds: {get_input: creds}}}
"""


@pytest.mark.parametrize("vault", [True, False])
def test_canaries_in_fields_of_inputs_and_in_variables_of_the_environment(command, tmp_path, vault):
    project, site, given = (
        make_project(tmp_path / "project", FIELDS_SERVICE),
        tmp_path / "site",
        tmp_path / "given.yaml",
    )
    manifest = project / "ensemble.yaml"
    manifest.write_text(
        manifest.read_text()
        + "environment:\n  variables:\n    PLAIN: {eval: {sensitive: {get_env: PLAIN_GIVEN}}}\n"
        + f"    NUMBER: {{eval: {{sensitive: {VARIABLES['number']}}}}}\n"
        + "    ^PATH: {eval: {sensitive: {get_env: BEFORE}}}\n"
    )
    git(project, "commit", "-qam", "variables")
    given.write_text(
        json.dumps(
            {
                "site": str(site),
                "cred": {"user": "joe", "pw": FIELDS["field"]},
                "creds": [{"user": "joe", "pw": FIELDS["list"]}],
                "next": {"user": "joe", "pw": FIELDS["step"]},
            }
        )
    )
    password = tmp_path / "vault-password"
    password.write_text("open sesame\n")
    vault_id = ["--vault-id", f"prod@{password}"] if vault else []
    options = ["--inputs", str(given), *vault_id]
    variables = {"PLAIN_GIVEN": VARIABLES["plain"], "BEFORE": VARIABLES["before"]}
    outputs = []
    for arguments in (
        ("plan", "--out", str(tmp_path / "saved.plan"), *options),
        ("deploy", "--approve", "--commit", "-vvv", *options),
        ("run", "--workflow", "rotate", "--approve", "--commit", "-vvv", *options),
        ("status", "--output", "json", *vault_id),
    ):
        done = command(*arguments, cwd=project, extra=variables)
        assert done.code == 0, done.output
        outputs += [done.stdout, done.stderr]
    written = site.read_text()
    assert all(secret in written for secret in (*FIELDS.values(), *VARIABLES.values())), written
    outputs.append((tmp_path / "saved.plan").read_text())
    assert hunt(project, *outputs) == []
    records = [path for path in project.rglob("jobs/*") if path.is_file()]
    told = "".join([*outputs, *(path.read_text() for path in records)])
    assert VARIABLES["number"] not in told
    assert "joe" in told  # the field beside it is no secret
