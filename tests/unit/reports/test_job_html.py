"""The report of a job as a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from ansible_ensemble.reports.job_html import job_html


def started(report: dict[str, Any]) -> dict[str, float]:
    """When the operations began, each two seconds after the one before."""
    return {task["key"]: 100.0 + 2 * number for number, task in enumerate(report["tasks"])}


def timeline(page: str) -> list[ElementTree.Element]:
    begin = page.index("<svg")
    drawn = ElementTree.fromstring(page[begin : page.index("</svg>") + len("</svg>")])
    return drawn.findall("{http://www.w3.org/2000/svg}g")


def test_what_failed_comes_first(document: Callable[[str], Any]) -> None:
    report = document("job-failed")
    page = job_html(report, started(report))
    assert page.index("<h2>Failed</h2>") < page.index("<h2>Timeline</h2>") < page.index("<h2>Operations</h2>")
    assert page.count("<details") == len(report["tasks"])


def test_the_timeline_has_what_ran(document: Callable[[str], Any]) -> None:
    report = document("job-ok")
    ran = [task for task in report["tasks"] if task["seconds"] is not None]
    bars = timeline(job_html(report, started(report)))
    assert len(bars) == len(ran)
    lefts = [float(bar[2].attrib["x"]) for bar in bars]
    assert lefts == sorted(lefts)
    assert "<svg" not in job_html(report, {}), "without journals' times there is none"


def test_who_approved_is_named(document: Callable[[str], Any]) -> None:
    report = document("job-ok")
    assert "Approved by" not in job_html(report, {})
    report["job"]["approved_by"] = "<b>ann\x1b"
    assert "<p>Approved by &lt;b&gt;ann\\x1b</p>" in job_html(report, {})


def test_values_are_no_markup(document: Callable[[str], Any]) -> None:
    report = document("job-failed")
    hostile = "<script>alert(1)</script>\x1b[31m"
    report["warnings"] = [hostile]
    for task in report["tasks"]:
        task |= {"error": hostile, "instance": hostile, "implementation": hostile, "host": hostile}
        task["messages"] = [hostile]
    page = job_html(report, started(report))
    assert "<script" not in page
    assert "\x1b" not in page
