"""Peers: instances that are joined both ways, or in a circle, by relationships that are no order.

None of them waits for another. The operations of what joins them run while both ends are up: after all that brings the
ends up, and before all that takes them down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from ansible_ensemble.planning.context import Link, PlannedInstance, Planning
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.topology.cycles import peer_edges

#: Operations of a relationship in their order [TOSCA 1.3, 5.8.5].
_PHASES = (
    *("pre_configure_source", "pre_configure_target", "post_configure_source", "post_configure_target"),
    *("add_target", "add_source"),
)

#: Source and key of a link.
_Name = tuple[str, str | None]


def with_peers(links: Sequence[Link]) -> Iterable[Link]:
    """The links, those between peers known as such."""
    edges = [(link.source, link.relationship, link.target) for link in links]
    for link, is_peer in zip(links, peer_edges(edges), strict=True):
        yield replace(link, peer=True) if is_peer else link


def peer_links(planning: Planning) -> dict[_Name, Link]:
    """The links between peers."""
    links = (link for member in planning.members.values() for link in member.requirements)
    return {(link.source, link.key): link for link in links if link.peer}


def own_operations(operations: Iterable[PlannedOperation], peers: Collection[_Name]) -> list[PlannedOperation]:
    """The operations but those of links between peers."""
    return [one for one in operations if (one.instance, one.relationship) not in peers]


def _joining(operations: Iterable[PlannedOperation], peers: Collection[_Name]) -> list[PlannedOperation]:
    return [one for one in operations if (one.instance, one.relationship) in peers]


def part_peers(planning: Planning) -> None:
    """Put the operations of links between peers at the outer end of the chains: last on the way up, first down.

    One that would take a link apart at both of its ends does so at its source.
    """
    peers = peer_links(planning)
    for member in planning.members.values() if peers else ():
        member.up = own_operations(member.up, peers) + sorted(_joining(member.up, peers), key=phase)
        joining = [one for one in _joining(member.down, peers) if not _is_at_source(planning, member, one)]
        member.down = joining + own_operations(member.down, peers)


def phase(operation: PlannedOperation) -> int:
    """Where an operation stands among those of its relationship."""
    return _PHASES.index(operation.operation) if operation.operation in _PHASES else len(_PHASES)


def _is_at_source(planning: Planning, member: PlannedInstance, operation: PlannedOperation) -> bool:
    """Whether an operation in the chain of a link's target is in that of its source as well."""
    source = planning.members[operation.instance]
    return source is not member and any(one.key == operation.key for one in source.down)
