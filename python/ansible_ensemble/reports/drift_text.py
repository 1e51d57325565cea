"""Drift as text: what is recorded of each instance beside what a check found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import pad, width
from ansible_ensemble.reports.values import clean, diff_lines, few, is_short, one_line


def drift_lines(drift: list[dict[str, Any]], style: Style, *, verbose: bool = False) -> Iterator[str]:
    """The lines of the drift (the job document's, per instance); none if there is none."""
    drifted = [entry for entry in drift if entry["changes"]]
    if not drifted:
        return
    yield style.strong("Drift, recorded -> live:")
    for entry in drifted:
        yield f"  {style.symbol('~')} {style.strong(clean(entry['instance']))}"
        longest = max(width(clean(change["name"])) for change in entry["changes"])
        for change in entry["changes"]:
            yield from _change(change, longest, style, verbose)


#: Statuses of an instance that is not well.
_BROKEN = ("error", "drifted", "degraded", "unknown", "absent")


def has_drift(report: dict[str, Any]) -> bool:
    """Whether a job found something that is not as recorded."""
    return any(entry["changes"] for entry in report.get("drift") or [])


def found_broken(task: dict[str, Any]) -> bool:
    """Whether a check found its instance broken, recorded or not."""
    return str(task["operation"]).endswith((".check", ".discover")) and task.get("target_status") in _BROKEN


def is_not_checked(task: dict[str, Any]) -> bool:
    """Whether a check did nothing, as its tool has no check mode."""
    looks = str(task["operation"]).endswith((".check", ".discover"))
    return looks and task.get("status", "ok") == "ok" and task.get("basis") == "not-run"


def is_sound(report: dict[str, Any]) -> bool:
    """Whether a check found everything ok and as recorded."""
    return not has_drift(report) and not any(map(found_broken, report["tasks"]))


def _change(change: dict[str, Any], longest: int, style: Style, verbose: bool) -> Iterator[str]:
    recorded, live = change.get("recorded"), change.get("live")
    symbol = "+" if recorded is None else "-" if live is None else "~"
    name = f"{clean(change['name'])}:"
    if is_short(recorded) and is_short(live):
        before = "(not recorded)" if recorded is None else one_line(recorded)
        after = "(gone)" if live is None else one_line(live)
        yield f"      {style.symbol(symbol)} {pad(name, longest + 1)} {before} -> {after}"
        return
    yield f"      {style.symbol(symbol)} {name}"
    for line in few(diff_lines(recorded, live), every=verbose):
        yield f"          {style.symbol(line[:1].strip(), line)}"
