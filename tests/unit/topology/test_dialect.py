"""What Unfurl's dialect accepts and TOSCA 1.3 does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]

#: A template of the dialect, the words of the warning that it comes with, and those by which TOSCA 1.3 refuses it.
LOOSE = {
    "a requirement that the type does not declare": (
        "topology_template: {node_templates: {a: {type: Root, requirements: [host: b]}, b: {type: Root}}}",
        "'a' has the requirement 'host', which its type does not declare",
        "node template 'a' has no requirement 'host'",
    ),
    "one that names its node in a map": (
        "topology_template: {node_templates: {a: {type: Root, requirements: [host: {node: b}]}, b: {type: Root}}}",
        "'a' has the requirement 'host', which its type does not declare",
        "node template 'a' has no requirement 'host'",
    ),
    "a requirement of a type of the standard that nothing meets": (
        "topology_template: {node_templates: {a: {type: tosca.nodes.SoftwareComponent}}}",
        "requirement 'host' of 'a' is missing",
        "requirement 'host' of 'a' is missing",
    ),
    "a requirement without a node that nothing meets": (
        """
node_types: {T: {derived_from: tosca.nodes.Root, requirements: [db: {node: tosca.nodes.DBMS}]}}
topology_template: {node_templates: {a: {type: T, requirements: [db: {relationship: tosca.relationships.ConnectsTo}]}}}
""",
        "requirement 'db' of 'a' is not met",
        "requirement 'db' of 'a' is not met",
    ),
    "a relationship with what it is not meant for": (
        """
topology_template:
  node_templates:
    a: {type: Root, requirements: [host: {node: b, relationship: tosca.relationships.HostedOn}]}
    b: {type: Root}
""",
        "a tosca.relationships.HostedOn cannot be with 'b'",
        "a tosca.relationships.HostedOn cannot be with 'b'",
    ),
    "a node that requires itself": (
        "topology_template: {node_templates: {a: {type: Root, requirements: [dependency: a]}}}",
        "requirement 'dependency' of 'a' is the node itself",
        "the requirements form a cycle: a -> a",
    ),
    "a property of a template that says it may have any": (
        """
topology_template: {node_templates: {a: {type: Root, metadata: {additionalProperties: true}, properties: {x: 1}}}}
""",
        None,
        "node template 'a' has no property 'x'",
    ),
    "a property that its type does not declare": (
        "topology_template: {node_templates: {a: {type: Root, properties: {x: 1}}}}",
        "'a' has the property 'x', which its type does not declare",
        "node template 'a' has no property 'x'",
    ),
    "a property that the capability's type does not declare": (
        """
node_types: {T: {capabilities: {endpoint: {type: tosca.capabilities.Endpoint}}}}
topology_template: {node_templates: {a: {type: T, capabilities: {endpoint: {properties: {x: 1}}}}}}
""",
        "capability 'endpoint' of node template 'a' has the property 'x', which its type does not declare",
        "capability 'endpoint' of node template 'a' has no property 'x'",
    ),
    "an attribute that is given as a property": (
        """
node_types: {T: {attributes: {x: {type: string, default: a}}}}
topology_template: {node_templates: {a: {type: T, properties: {x: b}}}}
""",
        "'a' has the property 'x', which its type does not declare (it is an attribute)",
        "node template 'a' has no property 'x'",
    ),
    "a target of another type than the requirement is of": (
        """
node_types: {T: {requirements: [dep: {node: Compute}]}}
topology_template: {node_templates: {a: {type: T, requirements: [dep: b]}, b: {type: Root}}}
""",
        "'b' is what 'a' requires, though it is a tosca.nodes.Root, not a tosca.nodes.Compute",
        "'b' does not fit: it is a tosca.nodes.Root, not a tosca.nodes.Compute",
    ),
    "types of any kind in one section": (
        """
types:
  C: {derived_from: tosca.capabilities.Root}
  S: {derived_from: T, capabilities: {c: C}}
  T: {derived_from: Root}
  D: {derived_from: string}
topology_template: {node_templates: {a: {type: S}}}
""",
        None,
        "the section 'types' is one of Unfurl's dialect",
    ),
    "a type with two parents": (
        "node_types: {A: {}, B: {}, C: {derived_from: [A, B]}}\ntopology_template: {node_templates: {c: {type: C}}}",
        None,
        "the name of a node type must be text, not a list",
    ),
    "a capability of another type": (
        """
