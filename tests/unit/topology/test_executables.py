"""Artifacts that say what they take."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.executables import add_arguments

Load = Callable[..., Topology]

TEMPLATE = """
artifact_types:
  Greeter:
    derived_from: unfurl.artifacts.ShellExecutable
    interfaces:
      Executable:
        type: unfurl.interfaces.Executable
        operations: {execute: {inputs: {word: {type: string}, times: {type: integer, default: 2}}}}
topology_template:
  node_templates:
    app:
      type: tosca.nodes.Root
      artifacts: {greet: {type: Greeter, file: greet}}
      interfaces: {Standard: {operations: {configure: {implementation: greet, OPERATION}}}}
"""


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("inputs: {word: hello, other: 1}", {"word": "hello", "times": 2}),
        ("inputs: {word: hello, times: 3}", {"word": "hello", "times": 3}),
        ("inputs: {word: hello, other: 1}, metadata: {arguments: [other]}", {"other": 1, "times": 2}),
    ],
)
def test_they_are_arguments(load: Load, operation: str, arguments: dict[str, object]) -> None:
    topology = load(TEMPLATE.replace("OPERATION", operation))
    assert add_arguments(topology) == []
    configure = topology.node_templates["app"].operation("Standard", "configure")
    assert configure is not None
    assert configure.inputs["arguments"].value == {name: {"eval": f"$inputs::{name}"} for name in arguments}
    assert {name: configure.inputs[name].value for name in arguments} == arguments
    assert configure.input_definitions["times"].schema.type == "integer"


def test_own_arguments_go_first(load: Load) -> None:
    topology = load(TEMPLATE.replace("OPERATION", "inputs: {word: hello, arguments: [a]}"))
    add_arguments(topology)
    configure = topology.node_templates["app"].operation("Standard", "configure")
    assert configure is not None and configure.inputs["arguments"].value == ["a"]


def test_one_that_has_no_value_is_told(load: Load) -> None:
    (fault,) = add_arguments(load(TEMPLATE.replace("OPERATION", "inputs: {}")))
    assert "the input 'word' of operation Standard.configure is required and has no value" in str(fault)
