"""Imperative workflows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
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


#: What is refused of an activity that calls the workflow `other`: the activity, the words, a part of the hint.
CALLS = [
    ("inline: other", "gives no value for the input 'word' of the workflow 'other'", "add inputs: {word: ...}"),
    ("delegate: {workflow: other}", "gives no value for the input 'word'", "add inputs"),
    ("inline: {workflow: other, inputs: {word: null}}", "gives no value for the input 'word'", ""),
    ("inline: {workflow: other, inputs: {word: x, size: 1}}", "has no input 'size'", "word"),
    ("inline: {workflow: other, inputs: [{word: x}, {count: many}]}", "is not of type integer", ""),
    ("inline: {workflow: other, inputs: x}", "gives are 'x'", "write NAME: VALUE"),
    ("inline: {workflow: other, input: {word: x}}", "unknown key 'input' in an inline activity", ""),
    ("inline: {workflow: [other]}", "the unknown workflow a list", ""),
    ("delegate: {workflow: stop, inputs: {word: x}}", "to the workflow 'stop', which takes none", ""),
    ("delegate: othr", "delegates to the unknown workflow 'othr'", "did you mean other?"),
    ("call_operation: {operation: Standard.start, input: {}}", "unknown key 'input'", "inputs"),
]
CALLING = """
policy_types: {P: {derived_from: tosca.policies.Root}}
topology_template:
  node_templates: {a: {type: Root, interfaces: {Standard: {operations: {start: echo up}}}}}
  policies: [p: {type: P, targets: [a], triggers: {t: {event: e, action: [%s]}}}]
  workflows:
    go: {steps: {s: {target: a, activities: [%s]}}}
    other: {inputs: {word: {type: string}, count: {type: integer, default: 1}}}
"""


@pytest.mark.parametrize(("activity", "words", "hint"), CALLS, ids=[case[0] for case in CALLS])
@pytest.mark.parametrize("where", ["step", "trigger"])
def test_a_workflow_is_called_with_what_it_takes(load: Load, activity: str, words: str, hint: str, where: str) -> None:
    called, fine = f"{{{activity}}}", "{set_state: started}"
    with pytest.raises(InvalidInput, match=re.escape(words)) as caught:
        load(CALLING % ((called, fine) if where == "trigger" else (fine, called)))
    assert not hint or hint in str(caught.value.hint)


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


OUTPUTS = """
node_types: {N: {derived_from: tosca.nodes.Root, attributes: {seen: {type: string}}}}
topology_template:
  node_templates: {n: {type: N}}
  workflows:
    w:
      %s
      outputs: {pages: %s}
"""


def test_outputs_of_an_implementation_are_mapped(load: Load) -> None:
    workflow = load(OUTPUTS % ("implementation: ls", "[n, seen]")).workflows["w"]
    operation = workflow.operation()
    assert operation is not None
    assert operation.outputs == {"pages": ["n", "seen"]}


@pytest.mark.parametrize("mapped", ["[m, seen]", "seen", "[SELF, seen]"])
def test_outputs_are_mapped_to_node_templates(load: Load, mapped: str) -> None:
    with pytest.raises(InvalidInput, match=r"the output 'pages' of workflow 'w' is mapped to .*, which is no node"):
        load(OUTPUTS % ("implementation: ls", mapped))


def test_steps_give_no_outputs(load: Load) -> None:
    topology = load(OUTPUTS % ("steps: {s: {target: n, activities: [set_state: started]}}", "[n, seen]"))
    assert [notice.message for notice in topology.notices] == ["`outputs` of workflow 'w' is ignored"]
