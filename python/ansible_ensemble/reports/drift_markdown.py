"""Drift as Markdown, for issues, merge requests and chat."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.reports.names import short_operation
from ansible_ensemble.reports.values import block, one_line


def drift_markdown(report: dict[str, Any]) -> str:
    """The drift that a check found, and what it found broken."""
    drifted = [entry for entry in report.get("drift") or [] if entry["changes"]]
    failed = [task for task in report["tasks"] if task["status"] != "ok" or task["target_status"] in _BROKEN]
    lines = [f"# Drift: {_sentence(len(drifted), len(failed))}", ""]
    if failed:
        lines += ["| Instance | Operation | Status | Error |", "| --- | --- | --- | --- |"]
        lines += [
            _row(
                task["instance"],
                short_operation(task["operation"]),
                task.get("target_status") or task["status"],
                task.get("error"),
            )
            for task in failed
        ]
        lines.append("")
    for entry in drifted:
        lines += [f"## {_escaped(entry['instance'])}", "", "| Name | Recorded | Live |", "| --- | --- | --- |"]
        lines += [
            _row(change["name"], _cell(change.get("recorded")), _cell(change.get("live")))
            for change in entry["changes"]
        ]
        lines.append("")
    return "\n".join(lines)


_BROKEN = ("error", "degraded", "unknown", "absent")


def _sentence(drifted: int, failed: int) -> str:
    if not drifted and not failed:
        return "none"
    parts = [f"{drifted} changed" if drifted else "", f"{failed} not ok" if failed else ""]
    return ", ".join(filter(None, parts))


def _cell(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return "\n".join(block(value))
    return "" if value is None else one_line(value)


def _row(*cells: Any) -> str:
    return f"| {' | '.join(_escaped(str(cell or '')) for cell in cells)} |"


def _escaped(text: str) -> str:
    for character in "\\|`*_<>[]":
        text = text.replace(character, f"\\{character}")
    return text.replace("\r", "").replace("\n", "<br>")
