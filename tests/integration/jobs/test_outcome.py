"""The command and the playbook tell one outcome of a job."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard: {operations: {create: echo made}}
      Tool: {type: tosca.interfaces.Root, operations: {bad: exit 3, good: echo good}}
  Ill:
    derived_from: Thing
    interfaces: {Standard: {operations: {create: 'echo "{\\"status\\": \\"error\\"}"'}}}
topology_template:
  node_templates:
    thing: {type: Thing, requirements: [{dependency: ill}]}
    ill: {type: Ill, metadata: {priority: PRIORITY}}
  workflows:
    mended:
      steps:
        try: {target: thing, activities: [{call_operation: Tool.bad}, {call_operation: Tool.good}], on_failure: [mend]}
        mend: {target: thing, activities: [{call_operation: Tool.good}]}
"""
FAILED = "Deploy failed: 1 failed, 1 blocked."


@pytest.mark.parametrize(("priority", "ok"), [("required", False), ("optional", True)])
def test_a_reported_error_counts_by_its_priority(
    tmp_path: Path, command: Callable[..., Any], priority: str, ok: bool
) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE.replace("PRIORITY", priority))
    play = command("tosca.ensemble.deploy", "-e", "ensemble=service.yaml", program="ansible-playbook")
    assert (play.code == 0, "Deploy complete! 1 added" in play.stdout, FAILED in play.stdout) == (ok, ok, not ok)
    run = command("deploy", "--approve", "--output", "json", "--force", "ensemble.yaml")
    report = json.loads(run.stdout)
    assert (run.code, report["job"]["exit_code"], report["job"]["success"]) == (int(not ok), int(not ok), ok)
    if not ok:
        return
    run = command("run", "--approve", "--workflow", "mended", "ensemble.yaml")
    assert (run.code, "Mended complete! " in run.stdout) == (0, True), run.output
    assert "thing: Tool.bad failed, handled by its workflow" in run.stdout
    play = command(
        "tosca.ensemble.run",
        *("-e", "ensemble=ensemble.yaml", "-e", "ensemble_workflow=mended"),
        program="ansible-playbook",
    )
    assert (play.code, "Mended complete! " in play.stdout) == (0, True), play.output
