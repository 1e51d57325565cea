"""Groups of a topology are groups of Ansible's inventory, with their variables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App: {derived_from: tosca.nodes.Root, attributes: {said: {type: string}}}
topology_template:
  node_templates:
    web: {type: tosca.nodes.Compute}
    app:
      type: App
      interfaces:
        Standard:
          operations:
            create:
              implementation: {primary: tasks.yaml, operation_host: web}
              outputs: {said: [SELF, said]}
  groups:
    web-servers:
      type: unfurl.groups.AnsibleInventoryGroup
      members: [web]
      properties: {hostvars: {word: hello}}
    web.servers:
      type: unfurl.groups.AnsibleInventoryGroup
      members: [web]
      properties: {hostvars: {more: of the same name}}
"""


def test_what_runs_on_a_member_has_the_variables(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "tasks.yaml").write_text('- set_stats: {data: {said: "{{ word }}"}}\n')
    run = command("deploy", "-y", "service.yaml")
    assert run.code == 0, run.output
    assert command("query", "::app::said").stdout.strip() == "hello"


def test_plays_see_the_group(command: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "tasks.yaml").write_text(
        "- set_stats: {data: {said: \"{{ group_names | join }} {{ groups['web_servers'] | length }}\"}}\n"
    )
    run = command("deploy", "-y", "service.yaml")
    assert run.code == 0, run.output
    assert command("query", "::app::said").stdout.strip() == "web_servers 1"


def test_the_inventory_has_the_group(command: Callable[..., Any], tmp_path: Path, collections: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "tasks.yaml").write_text("[]\n")
    assert command("deploy", "-y", "service.yaml").code == 0
    (tmp_path / "here.yml").write_text("plugin: tosca.ensemble.ensemble\nensemble: ensemble.yaml\n")
    listed = command(
        "-i",
        "here.yml",
        "--list",
        program="ansible-inventory",
        extra={"ANSIBLE_COLLECTIONS_PATH": str(collections), "ANSIBLE_INVENTORY_ENABLED": "tosca.ensemble.ensemble"},
    )
    found = json.loads(listed.stdout, object_hook=lambda item: item.get("__ansible_unsafe", item))
    assert found["web_servers"]["hosts"] == ["web"]
    variables = found["_meta"]["hostvars"]["web"]
    assert (variables["word"], variables["more"]) == ("hello", "of the same name")