topology_template:
  node_templates:
    a: {type: Compute, capabilities: {endpoint: {type: unfurl.capabilities.Endpoint.SSH, properties: {user: u}}}}
""",
        None,
        "an assignment cannot make it a unfurl.capabilities.Endpoint.SSH",
    ),
}


@pytest.mark.parametrize(("text", "warning", "refusal"), LOOSE.values(), ids=LOOSE)
def test_the_dialect_is_loose_and_the_standard_is_not(load: Load, text: str, warning: str | None, refusal: str) -> None:
    assert [warning for one in load(text, unfurl=True).warnings if warning and warning in one] == [warning] * bool(
        warning
    )
    with pytest.raises(InvalidInput, match=refusal):
        load(text)


@pytest.mark.parametrize("part", ["artifacts: {f: {file: f, type: Bash, properties: {x: 1}}}"])
def test_other_entities_have_what_is_declared(load: Load, part: str) -> None:
    with pytest.raises(InvalidInput, match="has no property 'x'"):
        load(f"topology_template: {{node_templates: {{a: {{type: Compute, {part}}}}}}}", unfurl=True)


def test_a_requirement_of_its_own_leads_to_its_node(load: Load) -> None:
    text = "topology_template: {node_templates: {a: {type: Root, requirements: [host: b]}, b: {type: Root}}}"
    (made,) = load(text, unfurl=True).node_templates["a"].requirements
    assert (made.name, made.target.name, made.type.name) == ("host", "b", "tosca.relationships.HostedOn")
    (other,) = load(text.replace("host: b", "dep: b"), unfurl=True).node_templates["a"].requirements
    assert (other.name, other.type.name) == ("dep", "tosca.relationships.DependsOn")


def test_a_requirement_of_its_own_needs_a_node(load: Load) -> None:
    with pytest.raises(InvalidInput, match="node template 'a' has no requirement 'host'"):
        load(
            "topology_template: {node_templates: {a: {type: Root, requirements: [host: {capability: c}]}}}", unfurl=True
        )


def test_a_capability_is_of_the_type_that_its_assignment_names(load: Load) -> None:
    found = load(LOOSE["a capability of another type"][0], unfurl=True).node_templates["a"].capabilities["endpoint"]
    assert found.type.name == "unfurl.capabilities.Endpoint.SSH"
    assert found.properties["user"].value == "u"
    with pytest.raises(InvalidInput, match="Container does not derive from it"):
        load(
            "topology_template: {node_templates: {a: {type: Compute, capabilities: {endpoint: {type: Container}}}}}",
            unfurl=True,
        )


def test_a_type_of_no_kind_is_refused(load: Load) -> None:
    for raw in ("{}", "{derived_from: Nothing}", "{derived_from: T}"):
        with pytest.raises(InvalidInput, match="what kind of type 'T' is cannot be determined"):
            load(f"types: {{T: {raw}}}", unfurl=True)


PARENTS = """
node_types:
  Base:
    properties: {p: {type: string, default: base}, q: {type: string, default: base}}
    interfaces: {Standard: {operations: {create: echo base, start: echo base}}}
  A:
    derived_from: Base
    properties: {q: {type: string, default: a}, r: {type: string, default: a}}
    interfaces: {Standard: {operations: {start: echo a}}}
  B:
    derived_from: Base
    properties: {p: {type: string, default: b}, q: {type: string, default: b}, s: {type: string, default: b}}
    interfaces: {Standard: {operations: {create: echo b, start: echo b, stop: echo b}}}
  C: {derived_from: [A, B]}
