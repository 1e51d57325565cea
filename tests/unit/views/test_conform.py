"""Evaluated values against the types they are declared with, the user's own data types among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive, redact
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.topology.service_template import load_topology
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

TEMPLATE = """
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Port: {{derived_from: integer, constraints: [{{in_range: [1, 100]}}]}}
  Login:
    properties:
      user: {{type: string}}
      port: {{type: Port, default: 22}}
      password: {{type: string, required: false, metadata: {{sensitive: true}}}}
node_types:
  Thing: {{derived_from: tosca.nodes.Root, properties: {{value: {type}}}}}
topology_template:
  inputs: {{given: {{type: any}}}}
  node_templates:
    a: {{type: Thing, properties: {{value: {{get_input: given}}}}}}
"""


def value_of(folder: Path, kind: str, given: Any) -> Any:
    topology = load_topology(parse_yaml(TEMPLATE.format(type=kind), folder / "s.yaml"), inputs={"given": given})
    evaluator = Evaluator(
        topology, Instances(), EvaluationEnvironment(folder, folder, digest_key=b"k"), function_table()
    )
    return evaluator.scope(Instance("a", "a")).property("value")


VALUES = [
    ("{type: Port}", "8", 8),
    ("{type: Login}", {"user": "u"}, {"user": "u", "port": 22}),
    ("{type: Login}", {"user": 5, "port": "7"}, {"user": "5", "port": 7}),
    ("{type: list, entry_schema: Port}", ["1", 2], [1, 2]),
    ("{type: map, entry_schema: {type: Login}}", {"x": {"user": "u"}}, {"x": {"user": "u", "port": 22}}),
    ("{type: scalar-unit.size}", "4 GB", "4 GB"),
    ("{type: version}", "1.2.3", "1.2.3"),
    ("{type: json}", {"a": 1}, {"a": 1}),
    ("{type: tosca.datatypes.Credential}", {"token": "t"}, {"token": "t", "token_type": "password"}),
]


@pytest.mark.parametrize(("kind", "given", "value"), VALUES, ids=[f"{case[0]}-{case[1]}" for case in VALUES])
def test_fits(tmp_path: Path, kind: str, given: Any, value: Any) -> None:
    assert value_of(tmp_path, kind, given) == value


REFUSED = [
    ("{type: Port}", 101, "property a.value: 101 violates in_range: [1, 100]"),
    ("{type: Port}", "x", 'property a.value is "x", which is not of type integer'),
    ("{type: Login}", {}, "property a.value: the field 'user' of Login is missing"),
    ("{type: Login}", {"user": "u", "usr": 1}, "property a.value: Login has no field 'usr'"),
    ("{type: Login}", {"user": "u", "port": 0}, "property a.value.port: 0 violates in_range: [1, 100]"),
    ("{type: list, entry_schema: Port}", [1, 500], "property a.value[1]: 500 violates in_range: [1, 100]"),
    ("{type: scalar-unit.size}", "much", 'property a.value is "much", which is not of type scalar-unit.size'),
    (
        "{type: scalar-unit.size, constraints: [{greater_than: 1 GB}]}",
        "1 MB",
        "property a.value: '1 MB' violates greater_than: 1 GB",
    ),
    ("{type: timestamp}", "noon", 'property a.value is "noon", which is not of type timestamp'),
]


@pytest.mark.parametrize(("kind", "given", "message"), REFUSED, ids=[f"{case[0]}-{case[1]}" for case in REFUSED])
def test_does_not_fit(tmp_path: Path, kind: str, given: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        value_of(tmp_path, kind, given)
    assert caught.value.message == message
    assert caught.value.place is not None


SECRET = [
    (
        "{type: map, metadata: {sensitive: true}}",
        "hunter2",
        "property a.value is <<REDACTED>>, which is not of type map",
    ),
    (
        "{type: integer, metadata: {sensitive: true}}",
        "hunter2",
        "property a.value is <<REDACTED>>, which is not of type integer",
    ),
    ("{type: Login}", "hunter2", "property a.value is <<REDACTED>>, which is not of type map"),
    ("{type: Login}", ["hunter2"], "property a.value is <<REDACTED>>, which is not of type map"),
    ("{type: tosca.datatypes.Credential}", "hunter2", "property a.value is <<REDACTED>>, which is not of type map"),
    ("{type: list, entry_schema: Login}", ["hunter2"], "property a.value[0] is <<REDACTED>>, which is not of type map"),
    ("{type: list, entry_schema: Login}", "hunter2", "property a.value is <<REDACTED>>, which is not of type list"),
    ("{type: map, entry_schema: integer}", {"db_password": "hunter2"}, "is <<REDACTED>>, which is not of type integer"),
    ("{type: integer}", mark_sensitive("hunter2"), "property a.value is <<REDACTED>>, which is not of type integer"),
    (
        "{type: string, metadata: {sensitive: true}, constraints: [{min_length: 9}]}",
        "hunter2",
        "property a.value: its value violates min_length",
    ),
]


@pytest.mark.parametrize(("kind", "given", "message"), SECRET, ids=[f"{case[0]}-{case[1]!r}" for case in SECRET])
def test_what_may_be_a_secret_is_in_no_error(tmp_path: Path, kind: str, given: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        value_of(tmp_path, kind, given)
    assert message in caught.value.message
    assert "hunter2" not in str(caught.value)


def test_a_field_that_its_data_type_marks_as_sensitive_is(tmp_path: Path) -> None:
    value = value_of(tmp_path, "{type: Login}", {"user": "u", "password": "pw"})
    assert value["password"] == "pw"
    assert is_sensitive(value["password"])
    assert redact(value) == {"user": "u", "port": 22, "password": "<<REDACTED>>"}


WRITTEN = """
tosca_definitions_version: tosca_simple_yaml_1_3
data_types: {Release: {properties: {name: {type: string}, weight: {type: float, default: 1.0}}}}
node_types:
  Thing: {derived_from: tosca.nodes.Root, properties: {value: %s}}
