"""Which operation goes first: the one with the longest path of others behind it."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence

from ansible_ensemble.execution.events import ScheduledOperation


def longest_paths(operations: Sequence[ScheduledOperation]) -> dict[str, int]:
    """The length of the longest path that begins with each operation; paths end where a ring begins."""
    keys = {operation.key for operation in operations}
    needed = {
        operation.key: [key for key in {*operation.waits_for, *operation.waits_end} if key in keys]
        for operation in operations
    }
    dependants: Counter[str] = Counter(key for others in needed.values() for key in others)
    below: dict[str, int] = defaultdict(int)
    ranks = dict.fromkeys(keys, 1)
    ends = deque(key for key in keys if not dependants[key])
    while ends:
        key = ends.popleft()
        ranks[key] = 1 + below[key]
        for other in needed[key]:
            below[other] = max(below[other], ranks[key])
            dependants[other] -= 1
            if not dependants[other]:
                ends.append(other)
    return ranks
