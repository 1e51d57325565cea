"""Types that are imported by the name of their profile, and files of TOSCA 2.0 as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]

PROFILE = """\
tosca_definitions_version: tosca_2_0
profile: com.example.base:1.0
data_types: {Port: {derived_from: integer, validation: {$in_range: [$value, [1, 65535]]}}}
capability_types:
  Host: {properties: {cpus: {type: integer, default: 1}}}
  Endpoint: {properties: {port: {type: Port, default: 80}}}
relationship_types: {HostedOn: {valid_capability_types: [Host]}}
node_types:
  Server: {capabilities: {host: Host}}
  App:
    properties: {port: {type: Port, default: 8080}}
    capabilities: {endpoint: Endpoint}
    requirements:
      - host: {capability: Host, relationship: HostedOn, node: Server, count_range: [1, 1]}
      - peer: Endpoint
"""

SERVICE = """\
tosca_definitions_version: tosca_2_0
imports: [{profile: "com.example.base:1.0", namespace: base}, {profile: "org.oasis-open.simple:2.0", namespace: simple}]
service_template:
  inputs: {size: {type: integer, default: 4}}
  node_templates:
    small: {type: base:Server}
    big: {type: base:Server, count: {$get_input: size}, capabilities: {host: {properties: {cpus: 8}}}}
    app:
      type: base:App
      properties: {port: 443}
      requirements:
        - host:
            node_filter: {$greater_than: [{$get_property: [SELF, CAPABILITY, host, cpus]}, {$get_input: size}]}
    vm: {type: simple:Compute}
"""

#: Where the profile may lie, below the folder of the service template or above it.
PLACES = ["profiles/com/example/base/1.0/profile.yaml", "profiles/com/example/base/profile.yaml"]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load_files(files: dict[str, str], text: str = SERVICE) -> Topology:
        for name, content in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)
        return load_topology(parse_yaml(text, tmp_path / "services/shop/service.yaml"), roots=[tmp_path])

    return load_files


@pytest.mark.parametrize("folder", ["services/shop", "services", "."])
@pytest.mark.parametrize("place", PLACES)
def test_a_service_of_2_0(load: Load, folder: str, place: str) -> None:
    nodes = load({f"{folder}/{place}": PROFILE}).node_templates
    assert [relationship.target.name for relationship in nodes["app"].requirements] == ["big"]
    assert nodes["app"].properties["port"].value == 443
    assert nodes["big"].count == 4
    assert nodes["vm"].type.name == "tosca.nodes.Compute"


def test_the_nearest_profile_counts(load: Load) -> None:
    other = PROFILE.replace("Server:", "Other:").replace("node: Server", "node: Other")
    nodes = load({PLACES[0]: other, f"services/shop/{PLACES[0]}": PROFILE}).node_templates
    assert nodes["small"].type.name == "base:Server"


REFUSED = [
    ({}, SERVICE, "the profile com.example.base:1.0 is not there"),
    ({PLACES[0]: PROFILE.replace("base:1.0", "base:2.0")}, SERVICE, "is not the profile com.example.base:1.0"),
    ({PLACES[0]: PROFILE}, SERVICE.replace("port: 443", "port: 0"), "0 violates in_range"),
    ({PLACES[0]: PROFILE}, SERVICE.replace("base:Server}", "base:Servr}"), "unknown node type 'base:Servr'"),
]


@pytest.mark.parametrize(("files", "text", "message"), REFUSED)
def test_refused(load: Load, files: dict[str, str], text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        load(files, text)
    assert caught.value.place is not None


def test_profiles_outside_of_the_project_are_not_looked_for(tmp_path: Path) -> None:
    (tmp_path / PLACES[0]).parent.mkdir(parents=True)
    (tmp_path / PLACES[0]).write_text(PROFILE)
    project = tmp_path / "project"
    with pytest.raises(InvalidInput, match="is not there"):
        load_topology(parse_yaml(SERVICE, project / "service.yaml"), roots=[project])


SHIPPED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
{imports}
topology_template:
  node_templates:
    web: {{type: {prefix}tosca.ensemble.Machine}}
"""


@pytest.mark.parametrize(
    ("imports", "prefix"),
    [
        ("", ""),
        ("imports: [tosca.ensemble]", ""),
        ("imports: [{profile: tosca.ensemble}]", ""),
        ('imports: [{profile: "tosca.ensemble:1.0"}]', ""),
        ("imports: [{file: tosca.ensemble, namespace_prefix: ours}]", "ours:"),
    ],
)
def test_types_that_ship_need_no_path(load: Load, imports: str, prefix: str) -> None:
    nodes = load({}, SHIPPED.format(imports=imports, prefix=prefix)).node_templates
    assert nodes["web"].type.name == "tosca.ensemble.Machine"


def test_a_type_of_the_user_goes_before_one_that_ships(load: Load) -> None:
    own = "node_types: {tosca.ensemble.Machine: {properties: {mine: {type: string, default: x}}}}"
    assert list(load({}, SHIPPED.format(imports=own, prefix="")).node_templates["web"].properties) == ["mine"]


SIMPLE = """\
tosca_definitions_version: tosca_2_0
imports: [{profile: "%s:2.0"}]
service_template: {node_templates: {vm: {type: Compute}}}
"""


@pytest.mark.parametrize("name", ["org.oasis-open.simple", "org.oasis-open.tosca.simple"])
def test_the_standards_profile_by_each_of_its_names(load: Load, name: str) -> None:
    assert load({}, SIMPLE % name).node_templates["vm"].type.name == "tosca.nodes.Compute"
