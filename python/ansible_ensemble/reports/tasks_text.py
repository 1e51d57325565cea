"""The tasks of a job as a table: a line for each or, where there are many, for each instance, the worst first."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.drift_text import is_not_checked
from ansible_ensemble.reports.names import short_operation
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import table
from ansible_ensemble.reports.values import clean

_HEADS = ("TASK", "INSTANCE", "OPERATION", "REASON", "STATUS", "STATE", "CHANGED", "SECONDS")
_COMPACT_HEADS = ("INSTANCE", "OPERATIONS", "STATUS", "STATE", "CHANGED", "SECONDS")
_CHANGED = ("yes", "would")
#: The most tasks that have a line each.
_MANY = 40
#: How many of the instances of which all is ok have a line where there are many tasks.
_SHOWN = 20
#: How tasks may have ended, the worst first.
_WORST = ("error", "interrupted", "unknown", "blocked", "cancelled", "skipped", "ok")


def task_lines(tasks: list[dict[str, Any]], style: Style, *, verbose: bool, dry: bool) -> list[str]:
    """The table of a job's tasks; verbose: each of them, however many, with its lane."""
    if not tasks:
        return []
    if len(tasks) > _MANY and not verbose:
        return _compact(tasks, style, dry=dry)
    rows = [[style.strong(head) for head in (*_HEADS, *(["LANE"] if verbose else []))]]
    for number, task in enumerate(tasks, 1):
        rows.append(
            [
                str(number),
                clean(task["instance"]),
                clean(short_operation(task["operation"])),
                task.get("reason") or "",
                _ended(task, style, dry=dry),
                _state(task, style, dry=dry),
                _changed([task], style),
                _seconds([task]),
                *([task.get("lane") or ""] if verbose else []),
            ]
        )
    return table(rows, right={0, 7}, columns=style.columns, spare=(0, 3), empty=(3, 5, 6, 7))


def _ended(task: dict[str, Any], style: Style, *, dry: bool) -> str:
    if is_not_checked(task):
        return style.skipped("not checked")
    return style.skipped("not run") if dry and is_left_out(task) else style.status(task["status"])


def is_left_out(task: dict[str, Any]) -> bool:
    """Whether a dry run skipped an operation and counted it as done."""
    return task["status"] == "ok" and task.get("basis") == "not-run"


def _compact(tasks: list[dict[str, Any]], style: Style, *, dry: bool) -> list[str]:
    """A line for each instance; of those that are ok for the first only, and how many more there are."""
    by_instance: dict[str, list[dict[str, Any]]] = {}
    for task in tasks:
        by_instance.setdefault(task["instance"], []).append(task)
    groups = sorted(by_instance.values(), key=lambda group: _rank(_worst(group)))
    bad = sum(_worst(group) != "ok" for group in groups)
    shown = groups if len(groups) <= bad + _SHOWN + 1 else groups[: bad + _SHOWN]
    rows = [[style.strong(head) for head in _COMPACT_HEADS]]
    for group in shown:
        ended = [task for task in group if task["status"] == _worst(group)]
        rows.append(
            [
                clean(group[0]["instance"]),
                ", ".join(dict.fromkeys(clean(short_operation(task["operation"])) for task in ended)),
                style.status(_worst(group)),
                _state(ended[-1], style, dry=dry),
                _changed(group, style),
                _seconds(group),
            ]
        )
    lines = table(rows, right={5}, columns=style.columns, spare=(3,), empty=(3, 4, 5))
    if rest := groups[len(shown) :]:
        changed = sum(any(task.get("changed") for task in group) for group in rest)
        would = " would be" if dry else ""
        lines.append(f"... ({len(rest)} more instances ok, {changed} of them{would} changed; -v shows each operation)")
    return lines


def _worst(group: list[dict[str, Any]]) -> str:
    return min((str(task["status"]) for task in group), key=_rank)


def _rank(status: str) -> int:
    """How early a status is shown; a word that is none of them, of another version's record, is as bad as any."""
    return _WORST.index(status) if status in _WORST else -1


def _state(task: dict[str, Any], style: Style, *, dry: bool) -> str:
    status, state = task.get("target_status") or "", task.get("target_state")
    looked = str(task["operation"]).endswith((".check", ".discover"))  # what it found is so, whatever it found it by
    expected = (task.get("basis") == "predicted" and not looked) or (dry and is_left_out(task))
    still = task["status"] == "error" and status == "ok"  # what modified nothing leaves the status as it was
    word = "still " if still else "would be " if status and expected else ""
    return word + style.status(status) + (f" ({state})" if state else "")


def _changed(group: list[dict[str, Any]], style: Style) -> str:
    changed = [task for task in group if task.get("changed")]
    return style.changed(_CHANGED[changed[0].get("basis") == "predicted"]) if changed else ""


def _seconds(group: list[dict[str, Any]]) -> str:
    known = [task["seconds"] for task in group if task.get("seconds") is not None]
    return f"{sum(known):.1f}" if known else ""
