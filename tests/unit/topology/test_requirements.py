"""How requirements are met: by which node template, by which capability, with which relationship."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.functions.conditions import find_matches
from ansible_ensemble.language.entities import NodeTemplate, Topology

Load = Callable[..., Topology]

COMPUTES = """
topology_template:
  node_templates:
    small: {type: Compute, capabilities: {host: {properties: {num_cpus: 1, mem_size: 1 GB}}}}
    big: {type: Compute, capabilities: {host: {properties: {num_cpus: 4, mem_size: 8 GB}}}}
    bigger: {type: Compute, capabilities: {host: {properties: {num_cpus: 8, mem_size: 16 GB}}}}
    app:
      type: SoftwareComponent
      requirements: [{host: %s}]
"""


def relationship(node: NodeTemplate) -> tuple[str, str, str | None, str]:
    made = node.requirements[0]
    return made.name, made.target.name, made.capability, made.type.name


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("big", "big"),
        ("{node: bigger}", "bigger"),
        ("Compute", "small"),
        ("{node: tosca.nodes.Compute}", "small"),
        ("{capability: tosca.capabilities.Compute}", "small"),
        ("{node_filter: {capabilities: [{host: {properties: [{num_cpus: {greater_or_equal: 2}}]}}]}}", "big"),
        ("{node_filter: {capabilities: [{host: {properties: [{num_cpus: [{greater_than: 4}]}]}}]}}", "bigger"),
        ("{node_filter: {capabilities: [{Compute: {properties: [{mem_size: 8000 MB}]}}]}}", "big"),
        ("{node_filter: {capabilities: [{host: {properties: [{mem_size: {in_range: [2 GB, 9 GB]}}]}}]}}", "big"),
        ("{node: bigger, capability: host}", "bigger"),
        ("null", "small"),
    ],
)
def test_target(load: Load, wanted: str, target: str) -> None:
    topology = load(COMPUTES % wanted)
    app = topology.node_templates["app"]
    assert relationship(app) == ("host", target, "host", "tosca.relationships.HostedOn")
    assert topology.node_templates[target].incoming == app.requirements
    assert app.requirements[0].source is app


def test_filter_reads_given_inputs_and_defaults(load: Load) -> None:
    text = """
topology_template:
  inputs: {cpus: {type: integer, default: 1}, least: {type: integer, default: 4}}
  node_templates:
    a: {type: Compute, capabilities: {host: {properties: {num_cpus: {get_input: cpus}}}}}
    b: {type: Compute, capabilities: {host: {properties: {num_cpus: 5}}}}
    app:
      type: SoftwareComponent
      requirements:
        - host:
            node_filter: {capabilities: [{host: {properties: [{num_cpus: {greater_or_equal: {get_input: least}}}]}}]}
"""
    assert relationship(load(text).node_templates["app"])[1] == "b"
    assert relationship(load(text, inputs={"cpus": 4}).node_templates["app"])[1] == "a"


def test_requirement_of_the_type_is_met_without_assignment(load: Load) -> None:
    topology = load(
        """
node_types:
  Db: {capabilities: {db: {type: Endpoint, valid_source_types: [App]}}}
  App: {requirements: [{db: {capability: Endpoint}}, {other: {capability: Node, occurrences: [0, 1]}}]}
  Other: {requirements: [{db: {capability: Endpoint, occurrences: [0, 1]}}]}
topology_template:
  node_templates: {app: {type: App}, db: {type: Db}}
"""
    )
    assert relationship(topology.node_templates["app"]) == ("db", "db", "db", "tosca.relationships.ConnectsTo")
    assert len(topology.node_templates["app"].requirements) == 1


def test_valid_source_types_are_kept(load: Load) -> None:
    with pytest.raises(InvalidInput, match="its capability 'db' is not for a Other"):
        load(
            """
node_types:
  Db: {capabilities: {db: {type: Endpoint, valid_source_types: [App]}}}
  App: {}
  Other: {requirements: [{db: {capability: Endpoint}}]}
topology_template:
  node_templates: {other: {type: Other, requirements: [{db: db}]}, db: {type: Db}}
"""
        )


def test_several_at_once(load: Load) -> None:
    topology = load(
        """
