"""Nested topologies, flattened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]

TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Database:
    properties: {size: {type: integer, default: 1}, name: {type: string}}
    attributes: {url: {type: string}, state_of: {type: string}}
    capabilities: {db: {type: Endpoint}}
    requirements: [{host: {capability: Compute, relationship: HostedOn}}]
  Engine: {derived_from: SoftwareComponent, attributes: {url: {type: string}}, properties: {n: {type: integer}}}
"""

NESTED = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
topology_template:
  inputs: {count: {type: integer}, name: {type: string}, other: {type: string, default: o}}
  substitution_mappings:
    node_type: Database
    properties: {size: [count]}
    attributes: {state_of: [engine, state]}
    requirements: {host: [engine, host]}
  node_templates:
    engine: {type: Engine, properties: {n: {get_input: count}}}
    config: {type: Root, requirements: [{dependency: engine}]}
  outputs:
    url: {value: {concat: ["db://", {get_attribute: [engine, url]}, "/", {get_input: name}, "/", {get_input: other}]}}
"""

OUTER = """
imports: [types.yaml, nested.yaml]
topology_template:
  node_templates:
    server: {type: Compute}
    db: {type: Database, properties: {size: 3, name: main}, requirements: [{host: server}]%s}
    app: {type: Root, requirements: [{dependency: db}]}
"""


@pytest.mark.parametrize("directives", ["", ", directives: [substitute]"])
def test_flattened(load: Load, directives: str) -> None:
    topology = load(OUTER % directives, files={"types.yaml": TYPES, "nested.yaml": NESTED})
    nodes = topology.node_templates
    assert list(nodes) == ["server", "db", "app", "db:engine", "db:config"]
    assert nodes["db"].directives == ("substitute",)
    assert [nodes[name].namespace for name in nodes] == ["", "", "", "db", "db"]
    nested = topology.nested["db"]
    assert nested.node_templates == {"engine": nodes["db:engine"], "config": nodes["db:config"]}
    assert nested.input_values == {"count": {"get_property": ["db", "size"]}, "name": {"get_property": ["db", "name"]}}


def test_requirements_go_through_the_mapping(load: Load) -> None:
    nodes = load(OUTER % "", files={"types.yaml": TYPES, "nested.yaml": NESTED}).node_templates
    made = {
        name: [(one.name, one.target.name, one.type.name.rpartition(".")[2]) for one in node.requirements]
        for name, node in nodes.items()
    }
    assert made["db:engine"] == [("host", "server", "HostedOn")]
    assert made["db:config"] == [("dependency", "db:engine", "DependsOn")]
    assert made["db"] == [
        ("host", "server", "HostedOn"),
        ("inside", "db:engine", "DependsOn"),
        ("inside", "db:config", "DependsOn"),
    ]
    assert made["app"] == [("dependency", "db", "DependsOn")]


def test_attributes_are_what_they_are_mapped_to(load: Load) -> None:
    node = load(OUTER % "", files={"types.yaml": TYPES, "nested.yaml": NESTED}).node_templates["db"]
    assert node.attributes["state_of"].value == {"get_attribute": ["db:engine", "state"]}
    assert node.attributes["url"].value == {
        "concat": [
            "db://",
            {"get_attribute": ["db:engine", "url"]},
            "/",
            {"get_property": ["db", "name"]},
            "/",
            "o",
        ]
    }


def test_a_nested_topology_stands_alone_with_its_requirement_left_open(load: Load) -> None:
    topology = load(NESTED.partition("\n")[2], files={"types.yaml": TYPES}, inputs={"count": 1, "name": "x"})
    assert topology.node_templates["engine"].requirements == []


@pytest.mark.parametrize(
    "written",
    [
        "{{properties: [{{size: {{greater_or_equal: {}}}}}]}}",
        "{{node_filter: {{properties: {{size: {{greater_or_equal: {}}}}}}}}}",
        "[{{properties: [{{name: {{min_length: 1}}}}]}}, {{properties: [{{size: {{greater_or_equal: {}}}}}]}}]",
    ],
)
def test_a_filter_chooses_among_several(load: Load, written: str) -> None:
    def nested(least: int, name: str) -> str:
        condition = f"substitution_filter: {written.format(least)}"
        return NESTED.replace("node_type: Database", f"node_type: Database\n    {condition}").replace("config", name)

    text = (OUTER % "").replace("nested.yaml", "big.yaml, small.yaml")
    files = {"types.yaml": TYPES, "big.yaml": nested(5, "big"), "small.yaml": nested(1, "small")}
    assert "db:small" in load(text, files=files).node_templates
    assert "db:big" in load(text.replace("size: 3", "size: 7"), files=files).node_templates


def test_each_filter_of_a_list_is_checked(load: Load) -> None:
    nested = NESTED.replace("node_type: Database", "node_type: Database\n    substitution_filter: [{propertys: []}]")
    with pytest.raises(InvalidInput, match=r"nested\.yaml:\d+:\d+: unknown key 'propertys' in a node filter"):
        load(OUTER % "", files={"types.yaml": TYPES, "nested.yaml": nested})


def test_nested_in_nested(load: Load) -> None:
    middle = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml, nested.yaml]
node_types: {Site: {}}
topology_template:
  substitution_mappings: {node_type: Site}
  node_templates:
    server: {type: Compute}
    db: {type: Database, properties: {name: x}, requirements: [{host: server}]}
"""
    topology = load(
        "imports: [middle.yaml]\ntopology_template: {node_templates: {site: {type: Site}}}\n",
        files={"types.yaml": TYPES, "nested.yaml": NESTED, "middle.yaml": middle},
    )
    assert list(topology.node_templates) == ["site", "site:server", "site:db", "site:db:engine", "site:db:config"]
    assert list(topology.nested) == ["site", "site:db"]
    assert topology.nested["site:db"].input_values["name"] == {"get_property": ["site:db", "name"]}


