"""Drift as Markdown, for issues, merge requests and chat."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.drift_text import found_broken
from ansible_ensemble.reports.markdown import escaped, fenced, markdown_table
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import event_title, short_operation
from ansible_ensemble.reports.values import block, few, one_line


def drift_markdown(report: dict[str, Any]) -> str:
    """The drift that a check found, and what it found broken."""
    drifted = [entry for entry in report.get("drift") or [] if entry["changes"]]
    failed = [task for task in report["tasks"] if task["status"] != "ok" or found_broken(task)]
    lines = [f"# Drift: {_sentence(len(drifted), len(failed))}", ""]
    lines += markdown_table(
        ["Instance", "Operation", "Status", "Error"],
        [
            (
                task["instance"],
                short_operation(task["operation"]),
                task.get("target_status") or task["status"],
                task.get("error"),
            )
            for task in failed
        ],
    )
    for entry in drifted:
        changes = [
            (change["name"], _cell(change.get("recorded")), _cell(change.get("live"))) for change in entry["changes"]
        ]
        lines += [f"## {escaped(entry['instance'])}", "", *markdown_table(["Name", "Recorded", "Live"], changes)]
    for task in report["tasks"]:
        if diff := few(module_diff(task.get("diff") or []), every=False, limit=40):
            lines += [f"## {escaped(event_title(task))}", "", *fenced("\n".join(diff), "diff"), ""]
    return "\n".join(lines)


def _sentence(drifted: int, failed: int) -> str:
    if not drifted and not failed:
        return "none"
    parts = [f"{drifted} changed" if drifted else "", f"{failed} not ok" if failed else ""]
    return ", ".join(filter(None, parts))


def _cell(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return "\n".join(block(value))
    return "" if value is None else one_line(value)