node_types:
  Balancer: {requirements: [{member: {capability: Compute, occurrences: [2, UNBOUNDED]}}]}
topology_template:
  node_templates:
    a: {type: Compute}
    b: {type: Compute}
    c: {type: Compute}
    all: {type: Balancer, requirements: [{member: {node: Compute, occurrences: [3, 3]}}]}
    some: {type: Balancer, requirements: [{member: c}]}
"""
    )
    targets = {name: [one.target.name for one in node.requirements] for name, node in topology.node_templates.items()}
    assert targets["all"] == ["a", "b", "c"]
    assert targets["some"] == ["c", "a"]
    assert [one.index for one in topology.node_templates["all"].requirements] == [0, 1, 2]


RELATIONSHIPS = """
relationship_types:
  Link:
    derived_from: DependsOn
    properties: {speed: {type: integer, default: 1}}
    interfaces: {Configure: {operations: {add_target: ls -l}}}
topology_template:
  relationship_templates:
    fast: {type: Link, properties: {speed: 9}, interfaces: {Configure: {operations: {add_source: ls}}}}
  node_templates:
    b: {type: Root}
    a: {type: Root, requirements: [{dependency: {node: b, relationship: %s}}]}
"""


@pytest.mark.parametrize(
    ("written", "expected", "operations"),
    [
        ("fast", ("Link", "fast", 9), ["add_target", "add_source"]),
        ("{type: fast}", ("Link", "fast", 9), ["add_target", "add_source"]),
        ("Link", ("Link", None, 1), ["add_target"]),
        ("{type: Link, properties: {speed: 3}}", ("Link", None, 3), ["add_target"]),
        ("{interfaces: {Configure: {add_source: ls}}}", ("tosca.relationships.DependsOn", None, None), ["add_source"]),
    ],
)
def test_relationship(
    load: Load, written: str, expected: tuple[str, str | None, int | None], operations: list[str]
) -> None:
    made = load(RELATIONSHIPS % written).node_templates["a"].requirements[0]
    speed = made.properties["speed"].value if "speed" in made.properties else None
    assert (made.type.name, made.template, speed) == expected
    declared = made.interfaces["Configure"].operations.values()
    assert sorted(one.name for one in declared if one.implementation is not None) == sorted(operations)


def test_relationships_of_one_template_are_their_own(load: Load) -> None:
    topology = load(
        """
topology_template:
  relationship_templates: {r: {type: DependsOn}}
  node_templates:
    a: {type: Root}
    b: {type: Root, requirements: [{dependency: {node: a, relationship: r}}]}
    c: {type: Root, requirements: [{dependency: {node: a, relationship: r}}, {dependency: b}]}
"""
    )
    assert [(one.source.name, one.index) for one in topology.node_templates["a"].incoming] == [("b", 0), ("c", 0)]
    assert [one.index for one in topology.node_templates["c"].requirements] == [0, 1]


def test_relationship_interfaces_of_a_requirement_definition(load: Load) -> None:
    topology = load(
        """
node_types:
  N:
    requirements:
      - r: {capability: Node, relationship: {type: DependsOn, interfaces: {Configure: {add_target: ls}}}}
topology_template:
  node_templates: {a: {type: N, requirements: [{r: b}]}, b: {type: Root}}
"""
    )
    made = topology.node_templates["a"].requirements[0]
    assert made.operation("Configure", "add_target") is not None
    assert made.operation("Configure", "add_source") is None


def chain(length: int) -> str:
    lines = ["topology_template:\n  node_templates:\n    n0: {type: Root}\n"]
    lines += [f"    n{n}: {{type: Root, requirements: [{{dependency: n{n - 1}}}]}}\n" for n in range(1, length)]
    return "".join(lines)


def test_a_long_chain_has_no_limit(load: Load) -> None:
    topology: Topology = load(chain(5000))
    assert topology.node_templates["n4999"].requirements[0].target.name == "n4998"
    assert repr(topology.node_templates["n4999"]) == "NodeTemplate('n4999', 'tosca.nodes.Root')"


def test_a_long_circle_is_named(load: Load) -> None:
    text = chain(3000).replace("n0: {type: Root}", "n0: {type: Root, requirements: [{dependency: n2999}]}")
    with pytest.raises(InvalidInput, match="the requirements form a cycle: n0 -> n2999 -> n2998 -> "):
        load(text)


CONDITIONAL = """
node_types:
  Special: {}
  Needy:
    requirements: [{dep: {capability: tosca.capabilities.Node, node: Special}}]
