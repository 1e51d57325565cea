"""Constraints against the types that they limit, where they are written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]
TYPE = "node_types: {T: {properties: {x: {type: %s, required: false, constraints: [%s]}}}}"
XSD = "'<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"><xs:notation/></xs:schema>'"


@pytest.mark.parametrize(
    ("kind", "clause", "message"),
    [
        ("string", 'pattern: "["', r"the pattern \[ is not a regular expression: unterminated"),
        ("string", 'pattern: "(?P<a>x)(?P<a>y)"', ".* is not a regular expression: redefinition"),
        ("integer", "min_length: 1", "min_length does not apply to the type integer"),
        ("integer", "pattern: x", "pattern does not apply to the type integer"),
        ("boolean", "greater_than: 1", "greater_than does not apply to the type boolean"),
        ("list", "in_range: [1, 2]", "in_range does not apply to the type list"),
        ("PortDef", "max_length: 3", "max_length does not apply to the type integer"),
        ("Own", "length: 3", "length does not apply to the type float"),
        ("integer", "greater_than: abc", "greater_than: 'abc' is not of type integer"),
        ("integer", "valid_values: [1, two]", "valid_values: 'two' is not of type integer"),
        ("scalar-unit.size", "in_range: [1 MB, 5]", "in_range: 5 is not of type scalar-unit.size"),
        ("version", "greater_or_equal: new", "greater_or_equal: 'new' is not of type version"),
        ("xml", f"schema: {XSD}", "the schema of XML: notation within schema is not supported"),
        ("string", f"schema: {XSD}", "the schema of XML: notation within schema is not supported"),
        ("json", "schema: '{'", "this is no JSON schema"),
        ("json", "schema: 5", "this is no JSON schema: it must be a map"),
        ("json", "schema: 'null'", "this is no JSON schema: it must be a map"),
        ("json", "schema: {$schema: []}", "this is no JSON schema"),
        ("json", "schema: {type: objet}", "this is no JSON schema: 'objet' is not valid"),
        ("integer", "schema: {type: integer}", "schema does not apply to the type integer"),
    ],
)
def test_what_means_nothing_is_refused_where_it_is_defined(load: Load, kind: str, clause: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"constraint of 'x': {message}") as caught:
        load("data_types: {Own: {derived_from: float}}\n" + TYPE % (kind, f"{{{clause}}}"))
    assert not isinstance(caught.value, InvalidInputs)
    assert caught.value.place is not None


@pytest.mark.parametrize(
    ("kind", "clause"),
    [
        ("string", "pattern: '[a-z]+'"),
        ("string", "greater_than: a"),
        ("list", "min_length: 1"),
        ("range", "in_range: [1, 10]"),
        ("integer", "in_range: [1, UNBOUNDED]"),
        ("scalar-unit.time", "greater_than: 1 s"),
        ("version", "valid_values: [1.10, 2.0.1]"),
        ("timestamp", "greater_than: 2020-01-01"),
        ("json", 'schema: \'{"type": "object"}\''),
        ("integer", "greater_than: {get_input: low}"),
    ],
)
def test_what_limits_its_type_is_fine(load: Load, kind: str, clause: str) -> None:
    load(TYPE % (kind, f"{{{clause}}}"))


@pytest.mark.parametrize(
    "where",
    [
        "topology_template: {inputs: {x: {type: integer, default: 5, constraints: [{min_length: 1}]}}}",
        "node_types: {T: {properties: {x: {type: list, entry_schema: {type: integer, constraints: [{length: 1}]}}}}}",
        "data_types: {D: {properties: {x: {type: boolean, constraints: [{pattern: a}]}}}}",
        "capability_types: {C: {attributes: {x: {type: map, constraints: [{less_than: 1}]}}}}",
    ],
)
def test_wherever_it_stands(load: Load, where: str) -> None:
    with pytest.raises(InvalidInput, match="does not apply to the type"):
        load(where)


OF_CAPABILITY = """
capability_types: {C: {properties: {p: {type: string}}}}
node_types: {A: {properties: {n: {type: string, default: x}}, capabilities: {c: {type: C, properties: {p: %s}}}}}
topology_template: {node_templates: {a: {type: A}}}
"""


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("{get_property: [SELF, n]}", {"get_property": ["SELF", "n"]}),
        ("{concat: [a, b]}", {"concat": ["a", "b"]}),
        ("{default: b}", "b"),
        ("b", "b"),
    ],
)
def test_a_refined_property_may_be_a_function(load: Load, given: str, value: object) -> None:
    node = load(OF_CAPABILITY % given).node_templates["a"]
    assert node.capabilities["c"].properties["p"].value == value


def test_a_refined_property_may_be_a_map(load: Load) -> None:
    node = load(
        """
node_types:
  A: {properties: {labels: {type: map, entry_schema: string}}}
  B: {derived_from: A, properties: {labels: {tier: web}}}
topology_template: {node_templates: {b: {type: B}}}
"""
    ).node_templates["b"]
    assert node.properties["labels"].value == {"tier": "web"}


CIRCLE = """
capability_types: {In: {derived_from: tosca.capabilities.Root}}
node_types:
  P: {capabilities: {in: In}, requirements: [{out: {capability: In}}]}
  End: {capabilities: {in: In}}
topology_template: {node_templates: {%s}}
"""


@pytest.mark.parametrize(
    ("nodes", "target"),
    [
        ("p1: {type: P}, p2: {type: P, requirements: [{out: p1}]}, end: {type: End}", "end"),
        (
            "p1: {type: P}, p2: {type: P, requirements: [{out: p3}]}, p3: {type: P, requirements: [{out: p1}]}, "
            "end: {type: End}",
            "end",
        ),
        ("p1: {type: P}, p2: {type: P}, p3: {type: P}, end: {type: End}", "p2"),
    ],
)
def test_what_is_matched_makes_no_circle(load: Load, nodes: str, target: str) -> None:
    found = load(CIRCLE % nodes).node_templates["p1"].requirements[0].target
    assert found.name == target


def test_where_only_a_circle_would_do_it_is_refused_as_one_that_is_written(load: Load) -> None:
    with pytest.raises(InvalidInput, match="the requirements form a cycle: p1 -> p2 -> p1"):
        load(CIRCLE % "p1: {type: P}, p2: {type: P, requirements: [{out: p1}]}")


def test_peers_are_matched_in_a_circle(load: Load) -> None:
    link = "relationship_types: {Link: {derived_from: tosca.relationships.Root}}"
    peers = CIRCLE.replace("capability: In}", "capability: In, relationship: Link}") + link
    nodes = load(peers % "p1: {type: P}, p2: {type: P, requirements: [{out: p1}]}").node_templates
    assert [nodes[name].requirements[0].target.name for name in ("p1", "p2")] == ["p2", "p1"]
