from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import place_of, read_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.normative import PROFILE, ROOTS, SECTIONS, SUPPLEMENT, definitions_file, read_definitions
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.language.types import Types
from ansible_ensemble.topology.definitions import build_type

UNFURL: dict[str, list[str]] = read_yaml(Path(__file__).with_name("unfurl_types.yaml")).data


@pytest.fixture(scope="module")
def types() -> Types:
    return Types(Problems(), build_type)


@pytest.mark.parametrize("kind", SECTIONS)
def test_types_of_unfurl_are_there(types: Types, kind: str) -> None:
    for name in UNFURL.get(SECTIONS[kind], ()):
        assert types.get(kind, name, types.normative, None) is not None
    assert types.problems.errors == []


@pytest.mark.parametrize(
    ("kind", "name", "canonical"),
    [
        ("node", "tosca.nodes.Compute", "tosca.nodes.Compute"),
        ("node", "Compute", "tosca.nodes.Compute"),
        ("node", "tosca:Compute", "tosca.nodes.Compute"),
        ("node", "tosca.nodes.BlockStorage", "tosca.nodes.Storage.BlockStorage"),
        ("node", "tosca:BlockStorage", "tosca.nodes.Storage.BlockStorage"),
        ("node", "Storage.ObjectStorage", "tosca.nodes.Storage.ObjectStorage"),
        ("node", "Port", "tosca.nodes.network.Port"),
        ("capability", "network.Bindable", "tosca.capabilities.network.Bindable"),
        ("relationship", "HostedOn", "tosca.relationships.HostedOn"),
        ("interface", "Standard", "tosca.interfaces.node.lifecycle.Standard"),
        ("interface", "Install", "unfurl.interfaces.Install"),
        ("data", "PortDef", "tosca.datatypes.network.PortDef"),
        ("data", "tosca:integer", "integer"),
        ("artifact", "Deployment.Image.VM", "tosca.artifacts.Deployment.Image.VM"),
        ("group", "tosca:Root", "tosca.groups.Root"),
    ],
)
def test_names(types: Types, kind: str, name: str, canonical: str) -> None:
    assert types.canonical(kind, name, types.normative, None) == canonical


def test_every_normative_type_builds_and_derives_from_its_root(types: Types) -> None:
    for kind in SECTIONS:
        for declaration in list(types.normative.names[kind].values()):
            entity = types.entity(declaration)
            assert kind == "data" or entity.is_a(ROOTS[kind])
    types.problems.raise_all()


def test_what_tosca_parser_lacks_is_there(types: Types) -> None:
    for kind, names in {
        "capability": ("Compute", "Network", "Storage"),
        "data": ("json", "xml", "TimeInterval"),
        "node": ("Abstract.Compute", "Abstract.Storage", "Storage.BlockStorage", "Storage.ObjectStorage"),
    }.items():
        for name in names:
            assert types.find(kind, name, types.normative) is not None


def test_lineage(types: Types) -> None:
    entity = types.get("node", "DBMS", types.normative, None)
    assert entity is not None
    assert [one.name for one in entity.lineage()] == [
        "tosca.nodes.DBMS",
        "tosca.nodes.SoftwareComponent",
        "tosca.nodes.Root",
    ]
    assert list(entity.requirements) == ["dependency", "host"]
    assert entity.capabilities["host"].valid_source_types == ["tosca.nodes.Database"]
    assert repr(entity) == "EntityType('node', 'tosca.nodes.DBMS')"


def test_operations_of_the_configure_interface(types: Types) -> None:
    relationship = types.root("relationship")
    assert list(relationship.interfaces["Configure"].operations) == [
        *("pre_configure_source", "pre_configure_target", "post_configure_source", "post_configure_target"),
        *("add_target", "add_source", "target_changed", "remove_target", "remove_source"),
    ]


def test_refinement_keeps_what_it_does_not_repeat(load) -> None:  # type: ignore[no-untyped-def]
    topology = load(
        """
node_types:
  A:
    properties:
      p: {type: integer, required: false, metadata: {sensitive: true}, constraints: [{in_range: [1, 9]}]}
      q: {type: string}
  B:
    derived_from: A
    properties:
      p: {default: 5}
      q: fixed
topology_template:
  node_templates:
    b: {type: B}
"""
    )
    node = topology.node_templates["b"]
    assert {name: one.value for name, one in node.properties.items()} == {"p": 5, "q": "fixed"}
    definition = node.properties["p"].definition
    assert definition.sensitive
    assert not definition.required
    assert definition.schema.constraints == [{"in_range": [1, 9]}]
    assert all(one.is_default for one in node.properties.values())


def test_a_number_of_unfurls_dialect_is_a_float(load: Callable[..., Topology]) -> None:
    text = "topology_template: {inputs: {n: {type: number, default: %s}}}"
    assert load(text % "1", unfurl=True).inputs["n"].schema.type == "float"
    with pytest.raises(InvalidInput, match="is not of type float"):
        load(text % "x", unfurl=True)
    with pytest.raises(InvalidInput, match="unknown data type 'number'"):
        load(text % "1")


@pytest.mark.parametrize("file", [definitions_file(), SUPPLEMENT, PROFILE], ids=lambda file: file.name)
def test_definitions_that_are_parsed_one_by_one_are_those_of_the_file(file: Path) -> None:
    whole = read_yaml(file).data
    parts = read_definitions(file)
    assert {section: {name: read() for name, read in entries.items()} for section, entries in parts.items()} == whole
    for section, entries in parts.items():
        for name, read in entries.items():
            assert place_of(read()) == place_of(whole[section][name])
