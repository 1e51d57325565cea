"""Types whose own properties are what their module, role or tasks are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.resources import add_operations
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Group:
    derived_from: ansible.Resource
    metadata: {{arguments: properties, additionalProperties: true}}
    properties:
      module: {{type: string, default: group}}
      name: {{type: string, required: false}}
  Page:
    derived_from: ansible.Resource
    metadata: {{arguments: properties}}
    properties:
      module: {{type: string, default: uri}}
      url: {{type: string}}
      url_password: {{type: string, required: false}}
      note: {{type: string, required: false}}
  Own: {{derived_from: Group, properties: {{gid: {{type: integer, default: 7}}}}}}
topology_template:
  node_templates:
    one: {}
"""


def made(folder: Path, template: str) -> tuple[NodeTemplate, list[str]]:
    topology = load_topology(parse_yaml(SERVICE.format(template), folder / "service.yaml"))
    faults = add_operations(topology, folder)
    return topology.node_templates["one"], [str(fault).partition("service.yaml:")[2] for fault in faults]


def inputs(node: NodeTemplate, interface: str, name: str) -> dict[str, Any]:
    operation = node.operation(interface, name)
    assert operation is not None
    return {key: one.value for key, one in operation.inputs.items()}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{type: Group}", ["name"]),
        ("{type: Group, properties: {gid: 3, keywords: {become: true}}}", ["gid", "name"]),
        ("{type: Group, properties: {gid: null, hosts: [a]}}", ["name"]),
        ("{type: Group, properties: {gid: 3, args: {system: true}}}", ["gid", "name", "system"]),
        ("{type: Own}", ["gid", "name"]),
    ],
)
def test_properties_are_arguments(tmp_path: Path, template: str, expected: list[str]) -> None:
    node, faults = made(tmp_path, template)
    assert faults == []
    given = inputs(node, "Standard", "configure")
    assert sorted(given) == expected
    assert given["name"] == {"get_property": ["SELF", "name"]}
    assert inputs(node, "Install", "check") == given
    assert inputs(node, "Standard", "delete") == {**given, "state": "absent"}
    assert node.properties["name"].value == "one"


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (
            "{type: Group, properties: {gidd: 3}}",
            "20:43: module group of 'one' has no argument 'gidd' (did you mean gid?)",
        ),
        (
            "{type: Group, properties: {gid: x}}",
            "20:42: argument 'gid' of module group of 'one' is 'x', which is not of type int",
        ),
        ("{type: Page, properties: {url: a, note: b}}", "20:50: module uri of 'one' has no argument 'note'"),
    ],
)
def test_wrong_ones_are_told_where_they_stand(tmp_path: Path, template: str, fault: str) -> None:
    (told,) = made(tmp_path, template)[1]
    assert told.startswith(fault)


def test_secrets_are_sensitive(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{type: Page, properties: {url: a, url_password: b}}")
    definitions = {name: one.definition for name, one in node.properties.items()}
    assert {name for name, one in definitions.items() if one is not None and one.sensitive} == {"url_password"}


def test_undeclared_secrets_are_sensitive(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{type: Group, properties: {module: uri, url: a, url_password: b}}")
    definition = node.properties["url_password"].definition
    assert definition is not None and definition.sensitive


def test_without_log_all_are_secret(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{type: Group, properties: {gid: 3, keywords: {no_log: true}}}")
    for name in ("gid", "name"):
        definition = node.properties[name].definition
        assert definition is not None and definition.sensitive
