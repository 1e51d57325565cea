"""A dry run leaves out what only a real run can tell, and goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Maker:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: 'touch made; echo "{\\"url\\": \\"here\\"}"'
            outputs: {url: [SELF, url]}
  User:
    derived_from: tosca.nodes.Root
    properties: {text: {type: string}}
    interfaces:
      Standard:
        operations:
          create:
            implementation: ansible.builtin.copy
            inputs: {dest: FOLDER/copied, content: {get_property: [SELF, text]}}
topology_template:
  node_templates:
    app: {type: Maker}
    needs: {type: User, properties: {text: {get_attribute: [app, url]}}, requirements: [{dependency: app}]}
    after: {type: User, properties: {text: known}, requirements: [{dependency: needs}]}
"""


def test_what_needs_a_live_value_is_left_out(tmp_path: Path, command: Callable[..., Any]) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("FOLDER", str(tmp_path)))
    run = command("deploy", "--check", "--approve", "service.yaml")
    assert run.code == 0, run.output
    assert "needs: create skipped: needs app.url, which only a real run gives" in run.stdout
    assert "after: create would change" in run.stdout, "what depends on it is still tried"
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "copied").exists()
    assert not (tmp_path / "ensemble.yaml").exists()
    play = command("tosca.ensemble.deploy", "--check", "-e", "ensemble=service.yaml", program="ansible-playbook")
    assert play.code == 0, play.output
    assert "Dry run of deploy complete: " in play.stdout
    left = {path.name for path in (tmp_path / "planned").rglob("*") if path.is_file()}
    assert left == set(), "the plan and the journal of a dry run are gone with it"


ROLE = """
- ansible.builtin.copy: {content: "{{ word }}", dest: FOLDER/made}
- ansible.builtin.set_stats: {data: {url: "{{ word }}", size: 2}}
"""

CHECKED = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Web:
    derived_from: tosca.nodes.Root
    properties: {word: {type: string}}
    attributes: {url: {type: string}, size: {type: integer}}
    interfaces:
      Standard: {inputs: &inputs {word: {get_property: [SELF, word]}}, operations: {configure: web}}
      Install: {inputs: *inputs, operations: {check: {implementation: {primary: web, check_mode: true}}}}
topology_template:
  node_templates:
    web: {type: Web, properties: {word: one}}
"""


def test_a_check_by_check_mode_records_no_value_that_would_be(tmp_path: Path, command: Callable[..., Any]) -> None:
    tasks = tmp_path / "roles" / "web" / "tasks" / "main.yml"
    tasks.parent.mkdir(parents=True)
    tasks.write_text(ROLE.replace("FOLDER", str(tmp_path)))
    service, ensemble = tmp_path / "service.yaml", tmp_path / "ensemble.yaml"
    service.write_text(CHECKED)
    assert command("deploy", "--approve", "service.yaml").code == 0
    service.write_text(CHECKED.replace("word: one", "word: two"))
    run = command("check", "--output", "json", "ensemble.yaml")
    assert run.code == 0, run.output
    report = json.loads(run.stdout)
    assert [(task["basis"], task["changed"], task["target_status"]) for task in report["tasks"]] == [
        ("predicted", False, "drifted")
    ]
    assert report["drift"] == [
        {"instance": "web", "changes": [{"name": "status", "recorded": "ok", "live": "drifted"}]}
    ]
    recorded = yaml.safe_load(ensemble.read_text())["status"]["instances"]["web"]
    assert (recorded["attributes"], recorded["readyState"]["local"]) == ({"url": "one", "size": 2}, "drifted")
    assert (tmp_path / "made").read_text() == "one"
