"""The ledger of third-party files, and errors with their places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput, InvalidInputs
from ansible_ensemble.documents.yaml import parse_yaml, read_yaml
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.required import missing_inputs
from ansible_ensemble.topology.service_template import load_topology

HERE = Path(__file__).parent
LEDGER: dict[str, dict[str, str | None]] = read_yaml(HERE / "ledger.yaml").data
REFUSED: list[dict[str, Any]] = read_yaml(HERE / "refused.yaml").data
#: Files of the ledger that are parts of a whole: valid but for what the whole would add.
PARTS = {"tosca-parser-samples/node_filter/test_node_filter.yaml"}


@pytest.mark.parametrize(("name", "why"), LEDGER["probes"].items())
def test_probe(probes: Path, name: str, why: str | None) -> None:
    check(probes / name, why)


@pytest.mark.parametrize(("name", "why"), LEDGER["corpus"].items())
def test_corpus(corpus_folder: Path, name: str, why: str | None) -> None:
    check(corpus_folder / name, why)


def check(file: Path, why: str | None) -> None:
    if why is None:
        load_topology(file, check_files=file.parent.name == "probes")
        return
    with pytest.raises(InvalidInput) as caught:
        load_topology(file, check_files=file.parent.name == "probes")
    errors = caught.value.errors if isinstance(caught.value, InvalidInputs) else [caught.value]
    assert all(error.place is not None for error in errors)


def templates(folder: Path) -> set[str]:
    files = folder.rglob("*.y*ml")
    return {str(file.relative_to(folder)) for file in files if "tosca_definitions_version" in file.read_text()}


def test_the_ledger_has_every_third_party_file(corpus_folder: Path) -> None:
    folders = {name.partition("/")[0] for name in LEDGER["corpus"]}
    found = {name for name in templates(corpus_folder) if name.partition("/")[0] in folders}
    assert found <= set(LEDGER["corpus"])


def test_the_ledger_has_every_probe(probes: Path) -> None:
    assert templates(probes) == set(LEDGER["probes"])


@pytest.mark.parametrize("name", sorted(PARTS))
def test_part_of_a_whole(corpus_folder: Path, name: str) -> None:
    topology = load_topology(corpus_folder / name, check_files=False, complete=False)
    assert "no node template of tosca.nodes.Compute fits" in topology.warnings[0]


OPERA = sorted(name for name in LEDGER["corpus"] if name.startswith("opera-"))


@pytest.mark.parametrize("name", OPERA)
def test_opera_examples_are_taken_as_given(corpus_folder: Path, name: str) -> None:
    assert load_topology(corpus_folder / name).warnings == []


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_refused(case: dict[str, Any], tmp_path: Path) -> None:
    """Each case names the errors, all of them, as `line:column: message`, and the hint of some."""
    document = parse_yaml(case["template"], tmp_path / "service.yaml")
    with pytest.raises(InvalidInput) as caught:
        load_topology(document, inputs=dict(case.get("inputs", {})))
    errors = caught.value.errors if isinstance(caught.value, InvalidInputs) else [caught.value]
    found = [
        f"{place.line}:{place.column}: {error.message}" if place and place.line else error.message
        for error in errors
        for place in (error.place,)
    ]
    assert found == case["errors"]
    hints = " | ".join(error.hint or "" for error in errors)
    assert case.get("hint", "") in hints


def load(tmp_path: Path, text: str, **options: Any) -> Any:
    return load_topology(parse_yaml(text, tmp_path / "service.yaml"), **options)


def test_inline_template_needs_no_version(tmp_path: Path) -> None:
    document = parse_yaml(
        "spec:\n  service_template:\n    topology_template:\n      node_templates:\n        a: {type: Root}\n",
        tmp_path / "ensemble.yaml",
    )
    topology = load_topology(document, data=document.data["spec"]["service_template"])
    assert topology.version == "tosca_simple_unfurl_1_0_0"
    assert topology.files == [tmp_path / "ensemble.yaml"]
    place = topology.node_templates["a"].place
    assert place is not None
    assert (place.line, place.column) == (5, 12)


def test_files_are_those_read_in_order(probes: Path) -> None:
    topology = load_topology(probes / "44-import-forms.yaml")
    assert topology.files == [probes / "44-import-forms.yaml", probes / "types.yaml", probes / "types2.yaml"]


def test_missing_inputs_are_told_apart_from_given_and_defaulted_ones(tmp_path: Path) -> None:
    text = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    given: {type: integer}
    defaulted: {type: integer, default: 1}
    optional: {type: integer, required: false}
    missing: {type: integer}
"""
    topology = load(tmp_path, text, inputs={"given": 2})
    assert topology.input_values == {"given": 2}
    assert missing_inputs(topology.inputs, topology.input_values) == ["missing"]