topology_template:
  node_templates:
    a: {type: Needy, directives: [conditional]}
    b: {type: Root, directives: [conditional], requirements: [{dependency: a}]}
    c: {type: Root, requirements: [{dependency: other}]}
    d: {type: Root, directives: [conditional], requirements: [{dependency: nowhere}]}
    other: {type: Root%s}
"""


def test_conditional_node_templates_are_left_out_when_a_requirement_is_unmet(load: Load) -> None:
    topology = load(CONDITIONAL % "")
    assert {name: len(node.requirements) for name, node in topology.node_templates.items()} == {
        "b": 0,
        "c": 1,
        "other": 0,
    }
    assert [warning.split("'")[1] for warning in topology.warnings] == ["a", "d"]
    whole = load(CONDITIONAL.replace("nowhere", "other") % "" + "    s: {type: Special}\n")
    assert list(whole.node_templates) == ["a", "b", "c", "d", "other", "s"]
    assert [one.target.name for one in whole.node_templates["b"].requirements] == ["a"]
    assert len(whole.node_templates["other"].incoming) == 2


def test_what_needs_a_node_template_that_is_left_out_is_left_out_or_an_error(load: Load) -> None:
    needs = CONDITIONAL.replace("b: {type: Root, directives: [conditional], requirements: [{dependency: a}]}", "%s")
    strict = "  Strict: {requirements: [{dep: {capability: tosca.capabilities.Node, node: Needy}}]}\n"
    text = needs.replace("  Special: {}\n", "  Special: {}\n" + strict)
    left = load(text % ("b: {type: Strict, directives: [conditional], requirements: [{dep: a}]}", ""))
    assert list(left.node_templates) == ["c", "other"]
    with pytest.raises(InvalidInput, match="requirement 'dep' of 'b' is not met: 'a' is left out"):
        load(text % ("b: {type: Strict, requirements: [{dep: a}]}", ""))


BOUNDED = """
node_types:
  Db: {capabilities: {db: {type: Endpoint, occurrences: [0, %s]}}}
  App: {requirements: [{db: {capability: Endpoint, node: Db}}]}
topology_template:
  node_templates:
    %s
"""


def test_a_capability_serves_as_many_as_its_occurrences_allow(load: Load) -> None:
    nodes = "{a: {type: App}, one: {type: Db}, two: {type: Db}, b: {type: App, requirements: [{db: one}]}}"
    topology = load(BOUNDED % (1, nodes))
    assert relationship(topology.node_templates["a"])[1] == "two", "what is named goes first"
    assert relationship(topology.node_templates["b"])[1] == "one"
    own = nodes.replace("one: {type: Db}", "one: {type: Db, capabilities: {db: {occurrences: [0, 2]}}}")
    whole = load(BOUNDED % (1, own))
    assert [one.source.name for one in whole.node_templates["one"].incoming] == ["a", "b"]


@pytest.mark.parametrize("wanted", ["db", "{node: db, capability: db}"])
def test_a_capability_that_serves_too_many_is_refused(load: Load, wanted: str) -> None:
    nodes = f"{{db: {{type: Db}}, a: {{type: App, requirements: [{{db: {wanted}}}]}}, "
    with pytest.raises(InvalidInput, match="'db' does not fit: its capability 'db' already serves 1") as caught:
        load(BOUNDED % (1, nodes + f"b: {{type: App, requirements: [{{db: {wanted}}}]}}}}"))
    assert caught.value.place is not None
    with pytest.raises(InvalidInput, match=r"is missing, and no node template of Db fits .*already serves 1"):
        load(BOUNDED % (1, nodes + "b: {type: App}}"))


MATCH = """
node_types:
  Zone: {}
  Rack: {requirements: [{zone: {capability: Node, node: Zone}}]}
  App:
    requirements:
      - place: {capability: Node, node: Rack, node_filter: {%s}}
      - zone: {capability: Node, node: Zone}
topology_template:
  node_templates:
    app: {type: App, requirements: [{zone: east}]}
    west: {type: Zone}
    east: {type: Zone}
    r1: {type: Rack, requirements: [{zone: west}]}
    r2: {type: Rack, requirements: [{zone: east}]}
