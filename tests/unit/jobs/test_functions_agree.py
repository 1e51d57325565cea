"""What a function would refuse at run for the file's own sake, validate refuses, in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import locate, read_ensemble
from ansible_ensemble.jobs.validate import validate_path

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
relationship_types:
  R:
    derived_from: tosca.relationships.DependsOn
    properties: {p: {type: string, default: pp}}
    attributes: {a: {type: string, default: aa}}
policy_types: {P: {derived_from: tosca.policies.Root, properties: {n: {type: integer}}}}
group_types: {G: {derived_from: tosca.groups.Root, properties: {n: {type: integer}}}}
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties: {l: {type: list, default: [1]}, m: {type: map, default: {a: 1}}, q: {type: any, required: false}}
topology_template:
  inputs: {l: {type: list, default: [1]}, m: {type: map, default: {a: 1}}, s: {type: string, default: x}}
  node_templates:
    n: {type: N, properties: %s, requirements: [dependency: {node: o, relationship: rel}, dependency: {node: o, relationship: R}]}
    o: {type: tosca.nodes.Root}
  relationship_templates: {rel: {type: R, properties: {p: own}}, unused: {type: R}}
  groups: {g: {type: G, members: [n], properties: {n: 5}}}
  policies: [{pol: {type: P, properties: {n: 4}, targets: [n]}}]
  outputs: {o: {value: %s}}
"""  # noqa: E501

REFUSED = {
    "{concat: abc}": "concat: it takes a list of at least one value",
    "{concat: {a: b}}": "concat: it takes a list of at least one value",
    "{concat: [a, {b: c}]}": "concat joins text and got a map",
    "{get_atribute: [n, p]}": "get_atribute: there is no such function (did you mean get_attribute?)",
    "{get_imput: x}": "get_imput: there is no such function (did you mean get_input?)",
    "{token: [a-b, '-']}": "token: it takes a text, a separator and the number of a part",
    "{token: [a-b, '', 0]}": "the second argument of token is empty",
    "{token: [a-b, '-', 5]}": "token 5 does not exist: the text has 2 parts",
    "{join: [{a: b}, '-']}": "join: it takes a list of values and a delimiter",
    "{get_property: [n]}": "get_property: it takes an entity and the name of a value of it",
    "{get_property: [n, l, 9]}": 'property "n.l" has no item "9"',
    "{get_property: [n, m, zz]}": 'property "n.m" has no key "zz"',
    "{get_property: [n, dependency, 2, p]}": "'n' has no requirement 'dependency' 2: it has 2, from 0",
    "{get_property: [rel, nope]}": "'rel' has no property 'nope'",
    "{get_property: [pol, nope]}": "'pol' has no property 'nope'",
    "{get_property: [g, nope]}": "'g' has no property 'nope'",
    "{get_input: [l, 7]}": 'input "l" has no item "7"',
    "{get_input: [m, z]}": 'input "m" has no key "z"',
    "{get_nodes_of_type: nope}": "unknown node type 'nope'",
    "{get_operation_output: [n, Standard, nope, x]}": "interface 'Standard' has no operation 'nope'",
    "{get_operation_output: [n, Standard, stop, x]}": "nothing implements Standard.stop of 'n', it has no outputs",
    "{eval: {nofunction: 1}}": 'there is no function "nofunction"',
}


@pytest.mark.parametrize("where", ["a property", "an output"])
@pytest.mark.parametrize(("value", "message"), REFUSED.items(), ids=REFUSED)
def test_refused(tmp_path: Path, where: str, value: str, message: str) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(SERVICE % ((f"{{q: {value}}}", "x") if where == "a property" else ("{}", value)))
    (error,) = validate_path(str(file), JobOptions())["errors"]
    assert message in error["text"]
    assert error["line"] == (16 if where == "a property" else 21)


VALUES = {
    "{get_property: [rel, p]}": "own",
    "{get_attribute: [rel, a]}": "aa",
    "{get_attribute: [rel, p]}": "own",
    "{get_property: [unused, p]}": "pp",
    "{get_property: [n, dependency, 0, p]}": "own",
    "{get_property: [n, dependency, 1, p]}": "pp",
    "{get_attribute: [n, dependency, 1, a]}": "aa",
    "{get_property: [pol, n]}": 4,
    "{get_property: [P, n]}": 4,
    "{get_property: [g, n]}": 5,
    "{concat: [{get_property: [rel, p]}, x]}": "ownx",
    "{token: secret}": {"token": "secret"},
    "{get: x}": {"get": "x"},
}


@pytest.mark.parametrize("where", ["a property", "an output"])
@pytest.mark.parametrize(("value", "made"), VALUES.items(), ids=VALUES)
def test_values(tmp_path: Path, where: str, value: str, made: object) -> None:
    file = tmp_path / "service.yaml"
    is_property = where == "a property"
    file.write_text(SERVICE % ((f"{{q: {value}}}", "{get_property: [n, q]}") if is_property else ("{}", value)))
    assert validate_path(str(file), JobOptions())["errors"] == []
    assert read_ensemble(locate(file), JobOptions()).evaluator.outputs() == {"o": made}
