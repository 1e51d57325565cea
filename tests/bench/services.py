"""The same work in the words of each tool: N operations that are independent, in ten layers, or in a chain."""

from __future__ import annotations

import json
from pathlib import Path

SHAPES = ("independent", "layers", "chain")
LAYERS = 10


def needs(shape: str, count: int) -> list[list[int]]:
    """For each operation, the operations it needs."""
    width = max(1, count // LAYERS)
    if shape == "chain":
        return [[number - 1] if number else [] for number in range(count)]
    if shape == "layers":
        return [[number - width] if number >= width else [] for number in range(count)]
    return [[] for _ in range(count)]


def tosca(folder: Path, shape: str, count: int, implementation: str, inputs: str = "") -> None:
    """Our service template; the implementation is YAML."""
    lines = [
        "tosca_definitions_version: tosca_simple_yaml_1_3",
        "node_types:",
        "  Bench:",
        "    derived_from: tosca.nodes.Root",
        f"    interfaces: {{Standard: {{operations: {{create: {{implementation: {implementation}{inputs}}}}}}}}}",
        "topology_template:",
        "  node_templates:",
    ]
    for number, needed in enumerate(needs(shape, count)):
        requirements = ", ".join(f"dependency: n{other}" for other in needed)
        lines.append(f"    n{number}: {{type: Bench{f', requirements: [{requirements}]' if needed else ''}}}")
    (folder / "service.yaml").write_text("\n".join(lines) + "\n")


def unfurl(folder: Path, shape: str, count: int) -> None:
    """Unfurl's ensemble with its configurator for commands."""
    lines = [
        "apiVersion: unfurl/v1alpha1",
        "kind: Ensemble",
        "spec:",
        "  service_template:",
        "    node_types:",
        "      Bench:",
        "        derived_from: tosca.nodes.Root",
        "        interfaces: {Standard: {operations: {configure: {implementation: "
        "{primary: Cmd}, inputs: {cmd: 'true'}}}}}",
        "    topology_template:",
        "      node_templates:",
    ]
    for number, needed in enumerate(needs(shape, count)):
        requirements = ", ".join(f"dependency: n{other}" for other in needed)
        lines.append(f"        n{number}: {{type: Bench{f', requirements: [{requirements}]' if needed else ''}}}")
    (folder / "ensemble.yaml").write_text("\n".join(lines) + "\n")


def opera(folder: Path, shape: str, count: int) -> None:
    """xOpera knows playbooks alone."""
    (folder / "create.yml").write_text(
        "- hosts: all\n  gather_facts: false\n  tasks: [{ansible.builtin.shell: 'true'}]\n"
    )
    tosca(folder, shape, count, "create.yml")


def terraform(folder: Path, shape: str, count: int) -> None:
    """Resources with a local-exec provisioner, in Terraform's JSON."""
    resources = {
        f"n{number}": {
            "depends_on": [f"terraform_data.n{other}" for other in needed],
            "provisioner": {"local-exec": {"command": "true"}},
        }
        for number, needed in enumerate(needs(shape, count))
    }
    (folder / "main.tf.json").write_text(json.dumps({"resource": {"terraform_data": resources}}))


def playbook(folder: Path, count: int, module: str, arguments: str) -> None:
    """One play with a task per operation: the order in which they are written is the only one it knows."""
    tasks = "\n".join(f"    - {module}: {arguments}" for _ in range(count))
    (folder / "play.yml").write_text(f"- hosts: localhost\n  gather_facts: false\n  tasks:\n{tasks}\n")


#: A command, a module, a fact, an include and what is included: two of the five start a process.
FIVE_TASKS = """\
- ansible.builtin.command: 'true'
- ansible.builtin.ping:
- ansible.builtin.set_fact: {five: 5}
- ansible.builtin.include_tasks: included.yml
"""
#: Four of the five start a process, and `stat` another one (`file`).
FIVE_HEAVY_TASKS = """\
- ansible.builtin.command: 'true'
- ansible.builtin.stat: {path: /}
- ansible.builtin.command: 'true'
- ansible.builtin.stat: {path: /tmp}
- ansible.builtin.set_fact: {five: 5}
"""


def role(folder: Path, main: str) -> str:
    """A role of local tasks; returns its name."""
    tasks = folder / "roles" / "five" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text(main)
    (tasks / "included.yml").write_text("- ansible.builtin.debug: {msg: '{{ five }}'}\n")
    return "five"