topology_template:
  inputs: {untyped: {default: 3.10}, typed: {type: version, default: 3.10}}
  node_templates:
    a: {type: Thing, properties: {value: %s}}
"""


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("{type: version}", "3.10", "3.10"),
        ("{type: version, constraints: [{greater_than: 3.9}]}", "3.10", "3.10"),
        ("{type: version, constraints: [{valid_values: [3.10]}]}", "3.10", "3.10"),
        ("{type: string}", "1.10", "1.10"),
        ("{type: string, constraints: [{length: 4}]}", "1e10", "1e10"),
        ("{type: string, constraints: [{pattern: '0+7'}]}", "007", "007"),
        ("{type: string}", "{get_input: untyped}", "3.10"),
        ("{type: string}", "{get_input: typed}", "3.10"),
        ("{type: string}", "{concat: [v, 1.10]}", "v1.10"),
        ("{type: string}", "{join: [[1.10, 2.20], '-']}", "1.10-2.20"),
        ("{type: list, entry_schema: version}", "[3.10, 1.2]", ["3.10", "1.2"]),
        ("{type: map, entry_schema: version}", "{a: 3.10}", {"a": "3.10"}),
        ("{type: float}", "1.50", 1.5),
        ("{type: integer}", "007", 7),
        ("{type: any}", "1.50", 1.5),
    ],
)
def test_a_number_for_a_text_is_as_it_is_written(tmp_path: Path, kind: str, written: str, value: Any) -> None:
    topology = load_topology(parse_yaml(WRITTEN % (kind, written), tmp_path / "s.yaml"))
    found = Evaluator(
        topology, Instances(), EvaluationEnvironment(tmp_path, tmp_path, digest_key=b"k"), function_table()
    )
    made = found.scope(Instance("a", "a")).property("value")
    assert made == value
    assert isinstance(made, type(value))


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("{type: string, constraints: [{max_length: 3}]}", "1.10"),
        ("{type: version, constraints: [{less_than: 3.2}]}", "3.10"),
        ("{type: string, constraints: [{valid_values: ['1.1']}]}", "1.10"),
    ],
)
def test_a_number_for_a_text_is_checked_as_it_is_written(tmp_path: Path, kind: str, written: str) -> None:
    with pytest.raises(InvalidInput, match=f"{written}.* violates"):
        load_topology(parse_yaml(WRITTEN % (kind, written), tmp_path / "s.yaml"))


def test_a_float_from_the_command_line_may_end_with_zeros(tmp_path: Path) -> None:
    assert value_of(tmp_path, "{type: float}", "1.50") == 1.5
    text = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template: {inputs: {r: {type: float}}}\n"
    assert load_topology(parse_yaml(text, tmp_path / "s.yaml"), inputs={"r": "1.50"}).input_values == {"r": "1.50"}
