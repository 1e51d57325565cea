"""Requirements that lead back to where they began."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ansible_ensemble.language.entities import NodeTemplate, Relationship
from ansible_ensemble.topology.building import Building

#: Relationships that imply an order: their targets are deployed first, in any case.
_ORDERS = ("tosca.relationships.HostedOn", "tosca.relationships.DependsOn", "tosca.relationships.AttachesTo")

_HINT = "remove one, or give one a relationship that is no order, as ConnectsTo: HostedOn, DependsOn, AttachesTo are"

#: What a relationship is from, the relationship, and what it leads to.
Edge = tuple[str, Relationship, str]


def peer_edges(edges: Sequence[Edge]) -> list[bool]:
    """Whether each relationship joins peers: it is in a cycle, and its type implies no order.

    Such a relationship implies no order. All nodes of a cycle are peers, whichever is declared first.
    """
    targets: dict[str, list[str]] = {}
    for source, _other, target in edges:
        targets.setdefault(source, []).append(target)
    number = _circles(targets)
    return [
        number[source] == number[target] and not any(relationship.type.is_a(order) for order in _ORDERS)
        for source, relationship, target in edges
    ]


def _circles(targets: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """A number for each name; names that lead to each other have the same (Tarjan; O(V+E))."""
    entered: dict[str, int] = {}
    lowest: dict[str, int] = {}
    number: dict[str, int] = {}
    open_ones: list[str] = []
    for start in targets:
        if start in entered:
            continue
        path = [(start, iter(targets[start]))]
        entered[start] = lowest[start] = len(entered)
        open_ones.append(start)
        while path:
            name, left = path[-1]
            target = next(left, None)
            if target is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == entered[name]:
                    while name not in number:
                        number[open_ones.pop()] = entered[name]
            elif target not in entered:
                entered[target] = lowest[target] = len(entered)
                open_ones.append(target)
                path.append((target, iter(targets.get(target, ()))))
            elif target not in number:
                lowest[name] = min(lowest[name], entered[target])
    return number


def check_cycles(nodes: Mapping[str, NodeTemplate], building: Building) -> None:
    """Refuse node templates that require each other in a cycle where none of them could be first."""
    edges = [(node.name, one, one.target.name) for node in nodes.values() for one in node.requirements]
    ordering: dict[str, list[Relationship]] = {}
    for (source, one, _other), is_peer in zip(edges, peer_edges(edges), strict=True):
        if not is_peer:
            ordering.setdefault(source, []).append(one)
    done: set[str] = set()
    for start in nodes.values():
        if start.name in done:
            continue
        path: list[NodeTemplate] = [start]
        numbers = {start.name: 0}
        pending: list[Iterator[Relationship]] = [iter(ordering.get(start.name, ()))]
        while pending:
            relationship = next(pending[-1], None)
            if relationship is None:
                pending.pop()
                left = path.pop()
                del numbers[left.name]
                done.add(left.name)
                continue
            target = relationship.target
            if target.name in numbers:
                names = [one.name for one in path[numbers[target.name] :]] + [target.name]
                message = f"the requirements form a cycle: {' -> '.join(names)}"
                building.problems.add(message, relationship.place or relationship.source.place, _HINT)
            elif target.name not in done:
                numbers[target.name] = len(path)
                path.append(target)
                pending.append(iter(ordering.get(target.name, ())))
