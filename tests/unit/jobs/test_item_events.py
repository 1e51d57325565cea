"""Operations as callback events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_ensemble.engine.journal_entries import Entry
from ansible_ensemble.jobs.item_events import ItemEvents, is_wanted, result_of
from tests.unit.engine.entries import finished, started

FINISHED = finished(
    "web:Standard.create",
    task="",
    template="",
    implementation="acme.web.install",
    changed=True,
    seconds=1.5,
    lane="fast",
    host="web1",
    diff=({"before": "", "after": "x"},),
    result={"rc": 0, "stdout": "done", "stderr": "", "result": {"version": "2", "diff": []}},
)


def test_the_result_tells_what_ran_and_how_it_went():
    assert result_of(FINISHED) == {
        "instance": "web",
        "operation": "Standard.create",
        "seconds": 1.5,
        "host": "web1",
        "lane": "fast",
        "changed": True,
        "failed": False,
        "diff": [{"before": "", "after": "x"}],
        "rc": 0,
        "stdout": "done",
        "result": {"version": "2"},
    }


def test_a_failure_says_why():
    result = result_of(replace(FINISHED, ok=False, error="no room", result={}))
    assert (result["failed"], result["msg"]) == (True, "no room")


@pytest.mark.parametrize(
    ("entry", "labels"),
    [
        (FINISHED, ["web: create"]),
        (started("web:Standard.create"), []),
        (replace(FINISHED, implementation=""), []),
        (replace(FINISHED, implementation=None, relationship="host"), ["web: create of host"]),
    ],
)
def test_each_operation_that_ran_is_one_event(entry: Entry, labels: list[str]):
    sent: list[str] = []
    ItemEvents(lambda label, _: sent.append(label))(entry)
    assert sent == labels


def test_nobody_wants_events_but_the_runner():
    assert is_wanted({"AWX_ISOLATED_DATA_DIR": "/runner"})
    assert not is_wanted({"HOME": "/"})
