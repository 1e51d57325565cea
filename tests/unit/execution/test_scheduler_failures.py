"""The scheduler: whom a failure concerns."""

from __future__ import annotations

import pytest

from ansible_ensemble.execution.events import (
    Blocked,
    Cancelled,
    Deferred,
    Done,
    Failed,
    OperationsAdded,
    Run,
    Skipped,
    Succeeded,
    TimedOut,
)
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from tests.unit.execution.scenarios import Scenario, follow, op

SCENARIOS = [
    Scenario(
        "a failure blocks all that need it, and nothing else",
        [op("a"), op("b", "a"), op("c", "b"), op("d"), op("e", "d", "c"), op("f", "d")],
        ["run a", "run d"],
        [
            (Failed("a", "no"), ["b blocked by a", "c blocked by a", "e blocked by a"]),
            (Succeeded("d"), ["run f"]),
            (Succeeded("f"), ["done"]),
        ],
        ends={"a": "failed", "b": "blocked", "c": "blocked", "d": "succeeded", "e": "blocked", "f": "succeeded"},
    ),
    Scenario(
        "waits_end takes any end",
        [op("a"), op("b", "a"), op("c", waits_end=("a", "b"))],
        ["run a"],
        [(Failed("a"), ["b blocked by a", "run c"]), (Succeeded("c"), ["done"])],
        ends={"c": "succeeded"},
    ),
    Scenario(
        "what is skipped is not in the way",
        [op("a"), op("b", "a")],
        ["run a"],
        [(Skipped("a", "it is there"), ["run b"]), (Succeeded("b"), ["done"])],
        ends={"a": "skipped", "b": "succeeded"},
    ),
    Scenario(
        "fail-fast lets end what runs",
        [op("a"), op("b"), op("c", "b"), op("d", "a")],
        ["run a", "run b"],
        [(Failed("a"), ["d blocked by a"]), (Succeeded("b"), ["done"])],
        ends={"a": "failed", "b": "succeeded", "c": "cancelled", "d": "blocked"},
        fail_fast=True,
        limits=Limits(jobs=2),
    ),
    Scenario(
        "an optional failure blocks what is about the same instance, and nobody who needs that",
        [
            op("a", optional=True, instances=("a",)),
            op("a2", "a", optional=True, instances=("a",)),
            op("link", "a2", instances=("b", "a")),
            op("b", "a2", "link", instances=("b",)),
            op("c", "b", instances=("c",)),
        ],
        ["run a"],
        [
            (Failed("a"), ["a2 blocked by a", "link blocked by a", "run b"]),
            (Succeeded("b"), ["run c"]),
            (Succeeded("c"), ["done"]),
        ],
        ends={"a": "failed", "a2": "blocked", "link": "blocked", "b": "succeeded", "c": "succeeded"},
    ),
    Scenario(
        "an operation of a link that fails by itself is a failure, however optional its target is",
        [
            op("a", optional=True, instances=("a",)),
            op("link", "a", instances=("b", "a")),
            op("b", "a", "link", instances=("b",)),
        ],
        ["run a"],
        [(Succeeded("a"), ["run link"]), (Failed("link"), ["b blocked by link", "done"])],
    ),
    Scenario(
        "what a failure blocks stays blocked, whatever optional fails beside it",
        [op("a"), op("o", optional=True, instances=("o",)), op("b", "a", "o", instances=("b",)), op("c", "b")],
        ["run a", "run o"],
        [(Failed("a"), ["b blocked by a", "c blocked by a"]), (Failed("o"), ["done"])],
        limits=Limits(jobs=2),
    ),
    Scenario(
        "an optional failure does not end a job that fails fast",
        [op("o", optional=True, instances=("o",)), op("b", "o", instances=("b",))],
        ["run o"],
        [(TimedOut("o"), ["run b"]), (Succeeded("b"), ["done"])],
        fail_fast=True,
    ),
    Scenario(
        "what an optional operation waits for in vain is no failure for others",
        [op("o", optional=True, instances=("o",)), op("b", "o", instances=("b",))],
        ["run o"],
        [(Deferred("o", references=("db.url",)), ["o blocked by db.url", "run b"]), (Succeeded("b"), ["done"])],
    ),
    Scenario(
        "who comes late finds that an optional failure is none",
        [op("o", optional=True, instances=("o",)), op("z")],
        ["run o", "run z"],
        [
            (Failed("o"), []),
            (OperationsAdded((op("b", "o", instances=("b",)),)), ["run b"]),
            ((Succeeded("b"), Succeeded("z")), ["done"]),
        ],
        limits=Limits(jobs=2),
    ),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    follow(scenario)


def test_what_ends_without_a_run_is_told_before_what_follows_runs() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a"), op("c", waits_end=("b",)))))
    assert scheduler.handle(Failed("a")) == [Blocked("b", ("a",)), Run("c", 1)]
    assert scheduler.handle(Cancelled("c", "no")) == [Cancelled("c", "no"), Done(None)]
