"""Secrets that stand in the specification are masked, wherever they are declared."""

from __future__ import annotations

import pytest

from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.ensembles.declared_secrets import hide_declared
from tests.unit.conftest import Load

TEMPLATE = """
capability_types:
  Door: {derived_from: tosca.capabilities.Root, properties: {key: &secret {type: string, metadata: {sensitive: true}}}}
relationship_types:
  Uses: {derived_from: tosca.relationships.DependsOn, properties: {key: *secret}}
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    properties: {key: {<<: *secret, required: false}, shown: {type: string, required: false}}
  House: {derived_from: Thing, capabilities: {door: Door}}
  Guest: {derived_from: Thing, requirements: [uses: {capability: tosca.capabilities.Node, relationship: Uses}]}
topology_template:
  node_templates:
    house:
      type: House
      properties: {key: of the node, shown: to everyone}
      capabilities: {door: {properties: {key: of the door}}}
    guest:
      type: Guest
      requirements: [uses: {node: house, relationship: {type: Uses, properties: {key: of the link}}}]
"""


@pytest.mark.parametrize("secret", ["of the node", "of the door", "of the link"])
def test_a_declared_secret_is_masked_wherever_it_stands(load: Load, secret: str) -> None:
    redactor = Redactor()
    hide_declared(load(TEMPLATE), redactor)
    assert secret not in redactor.text(f"it printed {secret} to everyone")
    assert redactor.text("to everyone") == "to everyone"
