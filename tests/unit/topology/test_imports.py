"""What a file sees of the files that it imports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.language.entities import Topology

Load = Callable[..., Topology]
VERSION = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
TYPES = VERSION + "node_types: {T: {properties: {p: {type: string, default: x}}}}\n"


@pytest.mark.parametrize(
    ("imports", "name"),
    [
        ("[types/a.yaml]", "T"),
        ("[{file: types/a.yaml}]", "T"),
        ("[{some: types/a.yaml}]", "T"),
        ("[{some: {file: types/a.yaml}}]", "T"),
        ("{some: types/a.yaml}", "T"),
        ("[{file: types/a.yaml, namespace_prefix: p}]", "p:T"),
        ("[{some: {file: types/a.yaml, namespace_prefix: p}}]", "p.T"),
        ("[{file: a.yaml, repository: r}]", "T"),
        ("[types/nested.yaml]", "T"),
        ("[{file: types/nested.yaml, namespace_prefix: p}]", "p:T"),
        ("[types/prefixed.yaml]", "q:T"),
    ],
)
def test_forms(load: Load, imports: str, name: str) -> None:
    template = f"topology_template: {{node_templates: {{n: {{type: '{name}'}}}}}}\n"
    topology = load(
        f"repositories: {{r: types}}\nimports: {imports}\n{template}",
        files={
            "types/a.yaml": TYPES,
            "types/nested.yaml": VERSION + "imports: [a.yaml]\n",
            "types/prefixed.yaml": VERSION + "imports: [{file: a.yaml, namespace_prefix: q}]\n",
        },
    )
    node = topology.node_templates["n"]
    assert node.type.name.rpartition(":")[2] == "T"
    assert node.properties["p"].value == "x"


def test_same_names_of_two_namespaces_are_two_types(load: Load) -> None:
    topology = load(
        """
imports: [{file: a.yaml, namespace_prefix: a}, {file: b.yaml, namespace_prefix: b}]
topology_template: {node_templates: {x: {type: "a:T"}, y: {type: "b:T"}, z: {type: "b:U"}}}
""",
        files={"a.yaml": TYPES, "b.yaml": VERSION + "node_types: {T: {}, U: {derived_from: T}}\n"},
    )
    nodes = topology.node_templates
    assert [list(nodes[name].properties) for name in "xyz"] == [["p"], [], []]
    assert nodes["z"].type.is_a(nodes["y"].type.name)
    assert not nodes["z"].type.is_a(nodes["x"].type.name)


def test_a_file_that_is_imported_twice_is_read_once(load: Load, tmp_path: Path) -> None:
    topology = load(
        "imports: [a.yaml, b.yaml, c.yaml]\n",
        files={
            "a.yaml": VERSION + "imports: [c.yaml]\n",
            "b.yaml": VERSION + "imports: [./c.yaml]\n",
            "c.yaml": TYPES,
        },
    )
    assert [file.name for file in topology.files] == ["service.yaml", "a.yaml", "c.yaml", "b.yaml"]
    assert topology.warnings == []


def test_files_side_by_side_use_each_others_names(load: Load) -> None:
    topology = load(
        "imports: [b.yaml, a.yaml]\ntopology_template: {node_templates: {n: {type: U}}}\n",
        files={"a.yaml": TYPES, "b.yaml": VERSION + "node_types: {U: {derived_from: T}}\n"},
    )
    assert topology.node_templates["n"].type.is_a("T")


OTHER = VERSION + "node_types: {T: {properties: {other: {type: string, default: x}}}}\n"


def test_two_types_of_one_name_and_definition_are_one(load: Load) -> None:
    assert load("imports: [a.yaml, b.yaml]\n", files={"a.yaml": TYPES, "b.yaml": TYPES}).warnings == []


@pytest.mark.parametrize(
    "text",
    [
        "imports: [a.yaml, b.yaml]\n",
        "imports: [a.yaml]\nnode_types: {T: {description: of my own}}\n",
        "imports: [c.yaml, b.yaml]\n",
        "imports: [{file: a.yaml, namespace_prefix: p}, {file: d.yaml, namespace_prefix: p}]\n",
    ],
)
def test_two_types_of_one_name_are_refused_with_both_places(load: Load, text: str) -> None:
    files = {"a.yaml": TYPES, "b.yaml": OTHER, "c.yaml": VERSION + "imports: [a.yaml]\n", "d.yaml": OTHER}
    with pytest.raises(InvalidInput, match=r"T' is defined twice, at .*yaml:\d+:\d+ and at .*yaml:\d+:\d+"):
        load(text, files=files)
    assert "T' is defined twice" in load(text, unfurl=True, files=files).warnings[0]


CIRCLE = {
    "site/types.yaml": VERSION
    + "imports: [../server/types.yaml]\nnode_types: {Site: {properties: {own: {type: Rack}}}}\n",
    "server/types.yaml": VERSION
    + "imports: [../site/types.yaml]\nnode_types: {Server: {derived_from: Site}}\n"
    + "data_types: {Rack: {derived_from: string}}\n",
}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("imports: [site/types.yaml]\n", "Server"),
        ("imports: [server/types.yaml]\n", "Server"),
        ("imports: [site/types.yaml, server/types.yaml]\n", "Server"),
        ("imports: [{file: site/types.yaml, namespace_prefix: p}]\n", "p:Server"),
    ],
)
def test_files_may_import_each_other(load: Load, text: str, kind: str) -> None:
    nodes = f"topology_template: {{node_templates: {{n: {{type: '{kind}', properties: {{own: x}}}}}}}}\n"
    topology = load(text + nodes, files=CIRCLE)
    names = [one.name.rpartition(":")[2] for one in topology.node_templates["n"].type.lineage()]
    assert names[:2] == ["Server", "Site"]
    assert len(topology.files) == 3


def test_a_file_may_import_itself(load: Load) -> None:
    assert load("imports: [a.yaml]\n", files={"a.yaml": TYPES + "imports: [a.yaml]\n"}).warnings == []


@pytest.mark.parametrize(
    "missing",
    [
        "not_there.yaml",
        "https://example.com/x.yaml",
        "{file: x.yaml, repository: nowhere}",
        "broken.yaml",
        "beside.yaml",
    ],
)
def test_a_file_that_cannot_be_read_is_one_error(load: Load, missing: str) -> None:
    text = """
