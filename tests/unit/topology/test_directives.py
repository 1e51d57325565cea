"""Words that say what a node template is for a job."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.directives import DIRECTIVES, UNCONNECTED
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]
NODE = "topology_template: {node_templates: {t: {type: Root, directives: %s}}}"


@pytest.mark.parametrize("word", ["subsitute", "selct", "Select", "protect", "discovery", "dependant"])
def test_a_slip_is_refused(load: Load, word: str) -> None:
    with pytest.raises(InvalidInput, match=f"the unknown directive '{word}'") as caught:
        load(NODE % f"[{word}]")
    assert (caught.value.hint or "").startswith("did you mean")
    assert caught.value.place is not None


def test_a_word_of_ones_own_is_told(load: Load) -> None:
    (warning,) = load(NODE % "[mock, check]").warnings
    assert "the directive 'mock' of node template 't' has no effect" in warning


@pytest.mark.parametrize(("word", "meant"), DIRECTIVES.items())
def test_each_is_known(load: Load, word: str, meant: str) -> None:
    assert load(NODE % f"[{word}]").node_templates["t"].directives == (meant,)


@pytest.mark.parametrize(
    "text",
    [
        "node_types: {N: {directives: [check]}}",
        "node_types: {N: {requirements: [{r: {capability: tosca.capabilities.Node, directives: [check]}}]}}",
        "topology_template: {node_templates: {t: {type: Root, requirements: [{dependency: {directives: [check]}}]}}}",
    ],
)
def test_one_that_nothing_acts_on_is_refused_where_it_stands(load: Load, text: str) -> None:
    with pytest.raises(InvalidInput, match="unknown key 'directives'"):
        load(text)


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
