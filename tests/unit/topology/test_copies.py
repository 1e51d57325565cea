"""A copy is a basis: what it changes is changed, and all the rest stays [TOSCA 1.3, 3.8.3.3.1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import NodeTemplate, Topology

Load = Callable[..., Topology]

TEMPLATE = """
node_types:
  N:
    properties:
      p: {type: string}
      m: {type: map}
    capabilities: {in: {type: tosca.capabilities.Endpoint}}
    requirements: [{one: {capability: tosca.capabilities.Node}}, {two: {capability: tosca.capabilities.Node}}]
topology_template:
  inputs: {i: {type: map, default: {}}}
  node_templates:
    x: {type: Root}
    y: {type: Root}
    a:
      type: N
      metadata: {k: v}
      properties: {p: first, m: {a: {b: 1, c: 2}}}
      attributes: {tosca_name: n}
      capabilities: {in: {properties: {port: 80, url_path: /a}}}
      requirements: [{one: x}, {two: x}]
      artifacts: {f: {file: one.txt, deploy_path: /tmp}}
      interfaces: {Standard: {inputs: {w: 1}, operations: {create: {implementation: ls, inputs: {v: 1}}, stop: "true"}}}
    b: {copy: a, %s}
"""


def targets(node: NodeTemplate) -> list[tuple[str, str]]:
    return [(one.name, one.target.name) for one in node.requirements]


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("properties: {p: second}", {"p": "second", "m": {"a": {"b": 1, "c": 2}}}),
        ("properties: {m: {a: {c: 3}}}", {"p": "first", "m": {"a": {"b": 1, "c": 3}}}),
        ("properties: {m: {get_input: i}}", {"p": "first", "m": {"get_input": "i"}}),
        ("properties: {p: {concat: [a, b]}}", {"p": {"concat": ["a", "b"]}, "m": {"a": {"b": 1, "c": 2}}}),
        ("metadata: {x: y}", {"p": "first", "m": {"a": {"b": 1, "c": 2}}}),
    ],
)
def test_properties(load: Load, own: str, found: dict[str, Any]) -> None:
    nodes = load(TEMPLATE % own).node_templates
    assert {key: one.value for key, one in nodes["b"].properties.items()} == found
    assert nodes["b"].metadata["k"] == "v"
    assert nodes["a"].properties["p"].value == "first", "what is copied stays as it is"


def test_capabilities_requirements_artifacts_and_operations(load: Load) -> None:
    own = """capabilities: {in: {properties: {port: 90}}}, requirements: [{two: y}], artifacts: {f: {file: two.txt}},
      interfaces: {Standard: {operations: {create: {inputs: {u: 2}}}}}"""
    node = load(TEMPLATE % own).node_templates["b"]
    values = {name: node.capabilities["in"].properties[name].value for name in ("port", "url_path")}
    assert values == {"port": 90, "url_path": "/a"}
    assert targets(node) == [("one", "x"), ("two", "y")]
    assert (node.artifacts["f"].file, node.artifacts["f"].deploy_path) == ("two.txt", "/tmp")
    create, stop = node.operation("Standard", "create"), node.operation("Standard", "stop")
    assert create is not None
    assert stop is not None
    assert {name: one.value for name, one in create.inputs.items()} == {"w": 1, "v": 1, "u": 2}


def test_an_error_in_a_copy_is_where_it_is_written(load: Load) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(TEMPLATE % "properties: {p: [1]}")
    assert ":24:34: " in str(caught.value)
