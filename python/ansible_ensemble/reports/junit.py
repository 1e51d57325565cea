"""A job as JUnit's XML, which CI servers show as test results: an operation is a test case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from ansible_ensemble.reports.drift_text import found_broken, has_drift, is_not_checked
from ansible_ensemble.reports.failures_text import why
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import short_operation
from ansible_ensemble.reports.values import clean, one_line

_FAILED = ("error", "unknown", "interrupted")
_NOT_RUN = ("blocked", "cancelled", "skipped")

#: What is in a case: its kind (`failure`, `skipped`, or nothing), a message and more lines.
_Outcome = tuple[str, str, list[str]]


def job_junit(report: dict[str, Any]) -> str:
    """The job as one test suite, with a case for each operation, and of a check one for each instance that drifted."""
    job = report["job"]
    name = f"{job['workflow']} {job['id']}"
    suite = ElementTree.Element("testsuite", name=clean(name), time=_seconds(job.get("seconds")))
    counts: Counter[str] = Counter()
    for instance, case, seconds, (kind, message, lines) in _cases(report):
        counts[kind] += 1
        element = ElementTree.SubElement(
            suite, "testcase", classname=clean(instance), name=clean(case), time=_seconds(seconds)
        )
        if kind:
            ElementTree.SubElement(element, kind, message=clean(message)).text = clean("\n".join(lines))
    totals = {"tests": counts.total(), "failures": counts["failure"], "errors": 0, "skipped": counts["skipped"]}
    suite.attrib |= {key: str(number) for key, number in totals.items()}
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text.decode() + "\n"


def _cases(report: dict[str, Any]) -> Iterator[tuple[str, str, float | None, _Outcome]]:
    for task in report["tasks"]:
        yield task["instance"], short_operation(task["operation"]), task.get("seconds"), _outcome(task)
    if has_drift(report):
        for entry in report["drift"]:
            if entry["changes"]:
                lines = [
                    f"{one['name']}: recorded {one_line(one.get('recorded'))}, live {one_line(one.get('live'))}"
                    for one in entry["changes"]
                ]
                yield entry["instance"], "drift", None, ("failure", f"{len(lines)} changed", lines)


def _outcome(task: dict[str, Any]) -> _Outcome:
    lines = list(why(task))
    if task["status"] in _NOT_RUN:
        return "skipped", str(task["status"]), lines
    if is_not_checked(task):
        return "skipped", "not checked", lines
    broken = found_broken(task)
    if (task["status"] in _FAILED and not task.get("excused")) or broken:
        found = task["target_status"] if broken else None
        lines += module_diff(task.get("diff") or [])
        return "failure", str(task.get("error") or found or task["status"]).split("\n", 1)[0], lines
    return "", "", []


def _seconds(seconds: float | None) -> str:
    return f"{seconds or 0:.3f}"
