"""Where and why an operation failed: the tasks of its play, the items of their loops, and what they said."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.engine.journal_entries import Finished
from ansible_ensemble.lanes.outcomes import failures_of

#: What is recorded of a task of a play that failed; a module may return `tasks` of its own.
_FAILED = {"name", "path", "host", "status", "failures"}


def failures(entry: Finished) -> list[dict[str, Any]]:
    """What failed: `task`, `path` (with its line) and `host` of a play's task, `item`, and what it said.

    That is as Ansible names it: `msg`, `cmd`, `rc`, `stdout`, `stderr`.
    """
    returned = entry.result.get("result") or {}
    if "stats" not in returned or not isinstance(returned.get("tasks"), list):
        return [one for one in failures_of({**entry.result, **returned}) if one]
    return [
        {"task": task["name"], "path": task["path"], "host": task["host"], **failure}
        for task in returned["tasks"]
        if isinstance(task, dict) and task.keys() >= _FAILED and task["status"] in ("failed", "unreachable")
        for failure in task["failures"]
    ]
