"""The scheduler: retries, and limits of what runs at once."""

from __future__ import annotations

import pytest

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.execution.events import (
    MAX_BACKOFF,
    Failed,
    Interrupted,
    OperationsAdded,
    Placed,
    RetryAfter,
    RetryDue,
    StopRequested,
    Succeeded,
    TimedOut,
)
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from tests.unit.execution.scenarios import Scenario, follow, op

SCENARIOS = [
    Scenario(
        "retries, with a growing pause",
        [op("a", retries=2, backoff=3.0), op("b", "a")],
        ["run a"],
        [
            (Failed("a"), ["retry a in 3"]),
            (RetryDue("a"), ["run a #2"]),
            (TimedOut("a"), ["retry a in 6"]),
            (RetryDue("a"), ["run a #3"]),
            (Failed("a"), ["b blocked by a", "done"]),
        ],
        ends={"a": "failed"},
    ),
    Scenario(
        "no retry where none helps, nor of what was interrupted",
        [op("a", retries=2), op("b", retries=2)],
        ["run a", "run b"],
        [(Failed("a", "bad input", final=True), []), (Interrupted("b"), ["done"])],
        ends={"a": "failed", "b": "interrupted"},
    ),
    Scenario(
        "an operation that pauses holds no slot",
        [op("a", retries=1), op("b")],
        ["run a"],
        [(Failed("a"), ["retry a in 1", "run b"]), (RetryDue("a"), []), (Succeeded("b"), ["run a #2"])],
        limits=Limits(jobs=1),
    ),
    Scenario(
        "one of a serial group at a time",
        [op("a", groups=("g",)), op("b", groups=("g", "h")), op("c", groups=("h",)), op("d")],
        ["run a", "run c", "run d"],
        [(Succeeded("c"), []), (Succeeded("a"), ["run b"]), (Succeeded("b"), []), (Succeeded("d"), ["done"])],
    ),
    Scenario(
        "a limit per host",
        [op("a"), op("b"), op("c")],
        ["run a", "run b", "run c"],
        [
            ((Placed("a", "x"), Placed("b", "x"), Placed("c", "x")), []),
            (Succeeded("a"), ["run c"]),
            (Succeeded("b"), []),
            (Succeeded("c"), ["done"]),
        ],
        limits=Limits(per_host=2),
    ),
    Scenario(
        "hosts that are known once the operations are rendered",
        [op("a"), op("b"), op("c"), op("d")],
        ["run a", "run b", "run c"],
        [
            (Placed("a", "x"), []),
            (Placed("b", "x"), ["run d"]),
            (Placed("c", "y"), []),
            (Placed("d", None), []),
            (Succeeded("d"), []),
            (Succeeded("a"), ["run b"]),
            (Placed("b", "x"), []),
            (Succeeded("b"), []),
            (Succeeded("c"), ["done"]),
        ],
        limits=Limits(jobs=3, per_host=1),
    ),
    Scenario(
        "a group that is known once the operation is rendered, and one that it leaves",
        [op("a", groups=("g",)), op("b", groups=("g",)), op("c")],
        ["run a", "run c"],
        [(Placed("a", None, ("h",)), ["run b"]), (Placed("c", None, ("h",)), []), (Succeeded("a"), ["run c"])],
    ),
    Scenario(
        "without room on its host, an operation that is to stop does not wait",
        [op("a"), op("b")],
        ["run a", "run b"],
        [(Placed("a", "x"), []), (StopRequested(), []), (Placed("b", "x"), []), (Succeeded("a"), ["done"])],
        limits=Limits(per_host=1),
    ),
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    follow(scenario)


@pytest.mark.parametrize("limits", [{"jobs": 0}, {"per_host": 0}], ids=str)
def test_limits_are_positive(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        Limits(**limits)  # type: ignore[arg-type]


def test_the_pause_before_a_retry_has_an_end() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a", retries=100, backoff=2.0),)))
    for _ in range(50):
        pauses = [i.seconds for i in scheduler.handle(Failed("a")) if isinstance(i, RetryAfter)]
        scheduler.handle(RetryDue("a"))
    assert pauses == [MAX_BACKOFF]
