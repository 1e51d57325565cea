"""A plan of a workflow is refused where something that the workflow needs has no value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.engine.plan import plan_workflow

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties: {p: {type: string, required: false}}
    interfaces:
      Standard:
        create: {implementation: echo $who, inputs: {who: {type: string, value: {get_property: [SELF, p]}}}}
        delete: echo
topology_template:
  node_templates: {n: {type: N}}
  workflows:
    greet: {inputs: {who: {type: string}}, steps: {s: {target: n, activities: [{set_state: started}]}}}
"""


def test_a_workflow_without_its_required_input(job: Callable[..., Any]) -> None:
    made = job(SERVICE)
    with pytest.raises(InvalidInput, match='no value is given for the input "who"'):
        plan_workflow(made.ensemble, "greet", made.options)
    made = job(SERVICE, inputs={"who": "me"})
    assert plan_workflow(made.ensemble, "greet", made.options).workflow == "greet"


def test_an_input_that_reads_what_has_no_value(job: Callable[..., Any]) -> None:
    made = job(SERVICE)
    with pytest.raises(InvalidInput, match=r"the input 'who' of operation Standard\.create is required and is null"):
        plan_workflow(made.ensemble, "deploy", made.options)
