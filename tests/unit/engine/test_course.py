from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.engine.course import Course
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.status import Status
from ansible_ensemble.planning.plan import PlannedOperation


def operation(key: str, *waits_for: str, **details: Any) -> PlannedOperation:
    return PlannedOperation(key, "n", "n", "Tool", "say", Reason.RUN, "go", waits_for=list(waits_for), details=details)


def met() -> None:
    return None


def after(key: str, succeeded: list[str], failed: list[str]) -> PlannedOperation:
    return operation(key, after={"succeeded": succeeded, "failed": failed})


def test_what_nothing_is_said_about_runs():
    assert Course().needless(operation("a"), met) is None


def test_a_branch_for_failure_and_all_behind_it_are_passed_over_where_nothing_failed():
    course = Course()
    course.succeeded(operation("try"))
    assert course.needless(after("ill", [], ["try"]), met) == "the workflow took another way"
    assert course.needless(operation("later", "ill"), met) == "the workflow took another way"


def test_a_branch_for_failure_runs_after_a_failure_and_not_after_a_retry_that_succeeded():
    course = Course()
    course.failed("try")
    assert course.needless(after("ill", [], ["try"]), met) is None
    course.succeeded(operation("try"))
    assert course.needless(after("ill", [], ["try"]), met) is not None


def test_failures_are_seen_to_by_the_steps_that_they_lead_to():
    course = Course()
    for key in ("try", "try-2", "well"):
        course.failed(key)  # the second activity of the step is blocked by the first
    assert course.succeeded(after("ill", [], ["try", "try-2"])) == {"try", "try-2"}
    assert course.succeeded(operation("well")) == set()


def test_a_step_that_both_ways_lead_to_runs_either_way():
    for succeeded in (True, False):
        course = Course()
        if succeeded:
            course.succeeded(operation("try"))
        else:
            course.failed("try")
        assert course.needless(after("end", ["try"], ["try"]), met) is None


def test_a_step_needs_all_successes_that_lead_to_it():
    course = Course()
    course.failed("b")
    assert course.needless(after("end", ["a", "b"], ["c"]), met) is not None


def test_a_filter_leaves_out_its_whole_step_and_not_the_next():
    course = Course()
    gate = operation("gate", filter=[{"size": 1}])
    assert course.needless(gate, lambda: "its size is 2") == "its step is left out: its size is 2"
    assert course.needless(operation("part", "gate", **{"with": "gate"}), met) == "its step is left out"
    assert course.needless(operation("next", "part"), met) is None


def instance(status: Status, **attributes: Any) -> Instance:
    return Instance("n", "n", local=status, attributes=attributes)


@pytest.mark.parametrize(
    ("details", "status", "reason"),
    [
        ({"unless_ok": True}, Status.OK, "the check found it well"),
        ({"unless_ok": True}, Status.ERROR, None),
        ({"only_if_absent": True}, Status.OK, "the check found that it is there"),
        ({"only_if_absent": True}, Status.ABSENT, None),
        ({}, Status.OK, None),
    ],
)
def test_what_a_check_found_decides(details: dict[str, bool], status: Status, reason: str | None):
    assert Course().pointless(operation("a", **details), instance(status), lambda: True) == reason


def test_what_has_nothing_to_take_over_does_not_run():
    course = Course()
    restart = operation("restart", unless_unchanged="configure")
    assert course.pointless(restart, None, lambda: True) is None
    course.note_unchanged("configure")
    assert course.pointless(restart, None, lambda: True) == "nothing has changed that it would take over"


def test_what_reads_the_same_as_before_does_not_run():
    again = operation("again", only_if_changed=True)
    assert Course().pointless(again, None, lambda: True) is None
    assert Course().pointless(again, None, lambda: False) == "what it reads has not changed"


def test_the_source_is_told_of_a_target_only_where_a_value_is_another():
    course = Course()
    tell = operation("tell", only_if_target_changed=True, target="n")
    course.note_values(instance(Status.OK, port=80), {"name": "n", "attributes": {"port": 80}})
    course.note_values(None, {"name": "other", "attributes": {"port": 1}})
    assert course.pointless(tell, None, lambda: True) == "no attribute of n has changed"
    course.note_values(instance(Status.OK, port=80), {"name": "n", "attributes": {"port": 81}})
    assert course.pointless(tell, None, lambda: True) is None
