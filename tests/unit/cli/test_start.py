"""What a start costs, in numbers that do not depend on the machine: the modules that a command imports.

A number that got smaller is written down here, so that it stays.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

#: How many modules may be imported beyond the number that is written down, as a part of it.
_SLACK = 0.05
#: What is large, and what few topologies need.
_RARE = frozenset(
    {"ansible", "ansible_runner", "asyncio", "git", "http.client", "jinja2", "jsonschema", "ruamel", "ssl"}
)
_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a: &node
      type: tosca.nodes.Root
      interfaces: {Standard: {operations: {create: {implementation: {className: Cmd, primary: "true"}}}}}
    b: *node
"""
_PROGRAM = """\
import json, sys
from ansible_ensemble.cli.main import main
code = main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("--help",), 26),
        (("plan", "service.yaml"), 310),
        (("status", "service.yaml"), 250),
        (("history", "service.yaml"), 249),
        (("validate", "service.yaml"), 302),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_a_command_imports_no_more_than_it_needs(tmp_path: Path, words: tuple[str, ...], most: int) -> None:
    (tmp_path / "service.yaml").write_text(_SERVICE)
    # settings of Ansible in the environment are read by Ansible itself, which takes its import
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    environment = {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *words], cwd=tmp_path, env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stderr.splitlines()[-1])
    own = [name for name in loaded if name.startswith("ansible_ensemble.")]
    assert len(own) <= most * (1 + _SLACK), f"by room: {Counter(name.split('.')[1] for name in own)}"
    assert not _RARE.intersection(loaded)


def test_an_agent_imports_nothing_that_few_agents_need() -> None:
    mine = ("cli.main", "cli.trust", "cli.commands.provision.agent", "machines.ansible_process", "provision.agent.run")
    program = f"import sys, {', '.join(f'ansible_ensemble.{name}' for name in mine)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=True)
    assert not {"aiohttp", "yarl", "jsonschema", "yaml", "ansible"}.intersection(done.stdout.split())
