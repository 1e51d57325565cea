"""Dependencies between the operations of a job."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from ansible_ensemble.reports.plan_words import running


class Dependants:
    """The operations that wait for others. Steps that run nothing are skipped."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._shown = running(plan).keys()
        self._behind: defaultdict[str, list[str]] = defaultdict(list)
        self._ended: set[str] = set()
        for operation in plan["operations"]:
            for key in (*operation.get("waits_for", ()), *operation.get("waits_end", ())):
                self._behind[key].append(operation["key"])

    def end(self, key: str) -> None:
        """Remove an operation that has begun or ended."""
        self._ended.add(key)

    def of(self, key: str) -> list[str]:
        """Keys of the operations that wait for this one itself, in the order of the plan."""
        found: dict[str, None] = {}
        seen, steps = {key}, deque([key])
        while steps:
            for other in self._behind[steps.popleft()]:
                if other in seen or other in self._ended:
                    continue
                seen.add(other)
                if other in self._shown:
                    found[other] = None
                else:
                    steps.append(other)
        return list(found)
