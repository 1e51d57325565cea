"""A job as JUnit's XML."""

from typing import Any
from xml.etree import ElementTree

from ansible_ensemble.reports.junit import job_junit


def suite(report: dict[str, Any]) -> ElementTree.Element:
    found = ElementTree.fromstring(job_junit(report)).find("testsuite")
    assert found is not None
    return found


def cases(report: dict[str, Any]) -> list[tuple[str | None, str | None, list[str]]]:
    return [(one.get("classname"), one.get("name"), [child.tag for child in one]) for one in suite(report)]


def test_a_job_that_is_ok(document):
    report = document("job-ok")
    found = suite(report)
    assert found.get("tests") == str(len(report["tasks"]))
    assert (found.get("failures"), found.get("skipped"), found.get("errors")) == ("0", "0", "0")


def test_each_status(document):
    report = document("job-check")
    task = report["tasks"][0] | {"operation": "Standard.create", "target_status": None, "error": None}
    expected = {
        "ok": [],
        "error": ["failure"],
        "unknown": ["failure"],
        "interrupted": ["failure"],
        "blocked": ["skipped"],
        "cancelled": ["skipped"],
        "skipped": ["skipped"],
    }
    report |= {"drift": [], "tasks": [task | {"status": status} for status in expected]}
    assert [tags for _, _, tags in cases(report)] == list(expected.values())
    report["tasks"] = [task | {"status": "error", "excused": "priority"}]
    assert cases(report) == [("app", "create", [])], "it does not count"


def test_what_a_check_finds(document):
    report = document("job-check")
    report["tasks"][0]["diff"] = [{"before": "old\n", "after": "new\n"}]
    assert cases(report) == [("app", "check", ["failure"]), ("app", "drift", ["failure"])]
    assert "- old\n+ new" in str(suite(report)[0][0].text)
    drift = suite(report)[1][0]
    assert drift.get("message") == "3 changed"
    assert "port: recorded 8080, live 8081" in str(drift.text)


def test_no_text_breaks_the_xml(document):
    report = document("job-failed")
    for task in report["tasks"]:
        task |= {"error": "\x00\x1b[31m\udc80 ]]> & <b>\ufffe", "instance": "a\x07"}
    assert "&lt;b&gt;" in job_junit(report)
    assert suite(report)[0].get("classname") == "a\\x07"
