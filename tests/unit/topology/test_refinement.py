"""What refines a definition has its constraints as well, and a type that fits [TOSCA 1.3, 3.6.10]."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

#: Definitions of the parent and of the child, a value that fits, one that does not, and why.
VALUES = [
    (
        "{type: integer, constraints: [{greater_than: 0}]}",
        "{type: integer, constraints: [{less_than: 10}]}",
        *("5", "-5", "greater_than: 0"),
    ),
    (
        "{type: integer, constraints: [{greater_than: 0}]}",
        "{constraints: [{less_than: 10}]}",
        *("5", "50", "less_than: 10"),
    ),
    ("{type: integer, constraints: [{greater_than: 0}]}", "{type: integer}", "5", "-5", "greater_than: 0"),
    (
        "{type: string, constraints: [{min_length: 2}]}",
        "{type: string, constraints: [{valid_values: [a, ab]}]}",
        *("ab", "a", "min_length: 2"),
    ),
    (
        "{type: list, entry_schema: {type: string, constraints: [{min_length: 2}]}}",
        "{type: list, entry_schema: {type: string, constraints: [{max_length: 3}]}}",
        *("[ab]", "[a]", "min_length: 2"),
    ),
    (
        "{type: list, entry_schema: {type: string, constraints: [{min_length: 2}]}}",
        "{type: list, entry_schema: string}",
        *("[ab]", "[a]", "min_length: 2"),
    ),
    (
        "{type: map, key_schema: {type: string, constraints: [{min_length: 2}]}}",
        "{type: map, entry_schema: string}",
        *("{ab: x}", "{a: x}", "min_length: 2"),
    ),
    ("{type: integer}", "{type: PortDef}", "80", "0", "in_range"),
    ("{type: map}", "{type: Keyed}", "{ab: x}", "{a: x}", "min_length: 2"),
    ("{type: Keyed}", "{type: Keyed2}", "{ab: xy}", "{ab: x}", "min_length: 2"),
    ("{type: Keyed}", "{type: Keyed2}", "{ab: xy}", "{a: xy}", "min_length: 2"),
    ("{type: Part}", "{type: Whole}", "{n: 5}", "{n: -5}", "greater_than: 0"),
]

DATA = """
data_types:
  Keyed: {derived_from: map, key_schema: {type: string, constraints: [{min_length: 2}]}}
  Keyed2: {derived_from: Keyed, entry_schema: {type: string, constraints: [{min_length: 2}]}}
  Part: {properties: {n: {type: integer, constraints: [{greater_than: 0}]}}}
  Whole: {derived_from: Part, properties: {n: {type: integer, constraints: [{less_than: 10}]}}}
"""
PROPERTY = """
node_types:
  A: {properties: {x: %s}}
  B: {derived_from: A, properties: {x: %s}}
topology_template: {node_templates: {a: {type: B, properties: {x: %s}}}}
"""
ATTRIBUTE = PROPERTY.replace("properties: ", "attributes: ")
OF_CAPABILITY = """
capability_types: {C: {properties: {x: %s}}}
node_types:
  A: {capabilities: {c: {type: C, properties: {x: %s}}}}
topology_template: {node_templates: {a: {type: A, capabilities: {c: {properties: {x: %s}}}}}}
"""
INPUT = """
interface_types: {I: {derived_from: tosca.interfaces.Root, inputs: {x: %s}, operations: {o: {}}}}
node_types: {A: {interfaces: {I: {type: I, inputs: {x: %s}}}}}
topology_template: {node_templates: {a: {type: A, interfaces: {I: {operations: {o: {inputs: {x: %s}}}}}}}}
"""
OF_POLICY = """
policy_types:
  A: {properties: {x: %s}}
  B: {derived_from: A, properties: {x: %s}}
