"""The remaining time of a job, estimated from earlier durations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from ansible_ensemble.reports.plan_words import running


class Remaining:
    """The time to go of a job, which is no shorter than its longest chain of operations, nor than its slots allow.

    Args:
        plan: the JSON document of the plan.
        usual: seconds that operations took before, by key; of one that is not known, the average counts.
        slots: how many operations run at a time.
    """

    def __init__(self, plan: dict[str, Any], usual: Mapping[str, float], slots: int) -> None:
        shown = running(plan).keys()
        known = [usual[key] for key in shown if key in usual]
        self._is_known = len(known) * 2 >= len(shown) > 0
        average = sum(known) / len(known) if known else 0.0
        self._slots = max(slots, 1)
        self._seconds = {key: usual.get(key, average) for key in shown}
        self._chains = self._longest_chains(plan["operations"])

    def seconds(self, ended: Collection[str], elapsed: Mapping[str, float]) -> float | None:
        """Seconds to go; None if too little is known.

        Args:
            ended: keys of the operations that ended.
            elapsed: for how many seconds those that run have run.
        """
        if not self._is_known:
            return None
        left = total = 0.0
        for key, seconds in self._seconds.items():
            if key not in ended:
                done = min(elapsed.get(key, 0.0), seconds)
                left = max(left, self._chains[key] - done)
                total += seconds - done
        return max(left, total / self._slots)

    def _longest_chains(self, operations: list[dict[str, Any]]) -> dict[str, float]:
        """Seconds of the longest chain that begins with each operation."""
        before = {one["key"]: {*one.get("waits_for", ()), *one.get("waits_end", ())} for one in operations}
        behind: defaultdict[str, int] = defaultdict(int)
        for keys in before.values():
            for key in keys:
                behind[key] += 1
        chains = {key: self._seconds.get(key, 0.0) for key in before}
        ready = [key for key in before if not behind[key]]
        for key in ready:
            for other in before[key] & before.keys():
                chains[other] = max(chains[other], self._seconds.get(other, 0.0) + chains[key])
                behind[other] -= 1
                if not behind[other]:
                    ready.append(other)
        return chains


def in_words(seconds: float) -> str:
    """`about 40 s left`, `about 3 min left`, `about 1 h 20 min left`; rounded up, as it is not known better."""
    if seconds < 60:
        return f"about {max(5, -(-int(seconds) // 5) * 5)} s left"
    minutes = -(-int(seconds) // 60)
    hours, rest = divmod(minutes, 60)
    return f"about {f'{hours} h {rest} min' if hours else f'{minutes} min'} left"
