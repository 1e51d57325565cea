"""The scheduler: scenarios, each a script of events and what they lead to."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

import pytest

from ansible_ensemble.core.errors import EnsembleError, UsageError
from ansible_ensemble.execution.events import (
    MAX_BACKOFF,
    Blocked,
    Cancelled,
    CancelRunning,
    Deferred,
    Done,
    Event,
    Failed,
    Instruction,
    Interrupted,
    KillRequested,
    OperationsAdded,
    Placed,
    Provided,
    RetryAfter,
    RetryDue,
    Run,
    ScheduledOperation,
    Skipped,
    Started,
    StopRequested,
    Succeeded,
    TimedOut,
)
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import ENDED, MOVES, InvalidTransition, State


def op(key: str, *waits_for: str, **more: object) -> ScheduledOperation:
    return ScheduledOperation(key, waits_for=waits_for, **more)  # type: ignore[arg-type]


def shown(instructions: list[Instruction]) -> list[str]:
    """Instructions in a few words each, but for `Cancelled`."""
    words = []
    for instruction in instructions:
        match instruction:
            case Run(key, attempt):
                words.append(f"run {key}" + (f" #{attempt}" if attempt > 1 else ""))
            case RetryAfter(key, seconds):
                words.append(f"retry {key} in {seconds:g}")
            case CancelRunning(keys):
                words.append("cancel " + " ".join(keys))
            case Blocked(key, by):
                words.append(f"{key} blocked by {' '.join(by)}")
            case Done():
                words.append("done")
    return words


@dataclass
class Scenario:
    name: str
    operations: list[ScheduledOperation]
    first: list[str]
    steps: list[tuple[Event | tuple[Event, ...], list[str]]]
    ends: dict[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    fail_fast: bool = False


SCENARIOS = [
    Scenario("nothing to do", [], ["done"], []),
    Scenario(
        "a chain",
        [op("c", "b"), op("a"), op("b", "a")],
        ["run a"],
        [(Succeeded("a"), ["run b"]), (Succeeded("b"), ["run c"]), (Succeeded("c"), ["done"])],
    ),
    Scenario(
        "the longest path goes first, then the order of the plan",
        [op("x"), op("a"), op("y"), op("b", "a"), op("c"), op("d", "c"), op("e", "d")],
        ["run c"],
        [
            (Succeeded("c"), ["run a"]),
            (Succeeded("a"), ["run d"]),
            (Succeeded("d"), ["run x"]),
            (Succeeded("x"), ["run y"]),
            (Succeeded("y"), ["run b"]),
        ],
        limits=Limits(jobs=1),
    ),
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
        "what brings a value goes before what it needs, if that asks for the value",
        [
            op("volume", instances=("volume",)),
            op("between", "volume", instances=("between",)),
            op("server", "between", instances=("server",)),
            op("server2", "server", "between", instances=("server",)),
        ],
        ["run volume"],
        [
            (Deferred("volume", references=("server.ip",)), ["run server"]),
            ((Succeeded("server"), Provided(("server.ip",))), ["run volume"]),
            (Succeeded("volume"), ["run between"]),
            (Succeeded("between"), ["run server2"]),
            (Succeeded("server2"), ["done"]),
        ],
        limits=Limits(jobs=1),
    ),
    Scenario(
        "what has gone before what it needs is not blocked by its failure",
        [op("volume", instances=("volume",)), op("server", "volume", instances=("server",)), op("last", "server")],
        ["run volume"],
        [
            (Deferred("volume", references=("server.ip",)), ["run server"]),
            (Provided(("server.ip",)), ["run volume"]),
            (Failed("volume"), []),
            (Succeeded("server"), ["run last"]),
            (Succeeded("last"), ["done"]),
        ],
        limits=Limits(jobs=2),
    ),
    Scenario(
        "two that ask for each other are blocked both",
        [op("volume", instances=("volume",)), op("server", "volume", instances=("server",))],
        ["run volume"],
        [
            (Deferred("volume", references=("server.ip",)), ["run server"]),
            (
                Deferred("server", references=("volume.id",)),
                ["volume blocked by server.ip", "server blocked by volume.id", "done"],
            ),
        ],
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
    Scenario(
        "operations that appear with the end of another",
        [op("a"), op("z", "new")],
        ["run a"],
        [
            ((Succeeded("a"), OperationsAdded((op("new", "a"),))), ["run new"]),
            (Succeeded("new"), ["run z"]),
            (Succeeded("z"), ["done"]),
        ],
    ),
    Scenario(
        "what can't be rendered waits for a value",
        [op("a"), op("b")],
        ["run a", "run b"],
        [
            (Deferred("a", references=("::b::url",)), []),
            ((Succeeded("b"), Provided(("::b::url",))), ["run a"]),
            (Succeeded("a"), ["done"]),
        ],
    ),
    Scenario(
        "a value that came just before is tried; if it is no use, the next is waited for",
        [op("a"), op("b")],
        ["run a", "run b"],
        [
            (Provided(("r",)), []),
            (Deferred("a", references=("r",)), ["run a"]),
            (Deferred("a", references=("r",)), []),
            (Provided(("r",)), ["run a"]),
            (Deferred("a", references=("r",)), []),
            (Succeeded("b"), ["a blocked by r", "done"]),
        ],
        ends={"a": "blocked"},
    ),
    Scenario(
        "an operation that waits for nothing it can name",
        [op("a")],
        ["run a"],
        [(Deferred("a", ()), ["a blocked by ", "done"])],
        ends={"a": "blocked"},
    ),
    Scenario(
        "a ring, beside what runs",
        [op("a", "b"), op("b", "c"), op("c", "a"), op("d", "a"), op("e")],
        ["run e"],
        [(Succeeded("e"), ["a blocked by b", "b blocked by c", "c blocked by a", "d blocked by b", "done"])],
    ),
    Scenario(
        "a ring lets those go on that need only its end",
        [op("last", waits_end=("a",)), op("a", "b"), op("b", "a")],
        ["a blocked by b", "b blocked by a", "run last"],
        [(Succeeded("last"), ["done"])],
    ),
    Scenario(
        "an operation that never comes",
        [op("a", "never"), op("b", "a")],
        ["a blocked by never", "b blocked by never", "done"],
        [],
    ),
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
    scheduler = Scheduler(scenario.limits, fail_fast=scenario.fail_fast)
    assert shown(scheduler.handle(OperationsAdded(tuple(scenario.operations)))) == scenario.first
    for happened, expected in scenario.steps:
        what = happened if isinstance(happened, tuple) else (happened,)
        assert shown(scheduler.handle(*what)) == expected, what
    assert {key: scheduler.state(key).value for key in scenario.ends} == scenario.ends


def test_what_ends_without_a_run_is_told_before_what_follows_runs() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a"), op("c", waits_end=("b",)))))
    assert scheduler.handle(Failed("a")) == [Blocked("b", ("a",)), Run("c", 1)]
    assert scheduler.handle(Cancelled("c", "no")) == [Cancelled("c", "no"), Done(None)]


def test_a_stopped_job_says_why() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a"))))
    assert scheduler.handle(StopRequested("a signal")) == [Cancelled("b", "a signal")]
    assert scheduler.handle(Succeeded("a")) == [Done("a signal")]


def test_what_waits_for_what() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a", waits_end=("z",)))))
    assert scheduler.waits("b") == ("a", "z")
    assert scheduler.waits("a") == ()
    assert (scheduler.state("a"), scheduler.state("b")) == (State.RUNNING, State.WAITING)


def test_an_event_out_of_place_tells_the_story() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a"))))
    scheduler.handle(Failed("a", "no space"))
    with pytest.raises(InvalidTransition, match=r"a: Succeeded while it is failed; .*ready > running > failed \(no sp"):
        scheduler.handle(Succeeded("a"))
    with pytest.raises(InvalidTransition, match="c: Started for an operation that is not known"):
        scheduler.handle(Started("c"))
    with pytest.raises(InvalidTransition, match="after the end of the job"):
        scheduler.handle(OperationsAdded((op("late"),)))


def test_an_operation_twice() -> None:
    with pytest.raises(EnsembleError, match="operation a is in the job twice"):
        Scheduler().handle(OperationsAdded((op("a"), op("a"))))


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


def test_nothing_follows_an_end() -> None:
    assert all(not MOVES[state] for state in ENDED)
    assert set(MOVES) == set(State)


@pytest.mark.parametrize("shape", ["layers", "chain", "one host", "groups"])
def test_ten_thousand_operations_each_run_once_and_in_order(shape: str) -> None:
    """A quadratic scheduler would not get through this before the suite's timeout."""
    chance = random.Random(7)
    operations = []
    for number in range(10_000):
        waits: tuple[str, ...] = ()
        if shape == "chain" and number:
            waits = (f"k{number - 1}",)
        elif shape == "layers" and number >= 100:
            waits = tuple(f"k{(number // 100 - 1) * 100 + chance.randrange(100)}" for _ in range(5))
        groups = (f"g{number % 50}", f"q{number % 3}") if shape == "groups" else ()
        operations.append(op(f"k{number}", *waits, groups=groups))
    scheduler = Scheduler(Limits(jobs=20, per_host=3))
    instructions = scheduler.handle(OperationsAdded(tuple(operations)))
    ended: set[str] = set()
    needs = {operation.key: set(operation.waits_for) for operation in operations}
    running: list[str] = []

    def take(instructions: list[Instruction]) -> None:
        """Begin what is to run; on which host each operation is, shows when it is rendered."""
        open_ones = deque(instructions)
        while open_ones:
            item = open_ones.popleft()
            if isinstance(item, Run):
                open_ones += scheduler.handle(Placed(item.key, "h")) if shape == "one host" else ()
                if scheduler.state(item.key) is State.RUNNING:
                    running.append(item.key)

    take(instructions)
    while running:
        key = running.pop(chance.randrange(len(running)))
        assert key not in ended
        assert needs[key] <= ended
        ended.add(key)
        take(scheduler.handle(Succeeded(key)))
    assert len(ended) == 10_000