def test_the_errors_of_a_nested_topology_are_found(load: Load) -> None:
    nested = NESTED.replace("{get_input: count}", "{get_input: cuont}")
    with pytest.raises(InvalidInput, match=r"nested\.yaml:11:44: get_input: there is no input 'cuont'"):
        load(OUTER % "", files={"types.yaml": TYPES, "nested.yaml": nested})


@pytest.mark.parametrize("match", ["engine", "Engine"])
def test_default_relationship_of_a_nested_topology(load: Load, match: str) -> None:
    template = f"  relationship_templates: {{fast: {{type: DependsOn, default_for: {match}}}}}\n  node_templates:"
    nested = NESTED.replace("  node_templates:", template)
    topology = load(OUTER % "", files={"types.yaml": TYPES, "nested.yaml": nested})
    assert topology.node_templates["db:config"].requirements[0].template == "fast"


@pytest.mark.parametrize(
    ("path", "expected"),
    [("[cfg, a, 0, b]", 7), ("[cfg, a]", [{"b": 7}]), ("cfg", {"a": [{"b": 7}]}), ("[size, x]", "[db, size, x]")],
)
def test_an_output_gives_a_part_of_an_input(load: Load, path: str, expected: object) -> None:
    nested = NESTED.replace("default: o}", "default: o}, cfg: {type: map, default: {a: [{b: 7}]}}, size: {type: map}")
    nested = nested[: nested.index("    url:")] + f"    url: {{value: {{get_input: {path}}}}}\n"
    types = TYPES.replace("size: {type: integer, default: 1}", "size: {type: map, default: {x: 1}}")
    nested = nested.replace("{size: [count]}", "{size: [size]}").replace("{get_input: count}", "1")
    outer = OUTER.replace("size: 3", "size: {x: 2}") % ""
    nested = nested.replace("count: {type: integer}, ", "")
    value = load(outer, files={"types.yaml": types, "nested.yaml": nested}).node_templates["db"].attributes["url"].value
    assert value == (expected if path != "[size, x]" else {"get_property": ["db", "size", "x"]})


TYPES_2 = """\
tosca_definitions_version: tosca_2_0
capability_types: {C: {}}
relationship_types: {R: {}}
node_types:
  Server: {capabilities: {c: C}}
  Client: {requirements: [{s: {capability: C, relationship: R, node: Server}}]}
  Part: {derived_from: Client}
"""
NESTED_2 = """\
tosca_definitions_version: tosca_2_0
imports: [types.yaml]
service_template:
  substitution_mappings: {node_type: Client, requirements: %s}
  node_templates:
    a: {type: Part}
    b: {type: Part}
    chosen: {type: Server, directives: [select]}
    c: {type: Part, requirements: [{s: chosen}]}
"""
OUTER_2 = """\
tosca_definitions_version: tosca_2_0
imports: [types.yaml, nested.yaml]
service_template:
  node_templates:
    one: {type: Server}
    two: {type: Server}
    client: {type: Client, directives: [substitute], requirements: [{s: one}, {s: two}]}
"""


@pytest.mark.parametrize(
    ("mapped", "met"),
    [
        ("[{s: [a, s]}]", {"a": ["one", "two"], "b": []}),
        ("[{s: [a, s]}, {s: [b, s]}]", {"a": ["one"], "b": ["two"]}),
        ("[{s: [[a, s], [b, s]]}, {s: [a, s]}]", {"a": ["one", "two"], "b": ["one"]}),
        ("[{s: chosen}, {s: [b, s]}]", {"a": [], "b": ["two"], "c": ["one"]}),
    ],
)
def test_each_requirement_is_mapped_as_written(
    load: Load, tmp_path: Path, mapped: str, met: dict[str, list[str]]
) -> None:
    (tmp_path / "types.yaml").write_text(TYPES_2)
    (tmp_path / "nested.yaml").write_text(NESTED_2 % mapped)
    (tmp_path / "outer.yaml").write_text(OUTER_2)
    nodes = load_topology(tmp_path / "outer.yaml").node_templates
    assert {name: [one.target.name for one in nodes[f"client:{name}"].requirements] for name in met} == met
    assert ("client:chosen" in nodes) == ("chosen" not in mapped)


def test_a_mapping_to_a_node_that_is_not_selected_is_refused(tmp_path: Path) -> None:
    (tmp_path / "types.yaml").write_text(TYPES_2)
    (tmp_path / "nested.yaml").write_text(NESTED_2 % "[{s: a}]")
    with pytest.raises(InvalidInput, match="leads to 'a', which is not selected"):
        load_topology(tmp_path / "nested.yaml")
