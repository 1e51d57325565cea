from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.language.given import as_given
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
data_types:
  Port: {derived_from: integer, constraints: [{in_range: [1, 65535]}]}
  Zone: {properties: {name: {type: string}}}
topology_template:
  inputs:
    text: {type: string, required: false}
    size: {type: integer, required: false}
    port: {type: Port, required: false}
    rate: {type: float, required: false}
    safe: {type: boolean, required: false}
    version: {type: version, required: false}
    memory: {type: scalar-unit.size, required: false}
    names: {type: list, required: false}
    labels: {type: map, required: false}
    zone: {type: Zone, required: false}
    span: {type: range, required: false}
    open: {required: false}
"""


def given(folder: Path, **inputs: Any) -> dict[str, Any]:
    """The input values of a topology that is given these."""
    file = folder / "service.yaml"
    file.write_text(SERVICE)
    return load_topology(file, inputs=inputs).input_values


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("text", "5", "5"),
        ("text", "true", "true"),
        ("text", "[a]", "[a]"),
        ("text", "", ""),
        ("size", "5", 5),
        ("size", " -5 ", -5),
        ("port", "8080", 8080),
        ("rate", "1.50", 1.5),
        ("rate", "2", 2),
        ("safe", "True", True),
        ("safe", "false", False),
        ("version", "1.10", "1.10"),
        ("memory", "4 GB", "4 GB"),
        ("names", '["a", 1]', ["a", 1]),
        ("names", "- a\n- b", ["a", "b"]),
        ("labels", "a: 1", {"a": 1}),
        ("zone", "{name: x}", {"name": "x"}),
        ("span", "[1, UNBOUNDED]", [1, "UNBOUNDED"]),
        ("open", "5", "5"),
    ],
)
def test_a_text_means_a_value_of_the_type(tmp_path: Path, name: str, text: str, value: Any) -> None:
    found = given(tmp_path, **{name: as_given(text)})[name]
    assert (found, isinstance(found, bool)) == (value, isinstance(value, bool))
    secret = given(tmp_path, **{name: mark_sensitive(text)})[name]
    assert secret == value
    assert isinstance(secret, (Sensitive, bool))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("size", "5.5", "5.5 is not of type integer"),
        ("size", "", "'' is not of type integer"),
        ("size", "9" * 5000, "is not of type integer"),
        ("port", "70000", "70000 violates in_range"),
        ("safe", "maybe", "'maybe' is not of type boolean"),
        ("names", "a,b", "'a,b' is not of type list"),
        ("names", "[a", r"'\[a' is not of type list"),
        ("names", "[{get_env: HOME}]", "is not of type list"),
        ("labels", "{get_env: HOME}", "is not of type map"),
        ("labels", "[1]", "is not of type map"),
        ("sise", "5", r"there is no input 'sise' \(did you mean size\?\)"),
        ("elsewhere", "5", r"there is no input 'elsewhere' \(known are text, size, port, .*\)"),
    ],
)
def test_a_text_of_no_such_value_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        given(tmp_path, **{name: as_given(text)})


def test_a_text_in_a_file_stays_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'5' is not of type integer"):
        given(tmp_path, size="5")
