"""Values from end to end: what expressions give is what operations get, and what decides whether they run again."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

OUTPUTS = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Maker: {derived_from: tosca.nodes.Root, attributes: {out: {type: string}}}
topology_template:
  inputs: {n: {type: integer, default: 1}, k: {type: integer, default: 1}}
  node_templates:
    a:
      type: Maker
      interfaces:
        Standard:
          create:
            implementation: 'printf ''{"id": "id-%s", "rest": "r"}'' $n'
            inputs: {n: {get_input: n}}
            outputs: {rest: [SELF, out]}
    b:
      type: tosca.nodes.Root
      requirements: [{dependency: a}]
      interfaces:
        Standard:
          configure:
            implementation: 'echo $x $k >> log'
            inputs: {x: {get_operation_output: [a, Standard, create, id]}, k: {get_input: k}}
"""


def deploy(command: Any, *arguments: str) -> list[str]:
    """Deploy; the operations that ran."""
    done = command("deploy", "--approve", "--output", "json", "service.yaml", *arguments)
    assert done.code == 0, done.output
    return [f"{task['instance']}:{task['operation'].rpartition('.')[2]}" for task in json.loads(done.stdout)["tasks"]]


def test_an_output_is_known_to_later_jobs(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(OUTPUTS)
    assert deploy(command) == ["a:create", "b:configure"]
    assert deploy(command) == []
    assert deploy(command, "--input", "k=2") == ["b:configure"]
    assert deploy(command, "--input", "k=2", "--input", "n=5") == ["a:create", "b:configure"]
    assert (tmp_path / "log").read_text() == "id-1 1\nid-1 2\nid-5 2\n"


FOLDERS = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          configure:
            implementation: 'cp $f $own/copy; echo $f >> log'
            inputs:
              f: {eval: {tempfile: {k: 1}, encoding: json, suffix: .json}}
              own: {eval: {get_dir: [artifacts, true]}}
"""


def test_files_of_an_operation_are_its_own_and_kept(command: Any, tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(FOLDERS)
    assert deploy(command) == ["a:configure"]
    assert deploy(command) == [], "a temporary file of the same contents is the same value"
    kept = tmp_path / "active/artifacts/a/Standard.configure/copy"
    assert json.loads(kept.read_text()) == {"k": 1}
    made = Path((tmp_path / "log").read_text().strip())
    assert made.parent == tmp_path / "planned/tmp"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
