"""Service templates for tests: nodes whose operations append their names to the file `log`."""

from __future__ import annotations

from pathlib import Path


def service(count: int, *, seconds: float = 0.0, chain: bool = False) -> str:
    """A service template of nodes n0, n1, ...; in a chain each needs the one before it."""
    lines = [
        "tosca_definitions_version: tosca_simple_yaml_1_3",
        "node_types:",
        "  Noted:",
        "    derived_from: tosca.nodes.Root",
        "    interfaces:",
        "      Standard:",
        "        operations:",
    ]
    for operation in ("create", "delete"):
        lines += [
            f"          {operation}:",
            f'            implementation: "echo begin {operation} $name >> log; sleep {seconds};'
            f' echo end {operation} $name >> log"',
            "            inputs: {name: {get_attribute: [SELF, tosca_name]}}",
        ]
    lines += ["topology_template:", "  node_templates:"]
    for number in range(count):
        lines += [f"    n{number}:", "      type: Noted"]
        if chain and number:
            lines += ["      requirements:", f"        - dependency: n{number - 1}"]
    return "\n".join(lines) + "\n"


def noted(folder: Path, mark: str = "end") -> list[str]:
    """What operations noted, in order: `create n0`, ..."""
    log = folder / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.removeprefix(f"{mark} ") for line in lines if line.startswith(f"{mark} ")]
