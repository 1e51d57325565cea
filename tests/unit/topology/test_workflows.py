"""Imperative workflows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ansible_ensemble.topology.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]


def test_workflow_as_the_standard_has_it(probes: Path) -> None:
    workflows = load_topology(probes / "26-workflow.yaml").workflows
    workflow = workflows["w"]
    assert list(workflows) == ["w", "w2"]
    assert workflow.inputs["i"].default == "x"
    assert workflow.preconditions == [{"target": "n", "condition": [{"assert": [{"at": [{"equal": "q"}]}]}]}]
    first = workflow.steps["s1"]
    assert (first.target, first.filter) == ("n", [{"at": [{"equal": "q"}]}])
    assert first.activities == [
        {"set_state": "creating"},
        {"call_operation": "Standard.create"},
        {"set_state": "created"},
    ]
    assert (first.on_success, first.on_failure) == (["s2"], ["s3"])
    assert workflows["w2"].steps["s"].activities == [
        {"call_operation": {"operation": "Standard.create", "inputs": {"z": 1}}}
    ]


def test_a_workflow_implemented_by_a_file(load: Load) -> None:
    workflow = load(
        """
topology_template:
  workflows: {w: {implementation: {primary: ls, timeout: 5}, metadata: {k: v}}}
"""
    ).workflows["w"]
    assert workflow.implementation is not None
    assert (workflow.implementation.primary, workflow.implementation.timeout) == ("ls", 5)
    assert workflow.metadata == {"k": "v"}


def test_a_step_may_work_on_a_group_or_a_relationship(load: Load) -> None:
    steps = (
        load(
            """
topology_template:
  node_templates: {a: {type: Root}, b: {type: Root, requirements: [{dependency: a}]}}
  groups: {g: {type: tosca.groups.Root, members: [a]}}
  workflows:
    w:
      steps:
        one: {target: g, activities: [{set_state: started}], operation_host: ORCHESTRATOR}
        two: {target: b, target_relationship: dependency, activities: [{call_operation: Configure.add_target}]}
"""
        )
        .workflows["w"]
        .steps
    )
    assert (steps["one"].target, steps["one"].operation_host) == ("g", "ORCHESTRATOR")
    assert steps["two"].relationship == "dependency"
