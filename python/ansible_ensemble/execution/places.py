"""Places on the nodes of a mesh: how many operations each node has, and which takes the next one."""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import heapify, heappop, heappush

#: A heap is made anew once it has so many entries for each of its nodes.
_STALE = 8


class Places:
    """Who may take one more operation, by patterns of nodes; the nodes of a pattern are those that were told last.

    Args:
        per_node: how many operations a node has at most.
    """

    def __init__(self, per_node: int) -> None:
        self._per_node = per_node
        self._taken: Counter[str] = Counter()
        self._nodes: dict[str, dict[str, int]] = {}  # by pattern, their order
        self._patterns: defaultdict[str, set[str]] = defaultdict(set)
        self._heaps: dict[str, list[tuple[int, int, str]]] = {}  # entries whose load is another now are passed over

    def know(self, pattern: str, nodes: tuple[str, ...]) -> None:
        """Take it as known which nodes a pattern means."""
        for node in self._nodes.get(pattern, {}):
            self._patterns[node].discard(pattern)
        self._nodes[pattern] = {node: order for order, node in enumerate(nodes)}
        for node in nodes:
            self._patterns[node].add(pattern)
        self._rebuild(pattern)

    def nodes(self, pattern: str) -> tuple[str, ...]:
        """The nodes of a pattern; none if they are not known."""
        return tuple(self._nodes.get(pattern, ()))

    def patterns(self, node: str) -> list[str]:
        """The patterns that mean a node."""
        return sorted(self._patterns[node])

    def free(self, pattern: str) -> int:
        """How many operations the nodes of a pattern may take."""
        return sum(max(0, self._per_node - self._taken[node]) for node in self._nodes.get(pattern, ()))

    def is_full(self, pattern: str) -> bool:
        """Whether all nodes of a pattern have as many as they may; where none is known, nobody can tell."""
        return bool(self._nodes.get(pattern)) and self._least(pattern) is None

    def take(self, pattern: str) -> str | None:
        """The node that has the least to do, which has one more then; None if all are full, or none is known."""
        node = self._least(pattern)
        if node is not None:
            self._count(node, 1)
        return node

    def give_back(self, node: str) -> None:
        """A node has one operation less."""
        self._count(node, -1)

    def _least(self, pattern: str) -> str | None:
        heap = self._heaps.get(pattern, [])
        while heap and heap[0][0] != self._taken[heap[0][2]]:
            heappop(heap)
        return heap[0][2] if heap and heap[0][0] < self._per_node else None

    def _count(self, node: str, change: int) -> None:
        self._taken[node] += change
        for pattern in self._patterns[node]:
            heap, nodes = self._heaps[pattern], self._nodes[pattern]
            heappush(heap, (self._taken[node], nodes[node], node))
            if len(heap) > _STALE * len(nodes):
                self._rebuild(pattern)

    def _rebuild(self, pattern: str) -> None:
        heap = [(self._taken[node], order, node) for node, order in self._nodes[pattern].items()]
        heapify(heap)
        self._heaps[pattern] = heap
