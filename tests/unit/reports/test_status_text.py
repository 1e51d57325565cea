from __future__ import annotations

from ansible_ensemble.reports.status_text import status_text


def test_the_tree(document, expect):
    expect("status.txt", status_text(document("status")))


def test_verbose_shows_attributes(document):
    assert "address: 127.0.0.1" in status_text(document("status"), verbose=True)


def test_no_instances(document):
    status = document("status") | {"instances": [], "outputs": {}, "last_job": None, "status": None}
    assert status_text(status) == "examples/shop/ensemble.yaml\nNo instances are recorded.\n"


def test_a_deep_tree_needs_no_recursion(document):
    base = document("status")["instances"][0]
    instances = [base | {"name": f"n{n}", "host": f"n{n - 1}" if n else None} for n in range(1500)]
    text = status_text(document("status") | {"instances": instances})
    assert text.count("└─") == 1499


def test_the_own_status_is_told_where_another_makes_it_worse(document):
    status = document("status")
    status["instances"][1]["local_status"] = "ok"
    assert "error (itself ok)" in status_text(status)


def test_warnings_come_last(document):
    text = status_text(document("status") | {"warnings": ["a job runs"]})
    assert text.splitlines()[-1] == "Warning: a job runs"


def test_a_long_output_is_cut_unless_verbose(document):
    status = document("status") | {"outputs": {"hosts": [f"host {n}" for n in range(100)]}}
    assert "host 99" not in status_text(status)
    assert "... (88 more lines; -v shows all)" in status_text(status)
    assert "host 99" in status_text(status, verbose=True)
