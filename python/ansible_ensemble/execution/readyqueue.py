"""The queue of ready operations: best first, under limits per host and per group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush

from msgspec import Struct

from ansible_ensemble.core.errors import UsageError


class Limits(Struct, frozen=True):
    """How many operations may run at a time.

    Attributes:
        jobs: in all.
        per_host: on each host; None is no limit.
    """

    jobs: int = 10
    per_host: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("jobs", self.jobs), ("per host", self.per_host)):
            if limit is not None and limit < 1:
                raise UsageError(f"the limit of operations ({name}) is {limit}", hint="it has to be 1 or more")


#: A limited thing: (`host` or `group`, its name).
Resource = tuple[str, str]
#: What orders the queue: smaller is better.
Priority = tuple[int, int]


class ReadyQueue:
    """Ready operations by priority; those whose host or group is full stand aside until a slot is free there.

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

    def __len__(self) -> int:
        return len(self._resources)

    def push(self, key: str, priority: Priority, host: str | None, groups: tuple[str, ...]) -> None:
        """Add an operation."""
        self._resources[key] = self.limited(host, groups)
        heappush(self._heap, (priority, key))

    def limited(self, host: str | None, groups: tuple[str, ...]) -> tuple[Resource, ...]:
        """The limited resources that an operation on this host and in these groups takes."""
        resources = [("group", name) for name in sorted(set(groups))]
        if host is not None and self._limits.per_host is not None:
            resources.append(("host", host))
        return tuple(resources)

    def pop(self) -> str | None:
        """Take out the best operation that may run, and its slots; None if none may."""
        while self._heap:
            priority, key = heappop(self._heap)
            woken_by = self._woken.pop(key, None)
            resources = self._resources.get(key)
            full = None if resources is None else self._full(resources)
            if resources is not None and full is None:
                for resource in resources:
                    self._used[resource] += 1
                del self._resources[key]
                return key
            if full is not None:
                heappush(self._aside[full], (priority, key))
            if woken_by is not None:
                self._wake(woken_by)
        return None

    def discard(self, key: str) -> None:
        """Take out an operation that shall not run; its entry is dropped when it comes up."""
        self._resources.pop(key, None)

    def release(self, host: str | None, groups: tuple[str, ...]) -> None:
        """Release the slots of an operation that was popped."""
        self._free(self.limited(host, groups))

    def exchange(self, before: tuple[Resource, ...], after: tuple[Resource, ...]) -> Resource | None:
        """Have an operation that runs hold other slots; if one of them is taken, return it and change nothing."""
        more = [resource for resource in after if resource not in before]
        full = self._full(more)
        if full is None:
            for resource in more:
                self._used[resource] += 1
            self._free(resource for resource in before if resource not in after)
        return full

    def full(self, host: str | None, groups: tuple[str, ...]) -> Resource | None:
        """What has no slot for an operation on this host and in these groups; None if all have."""
        return self._full(self.limited(host, groups))

    def _free(self, resources: Iterable[Resource]) -> None:
        for resource in resources:
            self._used[resource] -= 1
            self._wake(resource)

    def _full(self, resources: Iterable[Resource]) -> Resource | None:
        return next((resource for resource in resources if self._used[resource] >= self._limit(resource)), None)

    def _limit(self, resource: Resource) -> int:
        return self._limits.per_host or 1 if resource[0] == "host" else 1

    def _wake(self, resource: Resource) -> None:
        aside = self._aside[resource]
        while aside and self._used[resource] < self._limit(resource):
            entry = heappop(aside)
            if entry[1] in self._resources:
                self._woken[entry[1]] = resource
                heappush(self._heap, entry)
                return
