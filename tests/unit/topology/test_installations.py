from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.installations import OBJECT, add_installations

Load = Callable[..., Topology]

TEMPLATE = """
topology_template:
  node_templates:
    shop: {type: helm.Release, properties: {chart: ./shop}%s}
    other: {type: tosca.nodes.Root}
"""


def test_an_installation_has_a_node_template_of_what_it_makes(load: Load, tmp_path: Path) -> None:
    topology = load(TEMPLATE % "")
    add_installations(topology)
    assert set(topology.node_templates) == {"shop", "shop/objects", "other"}
    made = topology.node_templates["shop/objects"]
    assert (made.type.name, made.directives, made.deploys) == (OBJECT, ("dependent",), False)
    configure = topology.node_templates["shop"].operation("Standard", "configure")
    assert configure is not None
    assert configure.base == topology.node_templates["shop"].properties["chart"].base


def test_one_that_stands_for_another_has_none(load: Load) -> None:
    topology = load(TEMPLATE % ", directives: [select]")
    add_installations(topology)
    assert "shop/objects" not in topology.node_templates


def test_another_node_template_may_not_have_its_name(load: Load) -> None:
    topology = load(TEMPLATE % "" + "    shop/objects: {type: tosca.nodes.Root}\n")
    with pytest.raises(InvalidInput, match="has the name of what the installation 'shop' makes"):
        add_installations(topology)