imports: [%s]
topology_template:
  node_templates:
    a: {type: my.A, properties: {x: 1}, capabilities: {c: {properties: {p: 1}}}, interfaces: {I: {operations: {o: x}}}}
    b: {type: my.B, requirements: [{r: a}]}
  policies: [{p: {type: my.P, targets: [a]}}]
  outputs: {o: {value: {get_attribute: [a, x]}}}
"""
    files = {"broken.yaml": "a: [", "beside.yaml": VERSION + "imports: [not_there.yaml]\n"}
    with pytest.raises(InvalidInput) as caught:
        load(text % missing, files=files)
    assert not isinstance(caught.value, InvalidInputs)
    assert caught.value.place is not None


def test_files_outside_of_the_roots_are_refused(load: Load, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "a.yaml").write_text(TYPES)
    (tmp_path / "inside" / "link.yaml").symlink_to(tmp_path / "a.yaml")
    for name in ("a.yaml", "inside/../a.yaml", "inside/link.yaml"):
        with pytest.raises(InvalidInput, match="lies outside of the project"):
            load(f"imports: [{name}]\n", roots=[tmp_path / "inside"])
    load("imports: [a.yaml]\n", roots=[tmp_path])


def test_given_repositories_win_over_urls(load: Load, tmp_path: Path) -> None:
    text = "repositories: {r: 'https://example.com/types'}\nimports: [{file: a.yaml, repository: r}]\n"
    with pytest.raises(InvalidInput, match="repository 'r' is not on this machine"):
        load(text)
    topology = load(text, files={"types/a.yaml": TYPES}, repositories={"r": tmp_path / "types"})
    assert [file.name for file in topology.files] == ["service.yaml", "a.yaml"]


def test_errors_name_the_imported_file(load: Load, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        load("imports: [a.yaml]\n", files={"a.yaml": VERSION + "node_types: {T: {derived_from: U}}\n"})
    assert str(caught.value).startswith(f"{tmp_path}/a.yaml:2:32: unknown node type 'U'")


def test_unfurl_takes_over_imported_templates(load: Load) -> None:
    imported = """
topology_template:
  inputs: {i: {type: string, default: x}}
  node_templates:
    a: {type: Root, directives: [default], description: imported}
    b: {type: Root, requirements: [{dependency: a}]}
"""
    text = "imports: [a.yaml]\ntopology_template: {node_templates: {a: {type: Compute}}}\n"
    topology = load(text, unfurl=True, files={"a.yaml": imported})
    assert {name: node.type.name for name, node in topology.node_templates.items()} == {
        "a": "tosca.nodes.Compute",
        "b": "tosca.nodes.Root",
    }
    assert list(topology.inputs) == ["i"]
    plain = load(text, files={"a.yaml": VERSION + imported})
    assert list(plain.node_templates) == ["a"]


def test_types_of_unfurl_are_there_without_its_repository(load: Load) -> None:
    topology = load(
        """
imports: [{repository: unfurl, file: tosca_plugins/k8s.yaml}]
topology_template: {node_templates: {c: {type: unfurl.nodes.K8sCluster}}}
""",
        unfurl=True,
    )
    assert topology.node_templates["c"].type.name == "unfurl.nodes.K8sCluster"


def repositories(name: str, first: str, second: str) -> dict[str, str]:
    """Two files to import, that each declare a repository of this name."""
    return {
        "a.yaml": VERSION + f"repositories: {{{name}: {first}}}\n",
        "b.yaml": VERSION + f"repositories: {{{name}: {second}}}\n",
    }


@pytest.mark.parametrize(
    ("own", "first", "second", "places"),
    [
        ("", "https://a.example/x", "https://b.example/x", ["a.yaml:2:", "b.yaml:2:"]),
        ("", "{url: https://a.example/x}", "{file: ../x}", ["a.yaml:2:", "b.yaml:2:"]),
        ("repositories: {r: https://c.example/x}\n", "https://a.example/x", "https://c.example/x", ["a.yaml:2:"]),
    ],
)
def test_repositories_of_one_name_that_are_two_are_told(
    load: Load, own: str, first: str, second: str, places: list[str]
) -> None:
    topology = load(f"{own}imports: [a.yaml, b.yaml]\n", files=repositories("r", first, second))
    (warning,) = topology.warnings
    assert "the repository 'r' is another at " in warning
    assert all(place in warning for place in places)


@pytest.mark.parametrize("second", ["https://a.example/x", "{url: https://a.example/x.git}", "https://a.example/x/"])
def test_a_repository_that_two_files_declare_is_one(load: Load, second: str) -> None:
    assert not load("imports: [a.yaml, b.yaml]\n", files=repositories("r", "https://a.example/x", second)).warnings
