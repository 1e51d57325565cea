from __future__ import annotations

from ansible_ensemble.reports.drift_markdown import drift_markdown
from ansible_ensemble.reports.drift_text import drift_lines, has_drift
from ansible_ensemble.reports.style import Style


def test_text(document, expect):
    report = document("job-check")
    expect("drift.txt", "\n".join(drift_lines(report["drift"], Style())) + "\n")
    assert has_drift(report)


def test_markdown(document, expect):
    expect("drift.md", drift_markdown(document("job-check")))


def test_no_drift():
    drift = [{"instance": "app", "changes": []}]
    assert list(drift_lines(drift, Style())) == []
    assert not has_drift({"drift": drift})


def test_markdown_without_drift(document):
    report = document("job-check") | {"drift": []}
    report["tasks"][0]["target_status"] = "ok"
    assert drift_markdown(report).strip() == "# Drift: none"


def test_markdown_cells_are_escaped(document):
    report = document("job-check")
    report["drift"][0]["changes"] = [{"name": "a|b", "recorded": "<i>", "live": "x\n|y"}]
    assert "| a\\|b | \\<i\\> | x<br>\\|y |" in drift_markdown(report)


def test_markdown_shows_what_would_change(document):
    report = document("job-check")
    report["tasks"][0]["diff"] = [{"before_header": "/a", "before": "old\n", "after": "```\n"}]
    title = f"## {report['tasks'][0]['instance']}: check\n\n"
    assert title + "````diff\n# /a\n- old\n+ ```\n````\n" in drift_markdown(report)
