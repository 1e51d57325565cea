"""The report of a job as a self-contained web page, from its JSON document alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.drift_text import drift_lines
from ansible_ensemble.reports.failures_text import failure_lines, not_run_lines
from ansible_ensemble.reports.job_text import outcome_line
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import event_title
from ansible_ensemble.reports.page import drawing, page, table, text
from ansible_ensemble.reports.style import WEB, Style
from ansible_ensemble.reports.table import clip
from ansible_ensemble.reports.values import clean

_ROW, _CHARACTER, _ACROSS = 24, 7.3, 640.0
#: The most characters of an operation's name beside the timeline.
_LONGEST = 44
_COLOURS = {"ok": "green", "error": "red", "interrupted": "red", "blocked": "yellow", "cancelled": "yellow"}


def job_html(report: dict[str, Any], started: Mapping[str, float]) -> str:
    """The page: what failed first, then when each operation ran, drift, and what each operation did.

    Args:
        report: the report of a job.
        started: when its operations began, in seconds since the epoch, by their keys.
    """
    job, plain = report["job"], Style()
    title = f"{job['workflow']} {job['id']} of {shown_path(str(job['ensemble']))}"
    drift = list(drift_lines(report.get("drift") or [], plain, verbose=True))
    parts = [
        f"<h1>{text(title)}</h1>",
        f'<p class="total">{text(outcome_line(report, plain))}</p>',
        f"<p>Approved by {text(clean(job['approved_by']))}</p>" if job.get("approved_by") else "",
        *(f"<p><strong>Warning:</strong> {text(warning)}</p>" for warning in report["warnings"]),
        _lines("Failed", failure_lines(report, plain, verbose=True)),
        _lines("Not run", not_run_lines(report, plain, verbose=True)),
        _timeline(report["tasks"], started),
        _lines("Drift", drift[1:]),
        "<h2>Operations</h2>" if report["tasks"] else "",
        *map(_task, report["tasks"]),
    ]
    return page(title, parts)


def _lines(heading: str, lines: Iterator[str] | list[str]) -> str:
    block = "\n".join(lines)
    return f"<h2>{heading}</h2><pre>{text(block)}</pre>" if block else ""


def _timeline(tasks: list[dict[str, Any]], started: Mapping[str, float]) -> str:
    """A bar for each operation that ran, from when it began for as long as it took."""
    ran = [(started[task["key"]], task) for task in tasks if task["key"] in started and task["seconds"] is not None]
    if not ran:
        return ""
    ran.sort(key=lambda one: one[0])
    begin = ran[0][0]
    scale = _ACROSS / max(0.001, max(at + task["seconds"] for at, task in ran) - begin)
    labels = [clip(clean(event_title(task)), _LONGEST) for _at, task in ran]
    left = max(map(len, labels)) * _CHARACTER + 16
    bars = []
    for row, ((at, task), label) in enumerate(zip(ran, labels, strict=True)):
        name = f'<text x="{left - 10:.0f}" y="{row * _ROW + 16}" text-anchor="end">{text(label)}</text>'
        place = f'x="{left + (at - begin) * scale:.1f}" y="{row * _ROW + 5}" height="{_ROW - 10}" rx="3"'
        long = f'width="{max(2.0, task["seconds"] * scale):.1f}"'
        bars.append(f'<g>{_said(task)}{name}<rect {place} {long} fill="{_colour(task)}"/></g>')
    width, height = round(left + _ACROSS + 8), len(ran) * _ROW + 8
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="monospace" font-size="12">{"".join(bars)}</svg>'
    )
    return "<h2>Timeline</h2>" + drawing(drawn, "Timeline")


def _said(task: dict[str, Any]) -> str:
    where = task.get("node") or task.get("host") or "no host"
    return "<title>" + text(f"{event_title(task)}: {task['seconds']:.1f} s on {where}") + "</title>"


def _colour(task: dict[str, Any]) -> str:
    return WEB["yellow" if task["changed"] and task["status"] == "ok" else _COLOURS.get(task["status"], "grey")]


def _task(task: dict[str, Any]) -> str:
    facts = (
        ("Reason", task["reason"]),
        ("Runs", task["implementation"] or ""),
        ("Where", task.get("node") or task.get("host") or ""),
        ("Seconds", "" if task["seconds"] is None else f"{task['seconds']:.1f}"),
        ("Error", task["error"] or ""),
        *(("", message) for message in task.get("messages") or ()),
    )
    rows = [[text(name), text(clean(str(value)))] for name, value in facts if value]
    changes = text("\n".join(module_diff(task.get("diff") or [])))
    word = "changed" if task["changed"] and task["status"] == "ok" else task["status"]
    return (
        f'<details style="--c: {_colour(task)}"><summary><b>{text(clean(event_title(task)))}</b> {text(word)}</summary>'
        f"{table(rows)}{f'<pre>{changes}</pre>' if changes else ''}</details>"
    )
