"""Tools that operations need, as nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.tools import add_tools

Load = Callable[..., Topology]

TOOLS = """
artifact_types:
  Binary:
    derived_from: tosca.artifacts.Root
    properties: {word: {type: string, default: please}}
    interfaces: {Standard: {operations: {create: echo install}}}
  Other: {derived_from: Binary}
topology_template:
  node_templates:
    app:
      type: tosca.nodes.Root
      artifacts: {one: %s, two: %s}
      interfaces:
        Standard:
          operations:
            create: {implementation: {primary: echo, dependencies: [one]}}
            delete: {implementation: {primary: echo, dependencies: [two]}}
"""


@pytest.mark.parametrize(
    ("one", "two", "names"),
    [
        ("{type: Binary, file: helm}", "{type: Binary, file: helm}", ["tool-helm"]),
        ("{type: Binary, file: a/helm}", "{type: Binary, file: jq}", ["tool-a-helm", "tool-jq"]),
        ("{type: Binary}", "{type: Other}", ["tool-one", "tool-two"]),
    ],
)
def test_one_node_for_each_tool(load: Load, one: str, two: str, names: list[str]) -> None:
    topology = load(TOOLS % (one, two), unfurl=True)
    add_tools(topology)
    assert list(topology.node_templates) == ["app", *names]


def test_a_tool_without_a_file_has_none(load: Load) -> None:
    topology = load(TOOLS % ("{type: Binary}", "{type: Binary}"), unfurl=True)
    add_tools(topology)
    assert topology.node_templates["tool-one"].properties["file"].value == {"q": ""}


@pytest.mark.parametrize(
    ("two", "message"),
    [
        ("{type: Binary, file: helm, artifact_version: 2}", "helm is required as 2 and any"),
        ("{type: Binary, file: helm, artifact_version: 1.10}", "helm is required as 1.10 and any"),
        ("{type: Other, file: helm}", "helm is required as Other and Binary"),
        ("{type: Binary, file: helm, properties: {word: now}}", "helm is required with other properties"),
    ],
)
def test_a_tool_is_wanted_in_one_way(load: Load, two: str, message: str) -> None:
    topology = load(TOOLS % ("{type: Binary, file: helm}", two), unfurl=True)
    with pytest.raises(InvalidInput, match=message):
        add_tools(topology)


def test_a_package_has_a_name(load: Load) -> None:
    with pytest.raises(InvalidInput, match="artifact 'one' names no file"):
        add_tools(load(TOOLS % ("{type: artifact.PythonPackage}", "{type: Binary}"), unfurl=True))
