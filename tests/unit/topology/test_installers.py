"""Which installers a node needs, and where they put what they install."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.installers import folder_of, installers_of

Load = Callable[..., Topology]

SERVICE = """
node_types:
  Host:
    derived_from: tosca.nodes.Root
    capabilities: {host: {type: tosca.capabilities.Container}}
  Hosted:
    derived_from: tosca.nodes.Root
    requirements: [{host: {capability: tosca.capabilities.Container, relationship: tosca.relationships.HostedOn}}]
topology_template:
  inputs: {where: {type: string, default: bin}}
  node_templates:
    maker: {type: tool.Installer}
    made: {type: tool.Installer, requirements: [{installer: maker}], properties: {folder: {get_input: where}}}
    other: {type: tool.Installer}
    machine: {type: Host, requirements: [{dependency: other}]}
    app: {type: Hosted, requirements: [{host: machine}, {dependency: made}]}
    far: {type: tosca.nodes.Root, requirements: [{dependency: app}]}
"""


@pytest.mark.parametrize(
    ("node", "names"),
    [
        ("app", ["other", "made", "maker"]),
        ("machine", ["other"]),
        ("made", ["maker"]),
        ("maker", []),
        ("far", []),
    ],
)
def test_those_that_it_and_its_hosts_require(load: Load, node: str, names: list[str]) -> None:
    topology = load(SERVICE)
    assert [one.name for one in installers_of(topology.node_templates[node])] == names


@pytest.mark.parametrize(("node", "folder"), [("made", "bin"), ("maker", ".tools/maker")])
def test_each_has_a_folder(load: Load, node: str, folder: str) -> None:
    topology = load(SERVICE)
    assert folder_of(topology.node_templates[node], topology, Path("/project")) == Path("/project") / folder
