"""The order of operations: each chain in itself, and chains by the requirements of their instances."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from ansible_ensemble.planning.context import Link, PlannedInstance, Planning
from ansible_ensemble.planning.peers import own_operations, peer_links, phase
from ansible_ensemble.planning.planned_operation import PlannedOperation


def chain_operations(planning: Planning) -> None:
    """Let each operation of a chain wait for the one before it; an instance goes down before it comes up."""
    for member in planning.members.values():
        operations = [*member.down, *member.up]
        for before, after in pairwise(operations):
            after.waits_for.append(before.key)
        if member.change is not None:
            member.change.operations = [operation.key for operation in operations]


def order_up(planning: Planning) -> None:
    """Order creation: what an instance needs is started before it is created."""
    gates: dict[str, tuple[str, ...]] = {}
    peers = peer_links(planning)
    for member in planning.members.values():
        needed = _gates(gates, [link.target for link in member.requirements if not link.peer])
        own = own_operations(member.up, peers)
        if member.up:
            _wait(member.up[0], needed)
            member.up[0].waits_end += _ends(planning, member)
        gates[member.name] = (own[-1].key,) if own else needed
    _join(planning, peers, gates)


def _join(planning: Planning, peers: Mapping[tuple[str, str | None], Link], gates: dict[str, tuple[str, ...]]) -> None:
    """Order the operations that join peers: after both are up, one after the other."""
    joining: dict[str, list[PlannedOperation]] = {}
    for member in planning.members.values() if peers else ():
        for operation in member.up:
            link = peers.get((operation.instance, operation.relationship))
            if link is not None:
                _wait(operation, _gates(gates, [link.source, link.target]))
                joining.setdefault(f"{link.source}:{link.key}", []).append(operation)
    for operations in joining.values():
        for before, after in pairwise(sorted(operations, key=phase)):
            _wait(after, (before.key,))


def _ends(planning: Planning, member: PlannedInstance) -> list[str]:
    """The last operations of the instances that a member follows."""
    followed = (planning.members[name] for name in member.follows)
    return [(one.up or one.down)[-1].key for one in followed if one.up or one.down]


def order_down(planning: Planning) -> None:
    """Order deletion: an instance is deleted after all that need it."""
    gates: dict[str, tuple[str, ...]] = {}
    peers = peer_links(planning)
    apart = _taken_apart(planning, peers)
    for member in reversed(planning.members.values()):
        needed = _gates(gates, [link.source for link in member.dependents if not link.peer])
        own = own_operations(member.down, peers)
        if own:
            _wait(own[0], (*needed, *apart.get(member.name, ())))
        gates[member.name] = (own[-1].key,) if own else needed


def _taken_apart(planning: Planning, peers: Mapping[tuple[str, str | None], Link]) -> dict[str, list[str]]:
    """What takes the links of peers apart, for each of their ends."""
    apart: dict[str, list[str]] = {}
    for member in planning.members.values() if peers else ():
        for operation in member.down:
            link = peers.get((operation.instance, operation.relationship))
            for end in (link.source, link.target) if link is not None else ():
                apart.setdefault(end, []).append(operation.key)
    return apart


def order_visits(planning: Planning) -> None:
    """Order checks: after those of what an instance needs, whatever they found."""
    order_up(planning)
    for member in planning.members.values():
        for operation in member.up:
            operation.waits_end, operation.waits_for = operation.waits_for, []


def _gates(gates: dict[str, tuple[str, ...]], names: list[str]) -> tuple[str, ...]:
    """What to wait for, through members that have nothing to do."""
    if len(names) == 1:
        return gates.get(names[0], ())
    return tuple(dict.fromkeys(key for name in names for key in gates.get(name, ())))


def _wait(operation: PlannedOperation, keys: tuple[str, ...]) -> None:
    operation.waits_for.extend(key for key in keys if key not in operation.waits_for)


def members_in_plan_order(planning: Planning) -> list[PlannedInstance]:
    """Members as a plan lists them: tools, then deletions, then the others."""
    tools = [member for member in planning.members.values() if member.is_tool and member.change is not None]
    members = [member for member in planning.members.values() if not member.is_tool and member.change is not None]
    down = [member for member in reversed(members) if member.down and not member.up]
    return [*tools, *down, *(member for member in members if member.up or not member.down)]