topology_template: {node_templates: {c: {type: C}}}
"""


def test_of_two_parents_the_first_wins_unless_the_other_refines(load: Load) -> None:
    node = load(PARENTS, unfurl=True).node_templates["c"]
    assert {name: one.value for name, one in node.properties.items()} == {"p": "b", "q": "a", "r": "a", "s": "b"}
    operations = node.interfaces["Standard"].operations
    commands = {name: one.implementation and one.implementation.primary for name, one in operations.items()}
    assert commands == {"create": "echo b", "configure": None, "start": "echo a", "stop": "echo b", "delete": None}
    assert [one.name for one in node.type.lineage()] == ["C", "A", "B", "Base", "tosca.nodes.Root"]
    assert node.type.is_a("B")


def test_types_with_several_parents_do_not_derive_from_themselves(load: Load) -> None:
    with pytest.raises(InvalidInput, match="type derives from itself: B -> C -> B"):
        load("node_types: {A: {}, B: {derived_from: [A, C]}, C: {derived_from: [A, B]}}", unfurl=True)


def test_a_long_line_of_second_parents_is_read(load: Load) -> None:
    types = "".join(f"  T{number}: {{derived_from: [Root, T{number + 1}]}}\n" for number in range(1000))
    nodes = "topology_template: {node_templates: {a: {type: T990}}}"
    assert load(f"node_types:\n{types}  T1000: {{}}\n{nodes}", unfurl=True).node_templates["a"].type.is_a("T1000")


STEP = """
node_types:
  T: {derived_from: Root, interfaces: {Standard: {operations: {create: echo hi}}}}
  S: {derived_from: T}
topology_template:
  node_templates: {a: {type: S}, b: {type: Root}}
  workflows: {w: {steps: {s: {target: %s, activities: [{call_operation: %s}]}}}}
"""


def test_a_step_works_on_all_of_a_type(load: Load) -> None:
    assert load(STEP % ("T", "Standard.create"), unfurl=True).workflows["w"].steps["s"].target == "T"
    with pytest.raises(InvalidInput, match="has no such operation"):
        load(STEP % ("T", "Standard.made"), unfurl=True)
    none = load(STEP % ("Compute", "Standard.create"), unfurl=True)
    assert none.workflows["w"].steps == {}
    assert "the target 'tosca.nodes.Compute', which does not exist: it is left out" in "".join(none.warnings)
    with pytest.raises(InvalidInput, match="the target 'T', which does not exist"):
        load(STEP % ("T", "Standard.create"))


def test_a_workflow_whose_precondition_is_of_nothing_is_left_out(load: Load) -> None:
    text = STEP.replace("{w: {", "{w: {preconditions: [{target: gone, condition: [{a: [{equal: 1}]}]}], ")
    assert load(text % ("T", "Standard.create"), unfurl=True).workflows == {}
    with pytest.raises(InvalidInput, match="the target 'gone', which does not exist"):
        load(text % ("a", "Standard.create"))


DEFAULTS = """
node_types:
  T: {derived_from: Root, interfaces: {Standard: {operations: {create: echo hi}}}}
topology_template:
  node_templates: {a: {type: T, interfaces: {defaults: {inputs: {x: 1}}}}}
"""


def test_defaults_of_a_template_are_of_interfaces_that_it_does_not_name(load: Load) -> None:
    standard = load(DEFAULTS, unfurl=True).node_templates["a"].interfaces["Standard"]
    assert standard.inputs["x"].value == standard.operations["create"].inputs["x"].value == 1


def test_paths_in_a_default_start_at_the_file_of_its_type(load: Load, tmp_path: Path) -> None:
    types = {
        "spec/t.yaml": """
tosca_definitions_version: tosca_simple_unfurl_1_0_0
node_types:
  T:
    derived_from: Root
    properties: {p: {type: string, default: {eval: {file: x, contents: x}}}, q: {type: string, default: a}}
"""
    }
    text = "imports: [spec/t.yaml]\ntopology_template: {node_templates: {a: {type: T}}}"
    properties = load(text, files=types, unfurl=True).node_templates["a"].properties
    assert (properties["p"].base, properties["q"].base) == (tmp_path / "spec", None)


@pytest.mark.parametrize("name", ["k8s.unfurl.nodes.Generic", "k8s:unfurl.nodes.Generic", "unfurl.nodes.Generic"])
def test_types_that_are_always_there_have_the_prefix_of_their_import(load: Load, name: str) -> None:
    text = f"""
