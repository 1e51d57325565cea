"""Files of Alien4Cloud's dialect, and other names of versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.types import known_version
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: alien_dsl_2_0_0
metadata: {template_name: a, template_version: 1.0.0-SNAPSHOT, template_author: b}
imports:
  - tosca-normative-types:1.0.0-ALIEN20
  - types.yaml
topology_template:
  node_templates:
    vm: {type: tosca.nodes.Compute}
    soft:
      type: a.Soft
      requirements:
        - hostedOnComputeHost:
            type_requirement: host
            node: vm
            capability: tosca.capabilities.Container
            relationship: tosca.relationships.HostedOn
"""
TYPES = """\
tosca_definitions_version: alien_dsl_2_0_0
node_types:
  a.Base: {abstract: true, derived_from: tosca.nodes.SoftwareComponent, tags: {icon: /x.png}}
  a.Soft:
    derived_from: a.Base
    attributes:
      name: {get_operation_output: [SELF, Standard, configure, NAME]}
      url: {concat: ["http://", {get_attribute: [HOST, ip_address]}]}
      plain: {type: integer}
    interfaces: {Standard: {create: {inputs: {A: x}, implementation: "true"}}}
"""


def load(folder: Path, text: str) -> Topology:
    (folder / "types.yaml").write_text(TYPES)
    return load_topology(parse_yaml(text, folder / "service.yaml"))


def test_what_is_written_in_another_way(tmp_path: Path) -> None:
    topology = load(tmp_path, SERVICE)
    soft = topology.node_templates["soft"]
    assert [(one.name, one.target.name) for one in soft.requirements] == [("host", "vm")]
    assert soft.type.attributes["plain"].schema.type == "integer"
    assert soft.attributes["url"].value == {"concat": ["http://", {"get_attribute": ["HOST", "ip_address"]}]}
    assert topology.warnings == []


REFUSED = [
    ("types.yaml", "yorc-types:1.1.0", "5:5"),
    ("node: vm", "node: mv", "14:19"),
    ("type: a.Soft", "type: a.Sft", "10:13"),
]


@pytest.mark.parametrize(("old", "new", "place"), REFUSED)
def test_errors_say_where(tmp_path: Path, old: str, new: str, place: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(tmp_path, SERVICE.replace(old, new, 1))
    assert f"{tmp_path / 'service.yaml'}:{place}: " in str(caught.value)


VERSIONS = [
    ("tosca_simple_yaml_1_0_0", "tosca_simple_yaml_1_0"),
    ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.3", "tosca_simple_yaml_1_3"),
    ("alien_dsl_1_4_0", "alien_dsl_1_4_0"),
    ("tosca_simple_profile_for_nfv_1_0_0", "tosca_simple_yaml_1_3"),
    ("tosca_simple_profile_for_mec_1_0", "tosca_simple_yaml_1_3"),
    ("tosca_simple_profile_for_nfv", None),
    ("alien_dsl", None),
    ("tosca_simple_yaml_1_9", None),
    (1.3, None),
]


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_names_of_versions(name: object, version: str | None) -> None:
    assert known_version(name) == version
