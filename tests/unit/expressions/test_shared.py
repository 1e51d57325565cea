"""Functions in third-party files have the values that TOSCA gives them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.reads import Deferred

Collected = Callable[[str], Path]

OUTPUTS: list[tuple[str, dict[str, Any]]] = [
    ("probes/07-nested-get_property.yaml", {"o1": "v1", "o2": "b"}),
    ("probes/08-get_property-req-cap-path.yaml", {"o": 2}),
    ("probes/09-get_attribute-nested.yaml", {"o": "10.0.0.1"}),
    ("probes/11-get_nodes_of_type.yaml", {"o": ["n"]}),
    ("probes/13-concat-token-join.yaml", {"c": "ax", "j": "a-b", "t": "b"}),
    ("probes/47-output-from-op-mapping.yaml", {"o": "q"}),
    (
        "corpus/opera-intrinsic-functions/service.yaml",
        {
            "concat_output": "http://attribute1:property1",
            "join1_output": "tosca",
            "join2_output": "t_o_s_c_a",
            "join3_output": "input, attribute2, property2",
            "token1_output": "111",
            "token2_output": "s",
            "attribute": "Attribute: property",
            "property": "Property: attribute",
            "properties": "Properties: property1 property2 property",
        },
    ),
]


def evaluator(file: Path) -> Evaluator:
    topology = load_topology(file, check_files=False, complete=False)
    return Evaluator(topology, Instances(), EvaluationEnvironment(file.parent, file.parent), function_table())


@pytest.mark.parametrize(("file", "outputs"), OUTPUTS, ids=[case[0] for case in OUTPUTS])
def test_outputs(collected: Collected, file: str, outputs: dict[str, Any]) -> None:
    assert evaluator(collected(file)).outputs() == outputs


INPUTS: list[tuple[str, str, str, Any]] = [
    ("probes/12-get_artifact.yaml", "n", "create", Deferred),
    ("probes/10-get_operation_output.yaml", "n", "configure", Deferred),
    ("probes/56-get_attribute-SELF-req-attr.yaml", "b", "create", "q"),
]


@pytest.mark.parametrize(("file", "node", "operation", "value"), INPUTS, ids=[case[0] for case in INPUTS])
def test_inputs_of_operations(collected: Collected, file: str, node: str, operation: str, value: Any) -> None:
    evaluates = evaluator(collected(file))
    declared = evaluates.topology.node_templates[node].operation("Standard", operation)
    scope = evaluates.scope(Instance(node, node), operation=declared)
    if file.endswith("get_artifact.yaml"):
        assert scope.inputs["v"] == str(collected("probes/x.yaml"))
    elif value is Deferred:
        with pytest.raises(Deferred, match=r"n\.Standard\.create\.out is not known yet"):
            _ = scope.inputs["v"]
    else:
        assert scope.inputs["v"] == value


def test_a_part_of_an_input(probes: Path) -> None:
    assert evaluator(probes / "14-get_input-nested.yaml").scope(Instance("n", "n")).property("a") == "v"


def scopes(evaluates: Evaluator, topology: Topology) -> list[Scope]:
    found = [evaluates.scope()]
    for node in topology.node_templates.values():
        instance = Instance(node.name, node.name)
        links = [RelationshipInstance(f"{link.name}#{link.index}", link.target.name) for link in node.requirements]
        for entity, live in ((node, None), *zip(node.requirements, links, strict=True)):
            operations = [one for face in entity.interfaces.values() for one in face.operations.values()]
            found.extend(evaluates.scope(instance, operation=one, relationship=live) for one in operations)
        found.append(evaluates.scope(instance))
    return found


@pytest.mark.parametrize("folder", ["probes", "corpus"])
def test_every_value_is_known_later_known_or_refused(collected: Collected, folder: str) -> None:
    known = 0
    for file in sorted(collected(folder).rglob("*.y*ml")):
        try:
            evaluates = evaluator(file)
        except InvalidInput:
            continue
        for scope in scopes(evaluates, evaluates.topology):
            values: list[Any] = [lambda scope=scope, name=name: scope.inputs[name] for name in scope.inputs]
            values += [lambda scope=scope, name=name: scope.query(f".::{name}") for name in scope.view.names()]
            for value in values:
                try:
                    value()
                    known += 1
                except EnsembleError as error:
                    refused = isinstance(error, Deferred) or re.search("has no value|there is no secret", str(error))
                    assert refused, f"{file}: {error}"
    assert known > (20 if folder == "probes" else 500)
