"""Operations of nodes of the types `tool.*`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.installer_nodes import add_installer_operations
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template: {{node_templates: {{one: {{{}}}}}}}
"""
CHECKSUM = "sha256:" + "0a" * 32


def made(folder: Path, template: str) -> tuple[NodeTemplate, list[str]]:
    topology = load_topology(parse_yaml(SERVICE.format(template), folder / "service.yaml"))
    faults = [str(fault).partition(": ")[2] for fault in add_installer_operations(topology, folder)]
    return topology.node_templates["one"], faults


@pytest.mark.parametrize(
    ("template", "given"),
    [
        (
            f"type: tool.Program, properties: {{file: a/b, checksum: '{CHECKSUM}'}}",
            {"kind": "program", "file": "file", "checksum": "checksum", "program": "program"},
        ),
        ("type: tool.PythonPackages, properties: {packages: [a==1]}", {"kind": "python", "packages": "packages"}),
        (
            "type: tool.Collection, properties: {name: acme.tools, version: 1.0.0, token: word}",
            {"kind": "collection", "name": "name", "version": "version", "token": "token"},
        ),
    ],
)
def test_its_properties_are_inputs(tmp_path: Path, template: str, given: dict[str, Any]) -> None:
    node, faults = made(tmp_path, template)
    assert faults == []
    for interface, name in (("Standard", "create"), ("Standard", "delete"), ("Install", "check")):
        operation = node.operation(interface, name)
        assert operation is not None
        values = {key: one.value for key, one in operation.inputs.items()}
        assert values.pop("folder") == {"q": str(tmp_path / ".tools" / "one")}
        assert values.pop("base") == values.pop("root") == {"q": str(tmp_path)}
        assert {key: one.get("q") or one["get_property"][1] for key, one in values.items()} == given


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "type: tool.Program, properties: {file: a, checksum: 12}",
            "the checksum of 'one' is 12 (write sha256: and 64",
        ),
    ],
)
def test_wrong_properties_are_told(tmp_path: Path, template: str, message: str) -> None:
    _, (fault,) = made(tmp_path, template)
    assert fault.startswith(message)


def test_its_own_operations_go_first(tmp_path: Path) -> None:
    own = "interfaces: {Standard: {operations: {delete: 'true'}}}"
    node, _ = made(tmp_path, f"type: tool.PythonPackages, properties: {{packages: [a]}}, {own}")
    delete = node.operation("Standard", "delete")
    assert delete is not None and delete.implementation is not None and delete.implementation.primary == "true"


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ("folder: ../..", "the folder of 'one' is not within the project"),
        ("folder: .", "the folder of 'one' is not within the project"),
        ("folder: /opt/tools", "the folder of 'one' is not within the project"),
        ("program: ../../x", "the program of 'one' is '../../x', which is no name"),
        ("program: /bin/x", "the program of 'one' is '/bin/x', which is no name"),
    ],
)
def test_what_leads_elsewhere_is_refused(tmp_path: Path, wrong: str, fault: str) -> None:
    _, faults = made(tmp_path, f"type: tool.Program, properties: {{file: a, checksum: '{CHECKSUM}', {wrong}}}")
    assert faults == [fault]


def test_an_address_with_a_password_is_a_secret(tmp_path: Path) -> None:
    rest = f"checksum: '{CHECKSUM}'"
    for file, is_secret in (("https://u:canary@h/a", True), ("https://h/a", False)):
        node, faults = made(tmp_path, f"type: tool.Program, properties: {{file: '{file}', {rest}}}")
        assert faults == []
        assert bool(node.type.properties["file"].metadata.get("sensitive")) == is_secret


def test_packages_are_those_of_the_module(tmp_path: Path) -> None:
    node, faults = made(tmp_path, "type: tool.Packages, properties: {packages: [git], become: true, inventory_host: a}")
    assert faults == []
    states = {}
    for name in ("create", "delete"):
        operation = node.operation("Standard", name)
        assert operation is not None and (found := operation.implementation) is not None
        assert (found.primary, found.operation_host, found.settings) == (
            "ansible.builtin.package",
            "a",
            {"become": True},
        )
        states[name] = operation.inputs["state"].value
    assert states == {"create": "present", "delete": "absent"}
    assert node.operation("Install", "check") is None


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ("name: tools, version: 1.0.0", "the name of 'one' is 'tools', which is no collection"),
        ("name: acme.tools", "nothing says which collection 'one' is"),
        ("name: acme.tools, file: a.tar.gz", "nothing says which collection 'one' is"),
        (f"name: acme.tools, file: a, version: 1.0.0, checksum: '{CHECKSUM}'", "nothing says which collection"),
    ],
)
def test_a_collection_is_pinned(tmp_path: Path, properties: str, message: str) -> None:
    _, faults = made(tmp_path, f"type: tool.Collection, properties: {{{properties}}}")
    assert [fault for fault in faults if fault.startswith(message)] == faults != []
