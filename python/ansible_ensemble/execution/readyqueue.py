"""The queue of ready operations: best first, under limits per host and per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush

from msgspec import Struct

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.execution.places import Places


class Limits(Struct, frozen=True):
    """How many operations may run at a time.

    Attributes:
        jobs: in all.
        per_host: on each host; None is no limit.
        per_node: on each node of a mesh.
    """

    jobs: int = 10
    per_host: int | None = None
    per_node: int = 24

    def __post_init__(self) -> None:
        for name, limit in (("jobs", self.jobs), ("per host", self.per_host), ("per node", self.per_node)):
            if limit is not None and limit < 1:
                raise UsageError(f"the limit of operations ({name}) is {limit}", hint="it has to be 1 or more")


#: A limited thing: (`host` or `group`, its name), or (`nodes`, a pattern).
Resource = tuple[str, str]
#: What orders the queue: smaller is better.
Priority = tuple[int, int]


class ReadyQueue:
    """Ready operations by priority; those whose host, group or nodes are full stand aside until a slot is free there.

    Each operation waits in the queue of one full resource only, and each freed slot wakes one operation, so
    that the cost of a saturated host or group is a heap's, whatever number waits for it.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._heap: list[tuple[Priority, str]] = []
        self._aside: dict[Resource, list[tuple[Priority, str]]] = defaultdict(list)
        self._used: dict[Resource, int] = defaultdict(int)
        self._resources: dict[str, tuple[Resource, ...]] = {}
        self._woken: dict[str, Resource] = {}
        self._patterns: dict[str, str] = {}
        self.places = Places(limits.per_node)

    def __len__(self) -> int:
        return len(self._resources)

    def push(
        self, key: str, priority: Priority, host: str | None, groups: tuple[str, ...], nodes: str | None = None
    ) -> None:
        """Add an operation; `nodes` is a pattern of those of a mesh that it may run on."""
        self._resources[key] = self.limited(host, groups)
        if nodes is not None:
            self._patterns[key] = nodes
        heappush(self._heap, (priority, key))

    def limited(self, host: str | None, groups: tuple[str, ...]) -> tuple[Resource, ...]:
        """The limited resources that an operation on this host and in these groups takes."""
        resources = [("group", name) for name in sorted(set(groups))]
        if host is not None and self._limits.per_host is not None:
            resources.append(("host", host))
        return tuple(resources)

    def pop(self) -> tuple[str, str | None] | None:
        """Take out the best operation that may run, its slots, and its node if those are known; None if none may."""
        while self._heap:
            priority, key = heappop(self._heap)
            woken_by = self._woken.pop(key, None)
            resources = self._resources.get(key)
            nodes = self._patterns.get(key)
            full = None if resources is None else self._full(resources) or self._all_full(nodes)
            if resources is not None and full is None:
                for resource in resources:
                    self._used[resource] += 1
                self.discard(key)
                return key, None if nodes is None else self.places.take(nodes)
            if full is not None:
                heappush(self._aside[full], (priority, key))
            if woken_by is not None:
                self._wake(woken_by)
        return None

    def discard(self, key: str) -> None:
        """Take out an operation that shall not run; its entry is dropped when it comes up."""
        self._resources.pop(key, None)
        self._patterns.pop(key, None)

    def release(self, host: str | None, groups: tuple[str, ...], node: str | None = None) -> None:
        """Release the slots of an operation that was popped."""
        self._free(self.limited(host, groups))
        if node is not None:
            self.leave(node)

    def leave(self, node: str) -> None:
        """A node has one operation less."""
        self.places.give_back(node)
        for pattern in self.places.patterns(node):
            self._wake(("nodes", pattern))

    def know(self, pattern: str, nodes: tuple[str, ...]) -> None:
        """Take it as known which nodes a pattern means."""
        self.places.know(pattern, nodes)
        waiting = len(self._aside[("nodes", pattern)])
        for _slot in range(min(waiting, self.places.free(pattern) if nodes else waiting)):
            self._wake(("nodes", pattern))

    def exchange(self, before: tuple[Resource, ...], after: tuple[Resource, ...]) -> Resource | None:
        """Have an operation that runs hold other slots; if one of them is taken, return it and change nothing."""
        more = [resource for resource in after if resource not in before]
        full = self._full(more)
        if full is None:
            for resource in more:
                self._used[resource] += 1
            self._free(resource for resource in before if resource not in after)
        return full

    def full(self, host: str | None, groups: tuple[str, ...], nodes: str | None = None) -> Resource | None:
        """What has no slot for an operation on this host, in these groups and on such a node; None if all have."""
        return self._full(self.limited(host, groups)) or self._all_full(nodes)

    def _free(self, resources: Iterable[Resource]) -> None:
        for resource in resources:
            self._used[resource] -= 1
            self._wake(resource)

    def _full(self, resources: Iterable[Resource]) -> Resource | None:
        return next(filter(self._is_full, resources), None)

    def _is_full(self, resource: Resource) -> bool:
        if resource[0] == "nodes":
            return self.places.is_full(resource[1])
        return self._used[resource] >= self._limit(resource)

    def _all_full(self, nodes: str | None) -> Resource | None:
        return ("nodes", nodes) if nodes is not None and self.places.is_full(nodes) else None

    def _limit(self, resource: Resource) -> int:
        return self._limits.per_host or 1 if resource[0] == "host" else 1

    def _wake(self, resource: Resource) -> None:
        aside = self._aside[resource]
        while aside and not self._is_full(resource):
            entry = heappop(aside)
            if entry[1] in self._resources:
                self._woken[entry[1]] = resource
                heappush(self._heap, entry)
                return