imports: [{{repository: unfurl, file: tosca_plugins/k8s.yaml, namespace_prefix: k8s}}]
topology_template: {{node_templates: {{n: {{type: "{name}"}}}}}}
"""
    assert load(text, unfurl=True).node_templates["n"].type.name == "unfurl.nodes.Generic"
    with pytest.raises(InvalidInput, match="unknown node type"):
        load(text.replace('n: {type: "', 'n: {type: "other.'), unfurl=True)


def test_instances_with_a_template_of_their_own(load: Load) -> None:
    instances = {
        "a": {"template": {"type": "unfurl.nodes.Generic", "properties": {"y": 2}}, "readyState": "pending"},
        "b": {"properties": {"x": 1}},
    }
    topology = load("topology_template: {node_templates: {}}", unfurl=True, instances=instances)
    nodes = topology.node_templates
    assert [(one.type.name, one.properties.popitem()[1].value) for one in nodes.values()] == [
        ("unfurl.nodes.Generic", 2),
        ("unfurl.nodes.Default", 1),
    ]
    (told,) = topology.warnings
    assert "`readyState` of the instance 'a' is ignored" in told


def test_attributes_of_instances_with_a_template(load: Load) -> None:
    text = "topology_template: {node_templates: {named: {type: unfurl.nodes.Generic, properties: {x: 1}}}}"
    instances = {
        "named": {"template": "named", "attributes": {"ip": "10.0.0.1"}},
        "second": {"template": "named", "attributes": {"ip": "10.0.0.2"}},
        "own": {"template": {"type": "unfurl.nodes.Generic"}, "attributes": {"ip": "10.0.0.3"}},
        "both": {
            "template": {"type": "unfurl.nodes.Generic", "attributes": {"ip": "10.0.0.9"}},
            "attributes": {"ip": "10.0.0.4"},
        },
    }
    nodes = load(text, unfurl=True, instances=instances).node_templates
    assert {name: (list(one.properties), one.attributes["ip"].value) for name, one in nodes.items()} == {
        "named": (["x"], "10.0.0.1"),
        "second": (["x"], "10.0.0.2"),
        "own": ([], "10.0.0.3"),
        "both": ([], "10.0.0.4"),
    }


PARTS = """
types:
  A: {tosca_definitions_version: tosca_simple_unfurl_1_0_0, node_types: {T: {derived_from: Root}}}
  B: {node_types: {S: {derived_from: Root}}}
"""
IMPORTS = """
imports: [%s]
topology_template: {node_templates: {t: {type: T}, s: {type: S}}}
"""


def test_a_part_of_a_file_is_imported(load: Load) -> None:
    both, files = "'parts.yaml#/types/A', {file: 'parts.yaml#/types/B'}", {"parts.yaml": PARTS}
    assert {*load(IMPORTS % both, unfurl=True, files=files).node_templates} == {"t", "s"}
    for wrong, words in (("parts.yaml#/types/C", "must be a map"), ("parts.yaml#types", "no part of a file")):
        with pytest.raises(InvalidInput, match=words):
            load(IMPORTS % f"'{wrong}'", unfurl=True, files=files)
    with pytest.raises(InvalidInput, match="does not exist"):
        load(IMPORTS % both, files=files)


def test_inputs_of_files_that_the_topology_does_not_have(load: Load, tmp_path: Path) -> None:
    text = "topology_template: {inputs: {size: {type: integer}}, node_templates: {}}"
    given = parse_yaml("{size: 3, colour: red}", tmp_path / "unfurl.yaml").data
    topology = load(text, unfurl=True, inputs=given)
    assert topology.input_values == {"size": 3}
    (told,) = topology.warnings
    assert "unfurl.yaml:1:11: the input 'colour' is ignored" in told
    with pytest.raises(InvalidInput, match="there is no input 'colour'"):
        load(text, unfurl=True, inputs=dict(given))
    with pytest.raises(InvalidInput, match="there is no input 'colour'"):
        load(text, inputs=given)


def test_keys_of_other_tools_in_a_definition(load: Load) -> None:
    text = """
node_types: {T: {derived_from: Root, properties: {p: {type: string, default: x, input_type: secret}}}}
topology_template: {node_templates: {t: {type: T}}}
"""
    topology = load(text, unfurl=True)
    assert topology.node_templates["t"].properties["p"].value == "x"
    assert "`input_type` of a parameter definition is ignored" in topology.warnings[0]
    with pytest.raises(InvalidInput, match="unknown key 'input_type' in a parameter definition"):
        load(text)
