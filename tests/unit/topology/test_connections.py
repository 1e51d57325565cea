"""Connections that interfaces need, in Unfurl's dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.topology.directives import UNCONNECTED
from ansible_ensemble.topology.service_template import load_topology

TYPES = {
    "relationship_types": {
        "Cloud": {"derived_from": "tosca.relationships.ConnectsTo"},
        "Own": {"derived_from": "Cloud"},
    },
    "node_types": {
        "Base": {
            "derived_from": "tosca.nodes.Root",
            "interfaces": {"Standard": {"requirements": ["Cloud"], "operations": {"create": "true"}}},
        },
        "Derived": {"derived_from": "Base"},
        "Else": {"derived_from": "Base", "interfaces": {"Standard": {"requirements": ["Nowhere"]}}},
        "None": {"derived_from": "Base", "interfaces": {"Standard": {"requirements": []}}},
    },
}


@pytest.mark.parametrize(
    ("kind", "connections", "own", "is_left_out"),
    [
        ("Base", {}, {}, True),
        ("Derived", {}, {}, True),
        ("Derived", {"mine": {"type": "Own"}}, {}, False),
        ("Derived", {"mine": {"type": "tosca.relationships.ConnectsTo"}}, {}, True),
        ("Derived", {}, {"mine": {"type": "Cloud", "default_for": "ANY"}}, False),
        ("Derived", {}, {"mine": {"type": "Cloud"}}, True),
        ("Else", {"mine": {"type": "Cloud"}}, {}, True),
        ("None", {}, {}, False),
    ],
)
def test_a_node_is_left_out_without_its_connection(
    tmp_path: Path, kind: str, connections: dict[str, Any], own: dict[str, Any], is_left_out: bool
) -> None:
    file = tmp_path / "service.yaml"
    templates = {"node_templates": {"n": {"type": kind}}, "relationship_templates": own}
    version = {"tosca_definitions_version": "tosca_simple_unfurl_1_0_0"}
    file.write_text(emit_yaml({**version, **TYPES, "topology_template": templates}))
    topology = load_topology(file, connections=connections)
    assert (UNCONNECTED in topology.node_templates["n"].directives) is is_left_out
    told = [one.message for one in topology.notices if "needs" in one.message or "need a connection" in one.message]
    assert len(told) == is_left_out