def test_many_errors_end_the_reading(tmp_path: Path) -> None:
    nodes = "".join(f"    n{number}: {{type: nope}}\n" for number in range(500))
    head = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n"
    with pytest.raises(InvalidInputs) as caught:
        load(tmp_path, head + nodes)
    assert len(caught.value.errors) == 100


def test_a_missing_file_is_a_warning_where_files_are_not_checked(tmp_path: Path) -> None:
    text = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a: {type: Root, interfaces: {Standard: {create: gone.sh}}}
"""
    topology = load(tmp_path, text, check_files=False)
    assert "the file gone.sh of the operation Standard.create does not exist" in topology.warnings[0]


Load = Callable[..., Topology]


def test_templates_that_stand_outside_of_the_service_template(load: Load) -> None:
    text = """
relationship_types: {Link: {derived_from: DependsOn, properties: {speed: {type: integer}}}}
node_types: {App: {requirements: [{db: {capability: Node, relationship: DependsOn, node: Compute}}]}}
topology_template:
  node_templates:
    app: {type: App, requirements: [{db: db}]}
    own: {type: Root, description: ours}
"""
    topology = load(
        text,
        instances={"db": {"type": "Compute"}, "plain": None, "own": {"description": "theirs"}},
        connections={"fast": {"type": "Link", "properties": {"speed": 3}}, "odd": {"type": "Nowhere"}},
    )
    nodes = topology.node_templates
    assert [(name, nodes[name].type.name) for name in ("db", "plain")] == [
        ("db", "tosca.nodes.Compute"),
        ("plain", "tosca.nodes.Root"),
    ]
    assert nodes["own"].description == "ours"
    made = nodes["app"].requirements[0]
    assert (made.target.name, made.template, made.properties["speed"].value) == ("db", "fast", 3)
    assert [warning for warning in topology.warnings if "odd" in warning] == [
        "the connection 'odd' is left out: its type 'Nowhere' is not known here"
    ]


def test_an_instance_that_is_wrong_is_reported_where_it_stands(tmp_path: Path) -> None:
    text = "spec:\n  instances:\n    a: {type: Comput}\n    b: [x]\n"
    document = parse_yaml(text, tmp_path / "ensemble.yaml")
    with pytest.raises(InvalidInputs) as caught:
        load_topology(document, data={"node_types": {}}, instances=document.data["spec"]["instances"])
    assert [(one.place.line, one.message) for one in caught.value.errors if one.place] == [
        (4, "node template 'b' must be a map, not a list"),
        (3, "unknown node type 'Comput'"),
    ]


def test_outputs_that_are_read_are_noted(load: Load) -> None:
    topology = load(
        """
node_types:
  A:
    properties: {p: {type: string, default: {get_operation_output: [SELF, Standard, create, id]}}}
    interfaces: {Standard: {create: echo}}
topology_template:
  node_templates: {a: {type: A}}
  outputs: {o: {value: {get_operation_output: [a, Standard, create, more]}}}
"""
    )
    assert topology.asked_outputs == {"Standard.create": {"id", "more"}}
