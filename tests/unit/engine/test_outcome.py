"""How a job ended, from its entries."""

from __future__ import annotations

import pytest

from ansible_ensemble.engine.journal_entries import Blocked, Cancelled, Entry, Finished, Mended, Skipped
from ansible_ensemble.engine.outcome import KILLED, REPORTED, Endings
from tests.unit.engine.entries import finished, started


def test_the_reason_names_what_failed_the_job_alone():
    endings = Endings("A")
    for entry in (
        finished("fine:create"),
        finished("bad:create", ok=False),
        Blocked(key="needs-bad:create", by=("bad:create",)),
        finished("optional:create", ok=False, optional=True),
        finished("seen-to:create", ok=False),
        Blocked(key="needs-seen-to:create", by=("seen-to:create",)),
        Mended(keys=("seen-to:create",)),
        started("open:create"),
    ):
        endings.take(entry)
    outcome = endings.outcome()
    assert not outcome.ok
    assert outcome.reason == "the job failed: 1 failed, 1 blocked, 1 interrupted"
    assert outcome.counts == {"succeeded": 1, "failed": 3, "blocked": 2, "interrupted": 1}


def failed_plan(key: str) -> Finished:
    """What the engine writes of an operation that ran and whose reported instances cannot be planned."""
    return finished(key + REPORTED, ok=False, implementation=None)


def test_what_was_reported_and_cannot_be_planned_is_excused_with_its_operation():
    endings = Endings("A")
    for entry in (
        started("maker:create"),
        finished("maker:create"),
        failed_plan("maker:create"),
        Blocked(key="needs:create", by=("maker:create",)),
    ):
        endings.take(entry)
    assert not endings.outcome().ok
    endings.take(Mended(keys=("maker:create",)))
    outcome = endings.outcome()
    assert outcome.ok
    assert outcome.excused == {"maker:create>plan": "on_failure", "needs:create": "on_failure"}


def test_what_was_reported_and_cannot_be_planned_is_past_once_the_operation_runs_again():
    endings = Endings("A")
    for entry in (started("maker:create"), finished("maker:create"), failed_plan("maker:create")):
        endings.take(entry)
    for entry in (started("maker:create"), finished("maker:create")):
        endings.take(entry)
    assert endings.outcome().ok


A, B, PART = "a:Standard.create", "b:Standard.create", "a:Standard.create>b:Standard.create"


@pytest.mark.parametrize(
    ("entries", "counts", "changed"),
    [
        ([started(A), finished(A, False), started(A, attempt=2)], {"interrupted": 1}, True),
        ([started(A), finished(A, False), started(A, attempt=2), finished(A)], {"succeeded": 1}, False),
        ([started(A), finished(A, False, changed=True), started(A), finished(A)], {"succeeded": 1}, True),
        ([finished(A, changed=None)], {"succeeded": 1}, True),
        ([started(A), finished(A, False, result={"cancelled": True})], {"interrupted": 1}, False),
        ([started("a:Install.check")], {"interrupted": 1}, False),
        ([started("a:Install.check"), finished("a:Install.check")], {"succeeded": 1}, False),
        ([started(A), started(PART), finished(PART, False, changed=True), finished(A)], {"succeeded": 1}, False),
        ([finished(A), finished(A + REPORTED, False, implementation=None)], {"succeeded": 1, "failed": 1}, False),
        ([Skipped(key=A, reason="r"), Cancelled(key=B, reason=None)], {"skipped": 1, "cancelled": 1}, False),
    ],
)
def test_an_operation_ends_as_it_ended_at_last_and_its_parts_are_its_own_business(
    entries: list[Entry], counts: dict[str, int], changed: bool
) -> None:
    endings = Endings("A")
    for entry in entries:
        endings.take(entry)
    outcome = endings.outcome()
    assert (outcome.counts, outcome.changed) == (counts, changed)


def test_what_is_blocked_by_an_excused_failure_and_by_another_is_not_excused() -> None:
    endings = Endings("A")
    for entry in (finished(A, False, optional=True), finished(B, False), Blocked(key="c:x", by=(A, B))):
        endings.take(entry)
    assert endings.outcome().excused == {A: "priority"}


def test_an_excused_failure_that_is_tried_again_and_interrupted_is_excused_no_more() -> None:
    endings = Endings("A")
    for entry in (started(A), finished(A, False, optional=True), started(A, attempt=2)):
        endings.take(entry)
    assert endings.outcome().excused == {}


def test_a_step_that_runs_nothing_has_nothing_that_could_be_interrupted() -> None:
    endings = Endings("A")
    endings.take(started("bare:create", implementation=""))
    outcome = endings.outcome(KILLED)
    assert (outcome.ok, outcome.changed, outcome.counts) == (False, False, {})
