"""Groups of node templates [TOSCA 1.3, 3.8.5]."""

from __future__ import annotations

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.language.entities import Group
from ansible_ensemble.topology.assignments import read_assignments
from ansible_ensemble.topology.building import Building


def read_groups(building: Building) -> None:
    """Read the groups of a topology, and check that their members exist and fit their types."""
    problems, topology = building.problems, building.topology
    entries = building.section("groups")
    for name, entry in entries.items():
        what = f"group '{name}'"
        body = problems.mapping(entry.raw, what, entry.place)
        problems.check_keys(body, "group", entry.place)
        entity = building.types.get("group", body.get("type"), entry.scope, place_of(body, "type") or entry.place)
        if entity is None:
            continue
        group = Group(name, entity)
        where = place_of(body, "properties")
        group.properties = read_assignments(
            body.get("properties"), entity, "properties", what, where, scope=entry.scope
        )
        group.members = problems.texts(body.get("members"), f"the members of {what}", place_of(body, "members"))
        group.metadata = dict(problems.mapping(body.get("metadata"), f"metadata of {what}", entry.place))
        topology.groups[name] = group
        for part in ("interfaces", "attributes"):
            if body.get(part):
                message = f"the {part} of {what} have no effect: no job acts on them"
                problems.warn(NoticeCode.IDLE_GROUP, message, key_place_of(body, part))
    for name, group in topology.groups.items():
        raw = entries[name].raw.get("members")
        for number, member in enumerate(group.members):
            check_member(building, member, group.type.members, f"group '{name}'", place_of(raw, number))


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
