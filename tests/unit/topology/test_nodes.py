"""Node templates: values, defaults, copies, numbers of instances, Unfurl's keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]


@pytest.mark.parametrize(
    ("written", "count"),
    [
        ("{type: Compute}", 1),
        ("{type: Compute, capabilities: {scalable: {properties: {max_instances: 3, default_instances: 3}}}}", 3),
        ("{type: Compute, capabilities: {scalable: {properties: {default_instances: 2}}}}", 2),
        ("{type: Compute, capabilities: {scalable: {properties: {min_instances: 2, max_instances: 4}}}}", 2),
        ("{type: Compute, capabilities: {scalable: {properties: {default_instances: {get_input: n}}}}}", 5),
        ("{type: Root, occurrences: [2, UNBOUNDED]}", 2),
        ("{type: Root, occurrences: [0, 3]}", 1),
        ("{type: Root, count: 4}", 4),
        ("{type: Root}", 1),
    ],
)
def test_count(load: Load, written: str, count: int) -> None:
    text = f"topology_template:\n  inputs: {{n: {{type: integer, default: 7}}}}\n  node_templates: {{a: {written}}}\n"
    assert load(text, inputs={"n": 5}).node_templates["a"].count == count


def test_values_defaults_and_places(load: Load, tmp_path: Path) -> None:
    node = load(
        """
node_types:
  N:
    properties: {a: {type: integer}, b: {type: string, default: d}, c: {type: string, required: false}}
    attributes: {at: {type: scalar-unit.size}, other: {type: string, default: o}, unset: {type: string}}
topology_template:
  node_templates:
    n:
      type: N
      properties: {a: 1}
      attributes: {at: {description: what it is now, value: 10 gib}}
"""
    ).node_templates["n"]
    assert {name: (one.value, one.is_default) for name, one in node.properties.items()} == {
        "a": (1, False),
        "b": ("d", True),
    }
    assert {name: one.value for name, one in node.attributes.items()} == {"at": "10 gib", "other": "o"}
    assert str(node.properties["a"].place) == f"{tmp_path}/service.yaml:11:23"
    assert node.properties["a"].base == tmp_path


def test_capabilities_with_refined_defaults(load: Load) -> None:
    nodes = load(
        """
node_types:
  Web: {derived_from: WebServer, capabilities: {data_endpoint: {properties: {port: 8080, protocol: {default: http}}}}}
topology_template:
  node_templates:
    a: {type: Web, capabilities: {data_endpoint: {properties: {port: 9090}}}, requirements: [{host: c}]}
    b: {type: Web, requirements: [{host: c}]}
    c: {type: Compute}
"""
    ).node_templates
    found = {
        name: {key: nodes[name].capabilities["data_endpoint"].properties[key].value for key in ("port", "protocol")}
        for name in ("a", "b")
    }
    assert found == {"a": {"port": 9090, "protocol": "http"}, "b": {"port": 8080, "protocol": "http"}}
    assert nodes["a"].capabilities["data_endpoint"].type.name == "tosca.capabilities.Endpoint"


def test_copy_takes_what_it_does_not_say_itself(load: Load) -> None:
    nodes = load(
        """
node_types: {N: {properties: {p: {type: string}, q: {type: string, default: d}}}}
topology_template:
  node_templates:
    a: {type: N, description: first, properties: {p: x, q: y}}
    b: {copy: a, description: second}
    c: {copy: b, properties: {p: z}}
  relationship_templates:
    r: {type: AttachesTo, properties: {location: /a}}
    s: {copy: r, properties: {location: /b}}
"""
    )
    values = {
        name: {key: one.value for key, one in node.properties.items()} for name, node in nodes.node_templates.items()
    }
    assert values == {"a": {"p": "x", "q": "y"}, "b": {"p": "x", "q": "y"}, "c": {"p": "z", "q": "y"}}
    assert [node.description for node in nodes.node_templates.values()] == ["first", "second", "second"]
    assert nodes.relationship_templates["s"].properties["location"].value == "/b"


def test_directives_filter_and_settings_of_unfurl(load: Load) -> None:
    topology = load(
        """
topology_template:
  node_templates:
    a:
      type: Compute
      directives: [select]
      metadata: {k: v}
      node_filter: {properties: [{k: {equal: v}}]}
      dependencies: [{x: y}]
      instance_keys: [[name]]
    n: {type: unfurl.nodes.Generic, properties: {anything: {goes: 1}}}
  relationship_templates:
    c: {type: unfurl.relationships.ConnectsTo.AWSAccount, default_for: ANY, properties: {AWS_REGION: x}}
""",
        unfurl=True,
    )
    node = topology.node_templates["a"]
    assert node.directives == ("select",)
    assert node.node_filter == {"properties": [{"k": {"equal": "v"}}]}
    assert [text.partition(": ")[2] for text in topology.warnings] == [
        "`dependencies` of a node template is ignored",
        "`instance_keys` of a node template is ignored",
    ]
    assert node.metadata == {"k": "v"}
    assert topology.node_templates["n"].properties["anything"].value == {"goes": 1}
    connection = topology.relationship_templates["c"]
    assert (connection.default_for, connection.properties["AWS_REGION"].value) == ("ANY", "x")


def test_a_data_type_that_derives_from_another_keeps_its_constraints(load: Load) -> None:
    text = """
data_types:
  Port: {derived_from: integer, constraints: [{in_range: [1, 65535]}]}
  High: {derived_from: Port, constraints: [{greater_than: 1024}]}
  Ports: {derived_from: list, entry_schema: High}
node_types: {N: {properties: {p: {type: Ports}}}}
topology_template: {node_templates: {n: {type: N, properties: {p: [%s]}}}}
"""
    assert load(text % "8080").node_templates["n"].properties["p"].value == [8080]
    for value, message in (("80", "violates greater_than: 1024"), ("70000", "in_range"), ("x", "type integer")):
        with pytest.raises(InvalidInput, match=message):
            load(text % value)


@pytest.mark.parametrize("value", ["{get_input: i}", "{eval: '::x'}", "'{{ x }}'", "{concat: [a, b]}"])
def test_what_is_computed_is_not_checked(load: Load, value: str) -> None:
    topology = load(
        f"""
node_types: {{N: {{properties: {{p: {{type: integer}}}}}}}}
topology_template:
  inputs: {{i: {{type: string, default: x}}}}
  node_templates: {{n: {{type: N, properties: {{p: {value}}}}}}}
"""
    )
    found: Any = topology.node_templates["n"].properties["p"]
    assert found.value == (value.strip("'") if value.startswith("'") else found.value)
    assert not found.is_default


def test_lenient_reads_of_attributes_in_unfurls_dialect(load: Load) -> None:
    text = """
topology_template:
  node_templates: {n: {type: Root}}
  outputs: {o: {value: {get_attribute: [n, found_later]}}}
"""
    assert load(text, unfurl=True).outputs["o"].value == {"get_attribute": ["n", "found_later"]}
    with pytest.raises(InvalidInput, match="has no attribute 'found_later'"):
        load(text)


def test_a_long_chain_of_copies(load: Load) -> None:
    links = "".join(f"    n{n}: {{copy: n{n - 1}, description: d{n}}}\n" for n in range(4000, 0, -1))
    text = f"topology_template:\n  node_templates:\n{links}    n0: {{type: Root, metadata: {{a: b}}}}\n"
    nodes = load(text).node_templates
    assert nodes["n4000"].metadata == {"a": "b"}
    assert [nodes[name].description for name in ("n4000", "n1", "n0")] == ["d4000", "d1", ""]
