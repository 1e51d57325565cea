"""Policies [TOSCA 1.3, 3.8.6]."""

from __future__ import annotations

from ansible_ensemble.documents.places import place_of
from ansible_ensemble.topology.assignments import read_assignments
from ansible_ensemble.topology.building import Building
from ansible_ensemble.topology.entities import Policy
from ansible_ensemble.topology.groups import check_member
from ansible_ensemble.topology.triggers import read_triggers


def read_policies(building: Building) -> None:
    """Read the policies of a topology, and check that their targets exist and fit their types."""
    problems, topology = building.problems, building.topology
    for name, entry in building.section("policies").items():
        what = f"policy '{name}'"
        body = problems.mapping(entry.raw, what, entry.place)
        problems.check_keys(body, "policy", entry.place)
        entity = building.types.get("policy", body.get("type"), entry.scope, place_of(body, "type"))
        if entity is None:
            continue
        policy = Policy(name, entity)
        where = place_of(body, "properties")
        policy.properties = read_assignments(
            body.get("properties"), entity, "properties", what, where, scope=entry.scope
        )
        policy.targets = problems.texts(body.get("targets"), f"the targets of {what}", place_of(body, "targets"))
        for number, target in enumerate(policy.targets):
            check_member(building, target, entity.targets, what, place_of(body.get("targets"), number))
        policy.triggers = {**entity.triggers}
        policy.triggers |= read_triggers(body.get("triggers"), what, place_of(body, "triggers"), problems)
        policy.metadata = dict(problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
        topology.policies[name] = policy
