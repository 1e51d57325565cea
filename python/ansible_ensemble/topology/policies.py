"""Groups and policies [TOSCA 1.3, 3.8.5, 3.8.6]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.entities import Assignment, Group, NodeTemplate, Policy, Trigger
from ansible_ensemble.language.entity_types import EntityType
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.topology.building import Building, Entry
from ansible_ensemble.topology.definitions import read_assignments
from ansible_ensemble.topology.triggers import read_triggers
from ansible_ensemble.topology.workflows import check_called, missing_operation


def read_groups(building: Building) -> None:
    """Read the groups of a topology, and check that their members exist and fit their types."""
    problems, topology = building.problems, building.topology
    members: dict[str, Any] = {}
    for name, entry, body, entity in _typed_entries(building, "groups", "group"):
        what = f"group '{name}'"
        group = Group(name, entity)
        group.properties = _properties(body, entity, what, entry)
        members[name] = body.get("members")
        group.members = problems.texts(members[name], f"the members of {what}", place_of(body, "members"))
        group.metadata = dict(problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
        topology.groups[name] = group
        for part in ("interfaces", "attributes"):
            if body.get(part):
                message = f"the {part} of {what} have no effect: no job acts on them"
                problems.warn(NoticeCode.IDLE_GROUP, message, key_place_of(body, part))
    for name, group in topology.groups.items():
        for number, member in enumerate(group.members):
            check_member(building, member, group.type.members, f"group '{name}'", place_of(members[name], number))


def _typed_entries(
    building: Building, section: str, kind: str
) -> Iterator[tuple[str, Entry, Mapping[str, Any], EntityType]]:
    """Name, entry, body and type of each entry of a section whose type is known."""
    problems = building.problems
    for name, entry in building.section(section).items():
        body = problems.mapping(entry.raw, f"{kind} '{name}'", entry.place)
        problems.check_keys(body, kind, entry.place)
        entity = building.types.get(kind, body.get("type"), entry.scope, place_of(body, "type") or entry.place)
        if entity is not None:
            yield name, entry, body, entity


def _properties(body: Mapping[str, Any], entity: EntityType, what: str, entry: Entry) -> dict[str, Assignment]:
    where = place_of(body, "properties")
    return read_assignments(body.get("properties"), entity, "properties", what, where, scope=entry.scope)


def check_member(building: Building, name: str, allowed: list[str], what: str, place: Place | None) -> None:
    """Refuse a member or target that does not exist, or is of none of the allowed types (none: any)."""
    node, group = building.nodes.get(name), building.topology.groups.get(name)
    if node is None and group is None:
        if name in building.entries:
            return
        known = [*building.nodes, *building.topology.groups]
        building.problems.add(f"{what} names '{name}', which does not exist", place, nearest(name, known))
        return
    entity = node.type if node is not None else group.type if group is not None else None
    if allowed and entity is not None and not any(entity.is_a(one) for one in allowed):
        building.problems.add(f"'{name}' in {what} is a {entity.name}, not a {' or '.join(allowed)}", place)


def read_policies(building: Building) -> None:
    """Read the policies of a topology, and check that their targets exist and fit their types."""
    problems, topology = building.problems, building.topology
    for name, entry, body, entity in _typed_entries(building, "policies", "policy"):
        what = f"policy '{name}'"
        policy = Policy(name, entity)
        policy.properties = _properties(body, entity, what, entry)
        policy.targets = problems.texts(body.get("targets"), f"the targets of {what}", place_of(body, "targets"))
        for number, target in enumerate(policy.targets):
            check_member(building, target, entity.targets, what, place_of(body.get("targets"), number))
        policy.triggers = {**entity.triggers}
        policy.triggers |= read_triggers(body.get("triggers"), what, place_of(body, "triggers"), problems)
        policy.metadata = dict(problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
        topology.policies[name] = policy
        if not policy.triggers:
            message = f"{what} has no effect: it has no triggers, and no job acts on a {entity.name} by itself"
            problems.warn(NoticeCode.IDLE_POLICY, message, entry.place)


def check_triggers(building: Building) -> None:
    """Refuse triggers whose actions name an operation that no target has, or a workflow that is not there.

    Targets may be of several types: an operation is called on those that have it.
    """
    for policy in building.topology.policies.values():
        for trigger in policy.triggers.values():
            targets = _targets(building, policy, trigger)
            for activity in trigger.action:
                if isinstance(activity, Mapping):
                    where = place_of(activity) or trigger.place
                    what = f"trigger '{trigger.name}' of policy '{policy.name}'"
                    _check_activity(building, what, activity, targets, where)


def _targets(building: Building, policy: Policy, trigger: Trigger) -> list[NodeTemplate]:
    """The node templates that a trigger acts on: the policy's targets, else all of its type's, that pass the filter."""
    groups = building.topology.groups
    names = {member for target in policy.targets for member in (groups[target].members if target in groups else ())}
    names.update(policy.targets)
    node = trigger.target_filter.get("node")
    return [
        one
        for name, one in building.nodes.items()
        if (name in names if names else any(one.type.is_a(kind) for kind in policy.type.targets))
        and (node is None or name == node or one.type.is_a(str(node)))
    ]


def _check_activity(
    building: Building, what: str, activity: Mapping[str, Any], targets: list[NodeTemplate], place: Place | None
) -> None:
    kind, body = next(iter(activity.items()), ("", None))
    if kind == "call_operation":
        called = body.get("operation") if isinstance(body, Mapping) else body
        if not isinstance(called, str) or "." not in called:
            building.problems.add(f"{what} calls {kind_of(called)}", place, "write Interface.operation")
            return
        faults = [missing_operation(node, called) for node in targets]
        if faults and None not in faults and faults[0] is not None:
            building.problems.add(f"{what} calls '{called}': {faults[0][0]}", place, faults[0][1])
    else:
        check_called(building, activity, what, place)
