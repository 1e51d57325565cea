"""Groups, policies and triggers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.topology.service_template import load_topology

Load = Callable[..., Topology]


def test_groups_and_policies(load: Load) -> None:
    topology = load(
        """
policy_types:
  Backup:
    targets: [Compute, Servers]
    properties: {every: {type: scalar-unit.time, default: 1 d}}
    triggers: {nightly: {event: night, action: [{call_operation: Standard.stop}]}}
group_types: {Servers: {members: [Compute], properties: {priority: {type: float}}}}
topology_template:
  node_templates: {a: {type: Compute}, b: {type: Compute}}
  groups: {all: {type: Servers, members: [a, b], properties: {priority: 1}, metadata: {k: v}}}
  policies:
    - p: {type: Backup, targets: [all, a], triggers: {low: {event: low, action: [{inline: deploy}]}}}
"""
    )
    group, policy = topology.groups["all"], topology.policies["p"]
    assert (group.members, group.type.name, group.properties["priority"].value) == (["a", "b"], "Servers", 1)
    assert (policy.targets, policy.properties["every"].value) == (["all", "a"], "1 d")
    assert {name: one.event for name, one in policy.triggers.items()} == {"nightly": "night", "low": "low"}


def test_trigger_as_the_standard_has_it(probes: Path) -> None:
    trigger = load_topology(probes / "27-policy-trigger.yaml").policies["p"].triggers["tr"]
    assert trigger.event == "tosca.events.x"
    assert trigger.schedule == {"start_time": "2020-01-01T00:00:00Z", "end_time": "2021-01-01T00:00:00Z"}
    assert trigger.target_filter == {"node": "n"}
    assert trigger.condition == [{"at": [{"greater_than": 5}]}]
    assert (trigger.period, trigger.evaluations, trigger.method) == (60, 2, "average")
    assert trigger.action == [{"call_operation": "Standard.configure"}]


def test_target_of_the_wrong_type_is_refused(load: Load) -> None:
    with pytest.raises(InvalidInput, match=r"'n' in policy 'p' is a tosca\.nodes\.Root, not a tosca\.nodes\.Compute"):
        load(
            """
policy_types: {P: {targets: [Compute]}}
topology_template: {node_templates: {n: {type: Root}}, policies: [{p: {type: P, targets: [n]}}]}
"""
        )


TRIGGER = """
node_types: {Healer: {interfaces: {Own: {type: tosca.interfaces.Root, operations: {heal: ls}}}}}
policy_types: {P: {targets: [Root, tosca.groups.Root]}}
topology_template:
  node_templates: {n: {type: Root}, m: {type: Healer}}
  groups: {all: {type: tosca.groups.Root, members: [n, m]}}
  policies: [{p: {type: P, targets: [%s], triggers: {t: {event: e, %s}}}}]
"""


@pytest.mark.parametrize(
    ("targets", "trigger", "message"),
    [
        ("n", "action: [{call_operation: Standard.confgure}]", "trigger 't' of policy 'p' calls 'Standard.confgure'"),
        ("n", "action: [{call_operation: {operation: Standrd.stop}}]", "'n' has no interface 'Standrd'"),
        ("n", "action: [{call_operation: Own.heal}]", "calls 'Own.heal': 'n' has no interface 'Own'"),
        ("", "action: [{call_operation: Own.hel}]", "calls 'Own.hel': 'n' has no interface 'Own'"),
        (
            "all",
            "target_filter: {node: n}, action: [{call_operation: Own.heal}]",
            "calls 'Own.heal': 'n' has no interface 'Own'",
        ),
        ("n", "action: [{call_operation: stop}]", "calls 'stop'"),
        ("n", "action: [{inline: nothing}]", "inlines the unknown workflow 'nothing'"),
    ],
)
def test_actions_name_what_their_targets_have(load: Load, targets: str, trigger: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        load(TRIGGER % (targets, trigger))
    assert caught.value.place is not None


@pytest.mark.parametrize(
    ("targets", "trigger"),
    [
        ("m", "action: [{call_operation: Own.heal}]"),
        ("all", "action: [{call_operation: Own.heal}]"),
        ("all", "target_filter: {node: m}, action: [{call_operation: {operation: Own.heal}}]"),
        ("n", "action: [{inline: deploy}]"),
    ],
)
def test_actions_that_fit_are_taken(load: Load, targets: str, trigger: str) -> None:
    assert load(TRIGGER % (targets, trigger)).policies["p"].triggers["t"].action