"""


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("match: [{eval: '.targets::zone::.sources::zone'}]", "r2"),
        ("match: '::r2'", "r2"),
        ("match: ['.targets::zone::.sources::zone', '::*[.type=Rack]']", "r2"),
        ("requirements: [{zone: east}]", "r2"),
        ("requirements: [{zone: {node: west}}]", "r1"),
        ("requirements: [{zone: {node: Zone}}]", "r1"),
    ],
)
def test_filters_that_look_at_relationships(load: Load, wanted: str, target: str) -> None:
    app = load(MATCH % wanted, find_matches=find_matches).node_templates["app"]
    assert [(one.name, one.target.name, one.index) for one in app.requirements] == [
        ("zone", "east", 0),
        ("place", target, 1),
    ]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("match: ['::west']", "is missing, and no node template of Rack fits .match leads to west"),
        ("match: ['::[']", r"service\.yaml:8:69: "),
        ("match: [3]", "a match of .* is 3, not an expression"),
        ("requirements: [{zone: nowhere}]", "'r1': its 'zone' is 'west', not 'nowhere'"),
        ("requirements: [{zon: west}]", "'r1': it has no requirement 'zon' that is met"),
        ("requirements: [{zone: {nod: west}}]", "unknown key 'nod'"),
    ],
)
def test_filters_that_fit_nothing(load: Load, wanted: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        load(MATCH % wanted, find_matches=find_matches)


@pytest.mark.parametrize(
    "expression",
    [
        "{eval: {lookup: {pipe: touch PWNED}}}",
        "{eval: {file: PWNED, contents: x}}",
        "\"{{ lookup('pipe', 'touch PWNED') }}\"",
    ],
)
@pytest.mark.parametrize("how", ["match: [%s]", "match: ['::*[made]'], properties: [], capabilities: []"])
def test_reading_a_file_runs_nothing_of_it(load: Load, tmp_path: Path, expression: str, how: str) -> None:
    written = expression.replace("PWNED", str(tmp_path / "pwned"))
    text = MATCH % (how % written if "%" in how else how)
    text = text.replace("Zone: {}", f"Zone: {{properties: {{made: {{type: string, default: {written}}}}}}}")
    with pytest.raises(InvalidInput, match=r"match leads to nothing|is not used"):
        load(text, find_matches=find_matches)
    assert not (tmp_path / "pwned").exists()


DEFAULTS = """
relationship_types: {Link: {derived_from: ConnectsTo, properties: {speed: {type: integer}}}}
node_types:
  Db: {capabilities: {db: {type: Endpoint}}}
  App:
    requirements: [{db: {capability: Endpoint, occurrences: [0, 9]}}, {host: {capability: Node, occurrences: [0, 1]}}]
topology_template:
  relationship_templates: {fast: {type: Link, default_for: %s, properties: {speed: 9}}}
  node_templates:
    one: {type: Db}
    two: {type: Db}
    app: {type: App, requirements: [{db: one}, {db: two}, {db: {node: one, relationship: ConnectsTo}}, {host: one}]}
"""


@pytest.mark.parametrize(
    ("default_for", "templates"),
    [
        ("ANY", ["fast", "fast", None, None]),
        ("one", ["fast", None, None, None]),
        ("Db", ["fast", "fast", None, None]),
        ("db", ["fast", "fast", None, None]),
        ("Endpoint", ["fast", "fast", None, None]),
        ("tosca.capabilities.Endpoint", ["fast", "fast", None, None]),
        ("Compute", [None, None, None, None]),
    ],
)
def test_default_relationship(load: Load, default_for: str, templates: list[str | None]) -> None:
    app = load(DEFAULTS % default_for, unfurl=True).node_templates["app"]
    assert [one.template for one in app.requirements] == templates
    assert [one.index for one in app.requirements] == [0, 1, 2, 3]


def test_default_relationship_for_what_is_not_there(load: Load) -> None:
    with pytest.raises(InvalidInput, match="default_for of relationship template 'fast' is 'onee'") as caught:
        load(DEFAULTS % "onee", unfurl=True)
    assert caught.value.hint == "did you mean one?"
