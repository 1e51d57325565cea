"""Operations as the tasks that callback plugins are told of."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ansible_ensemble.configurators.protocol import Basis
from ansible_ensemble.core.actions import Reason
from ansible_ensemble.core.errors import Place
from ansible_ensemble.engine.journal_entries import Entry, Skipped
from ansible_ensemble.jobs.callback_events import CallbackEvents, result_of
from ansible_ensemble.lanes.core_callbacks import TaskEvent
from ansible_ensemble.planning.planned_operation import PlannedOperation, Retry
from tests.unit.engine.entries import finished, started

KEY = "web:Standard.create"
STARTED = started(KEY, implementation="acme.web.install", host="web1")
FINISHED = finished(
    KEY,
    implementation="acme.web.install",
    changed=True,
    lane="fast",
    host="web1",
    diff=({"before": "", "after": "x"},),
    result={"rc": 0, "stdout": "done", "stderr": "", "result": {"version": "2", "diff": [], "warnings": ["w"]}},
)
PLANNED = PlannedOperation(
    key=KEY,
    instance="web",
    template="web",
    interface="Standard",
    operation="create",
    reason=Reason.ADD,
    workflow="deploy",
    implementation="acme.web.install",
    host="web1",
    retry=Retry(1),
)


def told(*entries: Entry) -> list[TaskEvent]:
    sent: list[TaskEvent] = []
    observer = CallbackEvents(sent.append, {KEY: PLANNED}, {"web": Place("/e/web.yaml", 3)}.get)
    for entry in entries:
        observer(entry)
    return sent


def test_a_task_has_the_name_the_module_the_host_and_the_place_of_its_operation():
    begun, ended = told(STARTED, FINISHED)
    assert (begun.name, begun.action, begun.host, begun.ending) == ("web: create", "acme.web.install", "web1", None)
    assert begun.place == Place("/e/web.yaml", 3)
    assert (ended.id, ended.name, ended.ending) == (begun.id, begun.name, "ok")


def test_the_result_is_that_of_the_module_and_tells_what_ran():
    assert result_of(FINISHED) == {
        "version": "2",
        "rc": 0,
        "stdout": "done",
        "changed": True,
        "failed": False,
        "diff": [{"before": "", "after": "x"}],
        "ensemble": {
            "instance": "web",
            "template": "web",
            "operation": "Standard.create",
            "task": f"T-{KEY}",
            "seconds": 1.5,
            "lane": "fast",
        },
    }


FAILED = replace(FINISHED, ok=False, error="no room", result={})


@pytest.mark.parametrize(
    ("entries", "endings"),
    [
        ([FAILED], ["failed"]),
        ([STARTED, FAILED], [None, "retry"]),
        ([STARTED, FAILED, replace(STARTED, attempt=2), FAILED], [None, "retry", "failed"]),
        ([STARTED, FAILED, replace(STARTED, attempt=2), FINISHED], [None, "retry", "ok"]),
        ([STARTED, replace(FAILED, result={"cancelled": True})], [None, "failed"]),
        ([replace(STARTED, attempt=2), replace(FAILED, result={"unreachable": True})], ["unreachable"]),
        ([replace(FINISHED, basis=Basis.NOT_RUN)], ["skipped"]),
        ([replace(FINISHED, basis=Basis.PREDICTED)], ["ok"]),
        ([Skipped(key=KEY, reason="it is there")], ["skipped"]),
        ([replace(STARTED, implementation=""), replace(FINISHED, implementation="")], []),
        ([replace(FINISHED, implementation=None, ok=False)], ["failed"]),
    ],
)
def test_how_an_operation_ends_as_a_task(entries: list[Entry], endings: list[str | None]):
    assert [event.ending for event in told(*entries)] == endings


def test_a_failure_says_why_and_whether_it_counts():
    (event,) = told(replace(FAILED, optional=True))
    assert (event.result["failed"], event.result["msg"], event.ignored) == (True, "no room", True)


def test_a_censored_result_is_one_with_no_log():
    (event,) = told(replace(FINISHED, result={"result": {"censored": "hidden"}}, diff=()))
    assert event.no_log


def test_what_does_not_run_says_why_and_where_it_would_have():
    (event,) = told(Skipped(key=KEY, reason="it is there"))
    assert (event.name, event.host, event.result["skip_reason"]) == ("web: create", "web1", "it is there")
