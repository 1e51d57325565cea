"""Operations as callback events."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.jobs.item_events import ItemEvents, is_wanted, result_of

FINISHED = {
    "event": "finished",
    "key": "web:Standard.create",
    "instance": "web",
    "operation": "Standard.create",
    "implementation": "acme.web.install",
    "ok": True,
    "changed": True,
    "error": None,
    "seconds": 1.5,
    "lane": "fast",
    "diff": [{"before": "", "after": "x"}],
    "result": {"rc": 0, "stdout": "done", "stderr": "", "result": {"version": "2", "diff": []}},
}


def test_the_result_tells_what_ran_and_how_it_went():
    assert result_of(FINISHED) == {
        "instance": "web",
        "operation": "Standard.create",
        "seconds": 1.5,
        "lane": "fast",
        "changed": True,
        "failed": False,
        "diff": [{"before": "", "after": "x"}],
        "rc": 0,
        "stdout": "done",
        "result": {"version": "2"},
    }


def test_a_failure_says_why():
    result = result_of({**FINISHED, "ok": False, "error": "no room", "result": None})
    assert (result["failed"], result["msg"]) == (True, "no room")


@pytest.mark.parametrize(
    ("changes", "labels"),
    [({}, ["web: create"]), ({"event": "started"}, []), ({"implementation": ""}, [])],
)
def test_each_operation_that_ran_is_one_event(changes: dict[str, Any], labels: list[str]):
    sent: list[str] = []
    ItemEvents(lambda label, _: sent.append(label))({**FINISHED, **changes})
    assert sent == labels


def test_nobody_wants_events_but_the_runner():
    assert is_wanted({"AWX_ISOLATED_DATA_DIR": "/runner"})
    assert not is_wanted({"HOME": "/"})
