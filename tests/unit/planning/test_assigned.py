from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, redact
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.planning.assigned import assigned_inputs
from ansible_ensemble.planning.planned_operation import AssignedInputs, Origin
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
policy_types:
  Rotation:
    derived_from: tosca.policies.Root
    properties:
      key: {type: string, metadata: {sensitive: true}}
      every: {type: map, entry_schema: {type: integer}}
      login: {type: Login, required: false}
data_types:
  Login:
    properties:
      user: {type: string, required: false}
      pw: {type: string, required: false, metadata: {sensitive: true}}
topology_template:
  workflows:
    rotate:
      inputs:
        key: {type: string, metadata: {sensitive: true}}
        times: {type: integer, default: 3}
        needed: {type: string}
        login: {type: Login, default: {user: joe, pw: canary}}
        logins: {type: list, entry_schema: {type: Login}, default: [{user: joe, pw: canary}]}
        by_name: {type: map, entry_schema: {type: Login}, default: {one: {pw: canary}}}
        computed: {type: Login, default: {user: joe, pw: {concat: [can, ary]}}}
        made: {type: Login, default: {get_property: [maker, login]}}
  policies:
    - rotation: {type: Rotation, properties: {key: canary, every: {days: 7}, login: {user: joe, pw: canary}}}
"""
WORKFLOW, POLICY = Origin(workflow="rotate"), Origin(policy="rotation")


@pytest.fixture
def topology(tmp_path: Path) -> Topology:
    file = tmp_path / "service.yaml"
    file.write_text(SERVICE)
    return load_topology(file, inputs={"key": "canary"})


@pytest.mark.parametrize(
    ("origin", "written", "filled", "sensitive"),
    [
        (WORKFLOW, {"get_input": "key"}, "canary", True),
        (WORKFLOW, {"concat": ["a", {"get_input": "key"}]}, {"concat": ["a", "canary"]}, True),
        (WORKFLOW, [{"get_input": "times"}], [3], False),
        (WORKFLOW, {"get_input": ["login", "user"]}, "joe", False),
        (WORKFLOW, {"get_input": ["logins", 0, "user"]}, "joe", False),
        (WORKFLOW, {"get_input": ["login", "pw"]}, "canary", True),
        (WORKFLOW, {"get_input": "of_the_topology"}, {"get_input": "of_the_topology"}, False),
        (WORKFLOW, {"get_property": ["SELF", "key"]}, {"get_property": ["SELF", "key"]}, False),
        (POLICY, {"get_property": ["SELF", "key"]}, "canary", True),
        (POLICY, {"get_property": ["SELF", "every", "days"]}, 7, False),
        (POLICY, {"get_input": "key"}, {"get_input": "key"}, False),
        (Origin(), {"get_input": "key"}, {"get_input": "key"}, False),
    ],
)
def test_what_an_operation_is_assigned(
    topology: Topology, origin: Origin, written: Any, filled: Any, sensitive: bool
) -> None:
    assigned = AssignedInputs({"value": written}, origin)
    assert "canary" not in str(assigned)
    found = assigned_inputs(topology, assigned)
    assert found == {"value": filled}
    assert is_sensitive(found) == sensitive


def test_an_input_that_has_no_value_is_told(topology: Topology) -> None:
    assigned = AssignedInputs({"value": {"get_input": "needed"}}, WORKFLOW)
    with pytest.raises(InvalidInput, match='"needed" of workflow "rotate" has no value'):
        assigned_inputs(topology, assigned)


def test_nothing_assigned_is_no_value(topology: Topology) -> None:
    assert assigned_inputs(topology, None) == {}


@pytest.mark.parametrize(
    ("origin", "written", "redacted"),
    [
        (WORKFLOW, {"get_input": "login"}, {"user": "joe", "pw": REDACTED}),
        (WORKFLOW, {"get_input": "logins"}, [{"user": "joe", "pw": REDACTED}]),
        (WORKFLOW, {"get_input": "by_name"}, {"one": {"pw": REDACTED}}),
        (
            WORKFLOW,
            {"get_input": "computed"},
            {"user": "joe", "pw": {"eval": {"sensitive": {"concat": ["can", "ary"]}}}},
        ),
        (WORKFLOW, {"get_input": "made"}, {"eval": {"sensitive": {"get_property": ["maker", "login"]}}}),
        (POLICY, {"get_property": ["SELF", "login"]}, {"user": "joe", "pw": REDACTED}),
        (POLICY, {"get_property": ["SELF", "login", "pw"]}, REDACTED),
        (POLICY, {"get_property": ["SELF", "login", "user"]}, "joe"),
    ],
)
def test_sensitive_fields_of_what_is_assigned_are_marked_and_others_not(
    topology: Topology, origin: Origin, written: Any, redacted: Any
) -> None:
    assert redact(assigned_inputs(topology, AssignedInputs({"value": written}, origin))) == {"value": redacted}


@pytest.mark.parametrize("step", ["days", 1, {"get_input": "times"}])
def test_a_part_that_an_input_does_not_have_is_refused(topology: Topology, step: Any) -> None:
    assigned = AssignedInputs({"value": {"get_input": ["logins", step]}}, WORKFLOW)
    with pytest.raises(InvalidInput, match='the input "logins" of the workflow has no'):
        assigned_inputs(topology, assigned)
