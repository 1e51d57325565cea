"""What an adoption found of each instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.instances.status import Status

#: What a look at an instance came to, by the status that was recorded of it then.
_FOUND = {
    Status.OK: "adopted",
    Status.DEGRADED: "adopted",
    Status.DRIFTED: "differ",
    Status.ERROR: "differ",
    Status.ABSENT: "absent",
    Status.PENDING: "absent",
}


def adoption(tasks: Iterable[Mapping[str, Any]], left_alone: Mapping[str, str]) -> dict[str, dict[str, str | None]]:
    """The instances that are `adopted` as they are, and those that `differ`, are `absent` or `unseen`, with the reason.

    The next deploy changes what differs and creates what is absent. The unseen have no
    status: their operation failed or showed nothing, or they were `left_alone` for a reason.
    """
    found: dict[str, dict[str, str | None]] = {"adopted": {}, "differ": {}, "absent": {}, "unseen": {}}
    for task in tasks:
        status = task["target_status"] if task["status"] == "ok" else None
        kind = _FOUND.get(Status(status), "unseen") if status is not None else "unseen"
        found[kind][task["instance"]] = task["error"]
    found["unseen"].update(left_alone)
    return found
