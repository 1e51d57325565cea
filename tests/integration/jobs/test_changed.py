"""Whether something changed: the playbook, its recap, the command, the record and `show` say the same of one run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    page: {type: tosca.nodes.Root, interfaces: {Standard: {create: {implementation: ansible.builtin.copy, inputs: {
      content: hello, dest: FOLDER/page}}}}}
    kept: {module: ansible.builtin.copy, args: {content: hello, dest: FOLDER/kept}}
    shell: {type: tosca.nodes.Root, interfaces: {Standard: {create: COMMAND}}}
"""
#: What the command is, whether that counts as changed, and whether it may in a dry run, which leaves it out.
COMMANDS = {
    "command": ("echo made", True, True),
    "changed_when": ("{implementation: {primary: echo made, changed_when: false}}", False, False),
    "modified": ("""'echo "{\\"modified\\": false}"'""", False, True),
}


@pytest.mark.parametrize(("text", "counts", "may"), COMMANDS.values(), ids=COMMANDS)
def test_all_say_the_same_of_one_run(
    text: str, counts: bool, may: bool, command: Callable[..., Any], tmp_path: Path
) -> None:
    for name in ("page", "kept"):  # they are there already
        (tmp_path / name).write_text("hello")
    (tmp_path / "service.yaml").write_text(SERVICE.replace("FOLDER", str(tmp_path)).replace("COMMAND", text))
    dry = command("tosca.ensemble.deploy", "--check", "-e", "ensemble=service.yaml", program="ansible-playbook")
    recap = re.search(r"changed=(\d)", dry.output)
    assert recap and bool(int(recap[1])) is may, dry.output
    done = command("deploy", "--approve", "--output", "json", "service.yaml")
    assert done.code == 0, done.output
    report = json.loads(done.stdout)
    tasks = {task["instance"]: task["changed"] for task in report["tasks"]}
    assert (report["changed"], report["job"]["changed"], tasks) == (
        counts,
        counts,
        {"page": False, "kept": False, "shell": counts},
    )
    shown = json.loads(command("show", report["job"]["id"], "--output", "json").stdout)
    recorded = {task["target"]: task["changed"] for task in shown["tasks"]}
    assert recorded == {"::page": False, "::kept": False, "::shell": counts}
