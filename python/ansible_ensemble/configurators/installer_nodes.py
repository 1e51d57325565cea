"""Nodes of the types `tool.*`: their operations install, look for and remove what their properties name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ansible_ensemble.configurators.argument_types import hide_urls
from ansible_ensemble.configurators.install_main import is_program_name
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Assignment, Implementation, NodeTemplate, Operation, Topology
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.installers import folder_of

#: Types of installers -> what they install, and the properties that say it.
_KINDS = {
    "tool.Program": ("program", ("file", "checksum", "member", "program")),
    "tool.PythonPackages": ("python", ("packages", "source", "programs")),
}
_URLS = ("file", "source")
_CHECKSUM = re.compile(r"sha256:[0-9a-fA-F]{64}")
_OPERATIONS = (("Standard", "create"), ("Standard", "delete"), ("Install", "check"))


def add_installer_operations(topology: Topology, root: Path) -> list[InvalidInput]:
    """Give nodes of the types `tool.*` the operations that they do not have themselves.

    Returns:
        What is wrong with their properties.
    """
    faults: list[InvalidInput] = []
    for node in topology.node_templates.values():
        kind = next((one for one in _KINDS if node.type.is_a(one)), None)
        if kind is not None and not STAND_FOR_OTHERS.intersection(node.directives):
            hide_urls(node, topology, *_URLS)
            folder = folder_of(node, topology, root)
            faults += [*_faults(node, topology), *_path_faults(node, topology, folder, root)]
            _complete(node, *_KINDS[kind], folder, root)
    return faults


def _faults(node: NodeTemplate, topology: Topology) -> list[InvalidInput]:
    given = node.properties.get("checksum")
    value, is_known = static_value(topology, given.value) if given is not None else (None, False)
    if given is None or not is_known or (isinstance(value, str) and _CHECKSUM.fullmatch(value)):
        return []
    message = f"the checksum of '{node.name}' is {value!r}"
    return [InvalidInput(message, given.place or node.place, "write sha256: and 64 hexadecimal digits")]


def _path_faults(node: NodeTemplate, topology: Topology, folder: Path, root: Path) -> Iterator[InvalidInput]:
    """What would be put, and later removed, outside of where installers work."""
    if root.resolve() not in folder.resolve().parents:
        place = node.properties["folder"].place if "folder" in node.properties else node.place
        yield InvalidInput(f"the folder of '{node.name}' is not within the project", place or node.place)
    if (given := node.properties.get("program")) is not None:
        value, is_known = static_value(topology, given.value)
        if is_known and isinstance(value, str) and not is_program_name(value):
            yield InvalidInput(
                f"the program of '{node.name}' is {value!r}, which is no name", given.place or node.place
            )


def _complete(node: NodeTemplate, kind: str, names: tuple[str, ...], folder: Path, root: Path) -> None:
    given = {name: node.properties[name] for name in names if name in node.properties}
    where = given.get("file") or given.get("source")
    inputs = {name: Assignment({"get_property": ["SELF", name]}, place=one.place) for name, one in given.items()}
    fixed = {"kind": kind, "folder": str(folder), "base": str(where.base if where and where.base else root)}
    inputs |= {name: Assignment({"q": text}, place=node.place) for name, text in fixed.items()}
    implementation = Implementation(class_name="installer", operation_host="ORCHESTRATOR")
    made = Operation("", node.name, implementation, inputs, place=node.place, base=root)
    interfaces = dict(node.interfaces)
    for interface, name in _OPERATIONS:
        if node.operation(interface, name) is None:
            known = interfaces[interface]
            operations = {**known.operations, name: replace(made, interface=interface, name=name)}
            interfaces[interface] = replace(known, operations=operations)
    node.interfaces = interfaces