topology_template: {policies: [{p: {type: B, properties: {x: %s}}}]}
"""


@pytest.mark.parametrize("template", [PROPERTY, ATTRIBUTE, OF_CAPABILITY, OF_POLICY])
@pytest.mark.parametrize(("parent", "child", "good", "bad", "message"), VALUES)
def test_both_definitions_hold(  # noqa: PLR0917
    load: Load, template: str, parent: str, child: str, good: str, bad: str, message: str
) -> None:
    load(DATA + template % (parent, child, good))
    with pytest.raises(InvalidInput, match=f"violates {message}"):
        load(DATA + template % (parent, child, bad))


@pytest.mark.parametrize(("parent", "child", "good", "bad", "message"), [VALUES[0], VALUES[2], VALUES[3]])
def test_both_definitions_of_an_input_hold(  # noqa: PLR0917
    load: Load, parent: str, child: str, good: str, bad: str, message: str
) -> None:
    load(DATA + INPUT % (parent, child, good))
    with pytest.raises(InvalidInput, match=f"violates {message}"):
        load(DATA + INPUT % (parent, child, bad))


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        ("{type: integer}", "{type: map, entry_schema: string}"),
        ("{type: string}", "{type: integer}"),
        ("{type: PortDef}", "{type: integer}"),
        ("{type: Whole}", "{type: Part}"),
        ("{type: list, entry_schema: string}", "{type: list, entry_schema: integer}"),
        ("{type: map, entry_schema: Whole}", "{type: map, entry_schema: {type: Part}}"),
    ],
)
@pytest.mark.parametrize("template", [PROPERTY, ATTRIBUTE, OF_CAPABILITY, OF_POLICY])
def test_a_type_that_does_not_derive_from_the_first_is_refused(
    load: Load, template: str, parent: str, child: str
) -> None:
    with pytest.raises(InvalidInput, match="cannot be refined to"):
        load(DATA + template % (parent, child, "null"))


def test_the_type_of_an_input_is_refined_as_well(load: Load) -> None:
    with pytest.raises(InvalidInput, match="'x' is of type string, it cannot be refined to integer"):
        load(INPUT % ("{type: string}", "{type: integer}", "5"))


def test_an_inherited_default_has_to_fit_as_well(load: Load) -> None:
    with pytest.raises(InvalidInput, match="the inherited default of 'x': 1 violates greater_than: 5"):
        load(PROPERTY % ("{type: integer, default: 1}", "{constraints: [{greater_than: 5}]}", "7"))


def test_the_filters_of_a_refined_requirement_all_hold(load: Load) -> None:
    text = """
node_types:
  T: {properties: {n: {type: integer}}}
  A:
    requirements:
      - r: {capability: tosca.capabilities.Node, node: T, node_filter: {properties: [n: {greater_than: 0}]}}
  B: {derived_from: A, requirements: [{r: {node_filter: {properties: [n: {less_than: 10}]}}}]}
topology_template:
  node_templates: {low: {type: T, properties: {n: -5}}, high: {type: T, properties: {n: 50}}, b: {type: B}%s}
"""
    fitting = load(text % ", fits: {type: T, properties: {n: 5}}").node_templates["b"].requirements[0]
    assert fitting.target.name == "fits"
    with pytest.raises(InvalidInput, match="no node template of T fits"):
        load(text % "")


def test_another_capability_in_place_of_the_inherited_one_is_told(load: Load) -> None:
    topology = load(
        """
node_types:
  A: {derived_from: Compute, capabilities: {endpoint: tosca.capabilities.Endpoint}}
topology_template: {node_templates: {a: {type: A}}}
"""
    )
    assert "is tosca.capabilities.Endpoint.Admin, and tosca.capabilities.Endpoint, which does" in topology.warnings[0]


#: What a parent type requires, and what a child says of it.
LOOSENED = {
    "a property": ("properties: {x: {type: string}}", "properties: {x: {type: string, required: false}}"),
    "an attribute": ("attributes: {x: {type: string}}", "attributes: {x: {required: false}}"),
    "a capability's property": (
        "capabilities: {c: {type: Node, properties: {x: {type: string}}}}",
        "capabilities: {c: {properties: {x: {required: false}}}}",
    ),
    "an operation's input": (
        "interfaces: {Standard: {create: {inputs: {x: {type: string}}}}}",
        "interfaces: {Standard: {create: {inputs: {x: {type: string, required: false}}}}}",
    ),
}


@pytest.mark.parametrize("case", LOOSENED)
def test_what_is_required_stays_so(load: Load, case: str) -> None:
    parent, child = LOOSENED[case]
    with pytest.raises(InvalidInput, match="'x' is required, it cannot be refined to be optional"):
        load(f"node_types: {{Parent: {{{parent}}}, Child: {{derived_from: Parent, {child}}}}}\n")


def test_what_is_optional_may_become_required(load: Load) -> None:
    load("""
node_types:
  Parent: {properties: {x: {type: string, required: false}, y: {type: string, required: false}}}
  Child: {derived_from: Parent, properties: {x: {type: string, required: true}, y: {required: false}}}
""")


NODES = "Web: {}, Wide: {derived_from: Web}, Other: {}"


def requiring(parent: str, child: str) -> str:
    def of(node: str) -> str:
        return f"requirements: [{{r: {{capability: Node, node: {node}}}}}]"

    return f"node_types: {{{NODES}, A: {{{of(parent)}}}, B: {{derived_from: A, {of(child)}}}}}\n"


@pytest.mark.parametrize(
    ("parent", "child"), [("Web", "Wide"), ("Web", "Other"), ("Wide", "Web"), ("Wide", "tosca.nodes.Root")]
)
def test_the_node_of_a_requirement_is_that_of_the_refinement(load: Load, parent: str, child: str) -> None:
    """A database of one's own may stand on another kind of host than the type that it derives from."""
    templates = f"topology_template: {{node_templates: {{w: {{type: {child}}}, b: {{type: B, requirements: [r: w]}}}}}}"
    assert load(requiring(parent, child) + templates).node_templates["b"].requirements[0].target.name == "w"
