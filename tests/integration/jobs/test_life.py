"""Lives of small ensembles: replaced, left by their spec, with secrets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HOSTED = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Noted:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer, default: 80}}
    capabilities: {host: {type: tosca.capabilities.Compute}}
    requirements:
      - host:
          capability: tosca.capabilities.Compute
          relationship: tosca.relationships.HostedOn
          occurrences: [0, 1]
    interfaces:
      Standard:
        operations:
          create:
            implementation: "echo create $name >> log"
            inputs: {name: {get_attribute: [SELF, tosca_name]}}
          delete:
            implementation: scripts/delete.sh
            inputs: {name: {get_attribute: [SELF, tosca_name]}, port: {get_property: [SELF, port]}}
topology_template:
  node_templates:
    server: {type: Noted}
    app: {type: Noted, requirements: [host: server], properties: {port: 81}}
"""


@pytest.fixture
def hosted(command, tmp_path: Path) -> Path:
    """A deployed app on a server; a file `keep-NAME` makes the deletion of NAME fail."""
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "delete.sh"
    script.write_text('#!/bin/sh\ntest ! -e keep-$name && echo "delete $name $port" >> log\n')
    script.chmod(0o755)
    (tmp_path / "service.yaml").write_text(HOSTED)
    assert command("deploy", "--approve", "service.yaml").code == 0
    (tmp_path / "log").unlink()
    return tmp_path


def log(folder: Path) -> list[str]:
    file = folder / "log"
    return file.read_text().splitlines() if file.exists() else []


def test_a_replaced_host_takes_along_what_it_hosts(command, hosted):
    assert command("deploy", "--approve", "--replace", "server", "service.yaml").code == 0
    assert log(hosted) == ["delete app 81", "delete server 80", "create server", "create app"]


def test_a_deletion_that_fails_keeps_what_it_stands_on(command, hosted):
    (hosted / "keep-app").touch()
    run = command("undeploy", "--approve", "service.yaml")
    assert run.code == 1
    assert "server: delete  needs app: delete" in run.output
    assert log(hosted) == []
    (hosted / "keep-app").unlink()
    assert command("undeploy", "--approve", "service.yaml").code == 0
    assert log(hosted) == ["delete app 81", "delete server 80"]


def test_what_left_the_spec_is_deleted_by_what_was_kept_of_it(command, hosted):
    """The template, its type and the script are all gone."""
    (hosted / "scripts" / "delete.sh").unlink()
    (hosted / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {node_templates: {}}\n"
    )
    kept = command("deploy", "--approve", "service.yaml")
    assert (kept.code, log(hosted)) == (0, [])
    assert "app  it is no longer in the spec, and --prune is not set" in kept.output.replace("app     it", "app  it")
    pruned = command("deploy", "--approve", "--prune", "service.yaml")
    assert pruned.code == 0, pruned.output
    assert log(hosted) == ["delete app 81", "delete server 80"]
    assert json.loads(command("status", "--output", "json", "service.yaml").stdout)["instances"] == []


SECRET = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Db:
    derived_from: tosca.nodes.Root
    properties: {password: {type: string, metadata: {sensitive: true}}}
    attributes: {token: {type: string, metadata: {sensitive: true}}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: 'echo "{\\"token\\": \\"token-$password\\"}"'
            inputs: {password: {get_property: [SELF, password]}}
            outputs: {token: [SELF, token]}
  App:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        operations:
          configure:
            implementation: "test -n $token && echo configure >> log"
            inputs: {token: {get_attribute: [db, token]}}
topology_template:
  inputs: {password: {type: string, metadata: {sensitive: true}}}
  node_templates:
    db: {type: Db, properties: {password: {get_input: password}}}
    app: {type: App, requirements: [dependency: db]}
"""


@pytest.mark.parametrize("vault", [False, True])
def test_a_secret_attribute_is_no_reason_to_run_again(command, tmp_path, vault):
    (tmp_path / "service.yaml").write_text(SECRET)
    (tmp_path / "vault-password").write_text("v4ult\n")
    options = ["--input", "password=s3cretive", *(["--vault-password-file", "vault-password"] if vault else [])]
    first = command("deploy", "--approve", *options, "service.yaml")
    assert first.code == 0, first.output
    assert log(tmp_path) == ["configure"]
    again = command("plan", "--detailed-exitcode", *options, "service.yaml")
    assert again.code == 0, again.output
    assert ("taken as unchanged" in again.output) is not vault
    changed = command("plan", "--detailed-exitcode", *[o.replace("s3c", "t3c") for o in options], "service.yaml")
    assert changed.code == 2
    assert "password: (sensitive value)" in changed.output
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"s3cretive" not in path.read_bytes(), path
