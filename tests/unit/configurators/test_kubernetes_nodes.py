from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.configurators.kubernetes_nodes import complete_kubernetes_nodes
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

NODE = "topology_template: {node_templates: {a: {type: %s, properties: {%s}}}}"


@pytest.mark.parametrize(
    ("kind", "properties", "hidden"),
    [
        ("Object", "kind: Secret, definition: {stringData: {a: b}}", True),
        ("Object", "definition: {kind: Secret}", True),
        ("Object", "kind: ConfigMap, definition: {data: {a: b}}", False),
        ("Manifest", "definition: [{kind: ConfigMap}, {kind: Secret}]", True),
        ("Manifest", "definition: {kind: List, items: [{kind: Secret}]}", True),
        ("Manifest", 'definition: "kind: Secret"', True),
        ("Manifest", "definition: [{kind: ConfigMap}]", False),
    ],
)
def test_a_definition_with_a_secret_is_sensitive(load: Load, kind: str, properties: str, hidden: bool) -> None:
    topology = load(NODE % (f"kubernetes.{kind}", properties))
    complete_kubernetes_nodes(topology)
    definition = topology.node_templates["a"].properties["definition"].definition
    assert definition is not None
    assert bool(definition.metadata.get("sensitive")) is hidden


def test_operations_stand_where_the_node_does_and_find_its_files(load: Load, tmp_path: Path) -> None:
    topology = load(NODE % ("kubernetes.Manifest", "src: all.yaml"))
    complete_kubernetes_nodes(topology)
    node = topology.node_templates["a"]
    operation = node.operation("Standard", "configure")
    assert operation is not None
    assert (operation.base, operation.place) == (node.properties["src"].base, node.place)
    assert operation.base in (None, tmp_path)


@pytest.mark.parametrize(
    ("kind", "properties", "message"),
    [
        ("Object", "name: x", "nothing says what the kubernetes.Object 'a' is (give it kind, definition or src)"),
        ("Manifest", "prune: false", "nothing says what the kubernetes.Manifest 'a' is (give it src, definition or"),
        ("Object", "kind: Pod, wait: two words", "'a': wait cannot be 'two words' (it is true, rollout"),
        ("Object", "kind: Pod, wait: {field: a b}", "'a': a b is no path of a field"),
        ("Object", "kind: Pod, wait: {get_input: x}", ""),
        ("Object", "kind: Pod, wait: Ready", ""),
        ("Namespace", "wait: true", ""),
    ],
)
def test_what_is_wrong_is_told_before_anything_runs(load: Load, kind: str, properties: str, message: str) -> None:
    text = NODE.replace("{node_templates", "{inputs: {x: {type: string, required: false}}, node_templates")
    told = [str(fault) for fault in complete_kubernetes_nodes(load(text % (f"kubernetes.{kind}", properties)))]
    assert len(told) == bool(message)
    assert message in "".join(told)
