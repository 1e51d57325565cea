"""The scheduler: jobs and operations that are stopped."""

from __future__ import annotations

import pytest

from ansible_ensemble.execution.events import (
    Cancelled,
    Deferred,
    Done,
    Failed,
    Interrupted,
    KillRequested,
    OperationsAdded,
    Provided,
    RetryDue,
    Started,
    StopRequested,
    Succeeded,
)
from ansible_ensemble.execution.scheduler import Scheduler
from tests.unit.execution.scenarios import Scenario, follow, op

SCENARIOS = [
    Scenario(
        "the first signal starts nothing new",
        [op("a"), op("b", retries=3), op("c", retries=3), op("d", "a"), op("e", waits_end=("d",))],
        ["run a", "run b", "run c"],
        [
            (Failed("b"), ["retry b in 1"]),
            (StopRequested(), []),
            (Failed("c"), []),
            (Succeeded("a"), ["done"]),
        ],
        ends={"a": "succeeded", "b": "failed", "c": "failed", "d": "cancelled", "e": "cancelled"},
    ),
    Scenario(
        "but lets end what was begun and waits for a value",
        [op("a", retries=1), op("b"), op("c", "b")],
        ["run b", "run a"],
        [
            ((Started("a"), Failed("a")), ["retry a in 1"]),
            (RetryDue("a"), ["run a #2"]),
            (Deferred("a", ("r",)), []),
            (StopRequested(), []),
            (Succeeded("b"), ["a blocked by r", "done"]),
        ],
        ends={"a": "blocked", "b": "succeeded", "c": "cancelled"},
    ),
    Scenario(
        "and goes on once the value is there",
        [op("a", retries=1), op("b")],
        ["run a", "run b"],
        [
            ((Started("a"), Failed("a"), RetryDue("a")), ["retry a in 1", "run a #2"]),
            ((Deferred("a", ("r",)), StopRequested()), []),
            ((Provided(("r",)), Succeeded("b")), ["run a #2"]),
            (Succeeded("a"), ["done"]),
        ],
        ends={"a": "succeeded", "b": "succeeded"},
    ),
    Scenario(
        "the second signal ends what runs",
        [op("a"), op("b", "a"), op("c", retries=1)],
        ["run a", "run c"],
        [
            ((Started("c"), Failed("c"), RetryDue("c")), ["retry c in 1", "run c #2"]),
            ((Deferred("c", ("r",)), StopRequested()), []),
            (KillRequested(), ["cancel a"]),
            (KillRequested(), []),
            (Interrupted("a"), ["done"]),
        ],
        ends={"a": "interrupted", "b": "cancelled", "c": "interrupted"},
    ),
    Scenario(
        "a second signal with nothing under way",
        [op("a", retries=1)],
        ["run a"],
        [(Failed("a"), ["retry a in 1"]), (KillRequested(), ["done"]), (RetryDue("a"), [])],
        ends={"a": "failed"},
    ),
    Scenario(
        "what can't be rendered while the job stops was never begun",
        [op("a")],
        ["run a"],
        [(StopRequested(), []), (Deferred("a", references=("r",)), ["done"])],
        ends={"a": "cancelled"},
    ),
    Scenario(
        "a single operation is cancelled",
        [op("a"), op("b", "a"), op("c")],
        ["run a", "run c"],
        [(Cancelled("a"), ["b blocked by a"]), (Succeeded("c"), ["done"])],
    ),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    follow(scenario)


def test_a_stopped_job_says_why() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a"))))
    assert scheduler.handle(StopRequested("a signal")) == [Cancelled("b", "a signal")]
    assert scheduler.handle(Succeeded("a")) == [Done("a signal")]
