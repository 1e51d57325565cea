"""Operations of nodes of the type `terraform.Module`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators.terraform_nodes import add_terraform_operations
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {{where: {{type: string, default: stack}}}}
  node_templates:
    one: {{type: terraform.Module, {}}}
"""


def made(folder: Path, template: str) -> tuple[NodeTemplate, list[str]]:
    (folder / "stack").mkdir()
    (folder / "stack" / "main.tf").write_text("")
    topology = load_topology(parse_yaml(SERVICE.format(template), folder / "service.yaml"))
    faults = [str(fault).partition(": ")[2] for fault in add_terraform_operations(topology, folder)]
    return topology.node_templates["one"], faults


@pytest.mark.parametrize("source", ["stack", "{get_input: where}"])
def test_its_properties_are_inputs(tmp_path: Path, source: str) -> None:
    node, faults = made(tmp_path, f"properties: {{source: {source}, workspace: blue}}")
    assert faults == []
    for interface, name in (("Standard", "configure"), ("Standard", "delete"), ("Install", "check")):
        operation = node.operation(interface, name)
        assert operation is not None and operation.implementation is not None
        assert (operation.implementation.primary, operation.base) == ("stack", tmp_path)
        assert {key: one.value["get_property"][1] for key, one in operation.inputs.items()} == {
            "tfvars": "variables",
            "workspace": "workspace",
        }


def test_its_own_operations_go_first(tmp_path: Path) -> None:
    own = "properties: {source: stack}, interfaces: {Standard: {operations: {delete: 'true'}}}"
    node, _ = made(tmp_path, own)
    delete, configure = node.operation("Standard", "delete"), node.operation("Standard", "configure")
    assert delete is not None and delete.implementation is not None and delete.implementation.class_name is None
    assert configure is not None


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("properties: {source: nowhere}", "there is no Terraform module nowhere for the operation"),
        ("properties: {source: {get_env: HOME}}", "the source of 'one' must be the folder of a Terraform module"),
        ("properties: {source: ''}", "the source of 'one' must be the folder of a Terraform module"),
    ],
)
def test_a_wrong_source_is_told(tmp_path: Path, template: str, message: str) -> None:
    _, (fault,) = made(tmp_path, template)
    assert fault.startswith(message)


def test_one_that_stands_for_another_has_none(tmp_path: Path) -> None:
    node, faults = made(tmp_path, "directives: [select], properties: {source: nowhere}")
    assert (node.operation("Standard", "configure"), faults) == (None, [])


def test_a_declared_operation_keeps_what_it_says(tmp_path: Path) -> None:
    own = "interfaces: {Standard: {operations: {configure: {inputs: {size: 2}, outputs: {id: [SELF, tosca_id]}}}}}"
    node, _ = made(tmp_path, f"properties: {{source: stack}}, {own}")
    configure = node.operation("Standard", "configure")
    assert configure is not None
    assert sorted(configure.inputs) == ["size", "tfvars"]
    assert list(configure.outputs) == ["id"]


@pytest.mark.parametrize(("main", "deploys"), [("main: stack", True), ("other: 1", False)])
def test_the_type_of_unfurl_runs_its_main(tmp_path: Path, main: str, deploys: bool) -> None:
    service = SERVICE.replace("terraform.Module", "unfurl.nodes.Installer.Terraform")
    text = service.format(f"properties: {{{main}}}")
    topology = load_topology(parse_yaml(text, tmp_path / "service.yaml"))
    assert list(add_terraform_operations(topology, tmp_path)) == []
    node = topology.node_templates["one"]
    assert node.deploys is deploys
    configure = node.operation("Standard", "configure")
    if configure is not None:
        assert (configure.inputs["main"].value, configure.base) == ({"get_property": ["SELF", "main"]}, tmp_path)


@pytest.mark.parametrize("given", ["inputs: {main: stack, size: 2}", "configure: {inputs: {main: stack, size: 2}}"])
def test_the_type_of_unfurl_takes_main_as_an_input(tmp_path: Path, given: str) -> None:
    service = SERVICE.replace("terraform.Module", "unfurl.nodes.Installer.Terraform")
    text = service.format(f"interfaces: {{Standard: {{{given}}}}}")
    topology = load_topology(parse_yaml(text, tmp_path / "service.yaml"))
    assert list(add_terraform_operations(topology, tmp_path)) == []
    for interface, name in (("Standard", "configure"), ("Standard", "delete"), ("Install", "check")):
        operation = topology.node_templates["one"].operation(interface, name)
        assert operation is not None
        assert {key: one.value for key, one in operation.inputs.items()} == {"main": "stack", "size": 2}


MAPPED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Stack:
    derived_from: tosca.nodes.Root
    properties:
      size: {{type: integer, default: 2, metadata: {{tfvar: true}}}}
      colour: {{type: string, required: false, metadata: {{tfvar: color}}}}
      plain: {{type: string, default: none}}
      more: {{type: string, required: false, metadata: {{tfvar: {}}}}}
    attributes: {{name: {{type: string, metadata: {{tfoutput: full_name}}}}}}
    interfaces:
      Standard:
        operations: {{configure: {{implementation: stack, inputs: {{size: 3}}}}, delete: stack, stop: echo on}}
topology_template:
  node_templates:
    one: {{type: Stack, properties: {{colour: red}}}}
"""


def test_metadata_says_what_is_a_variable_and_what_an_output(tmp_path: Path) -> None:
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack" / "main.tf").write_text("")
    topology = load_topology(parse_yaml(MAPPED.format("more"), tmp_path / "service.yaml"))
    assert list(add_terraform_operations(topology, tmp_path)) == []
    standard = topology.node_templates["one"].interfaces["Standard"].operations
    given = {name: {key: one.value for key, one in standard[name].inputs.items()} for name in standard}
    assert given["configure"] == {"size": 3, "color": {"get_property": ["SELF", "colour"]}}
    assert given["delete"]["size"] == {"get_property": ["SELF", "size"]}
    assert given["stop"] == {}
    assert (standard["configure"].outputs, standard["stop"].outputs) == ({"full_name": ["SELF", "name"]}, {})


def test_a_variable_that_an_input_hides_is_told(tmp_path: Path) -> None:
    topology = load_topology(parse_yaml(MAPPED.format("command"), tmp_path / "service.yaml"))
    (fault,) = add_terraform_operations(topology, tmp_path)
    assert "the variable 'command' of Terraform cannot be the property 'more' of 'one'" in str(fault)
