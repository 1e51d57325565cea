"""Requirements that lead back to where they began."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ansible_ensemble.topology.building import Building
from ansible_ensemble.topology.entities import NodeTemplate, Relationship


def check_cycles(nodes: Mapping[str, NodeTemplate], building: Building) -> None:
    """Refuse node templates that require each other in a circle: none of them could be first."""
    done: set[str] = set()
    for start in nodes.values():
        if start.name in done:
            continue
        path: list[NodeTemplate] = [start]
        numbers = {start.name: 0}
        pending: list[Iterator[Relationship]] = [iter(start.requirements)]
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
                message = f"the requirements make a circle: {' -> '.join(names)}"
                building.problems.add(message, relationship.place or relationship.source.place, "remove one of them")
            elif target.name not in done:
                numbers[target.name] = len(path)
                path.append(target)
                pending.append(iter(target.requirements))
