"""The scheduler: values and operations that are waited for."""

from __future__ import annotations

import pytest

from ansible_ensemble.execution.events import Deferred, Failed, OperationsAdded, Provided, Succeeded
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import State
from tests.unit.execution.scenarios import Scenario, follow, op

SCENARIOS = [
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
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    follow(scenario)


def test_what_waits_for_what() -> None:
    scheduler = Scheduler()
    scheduler.handle(OperationsAdded((op("a"), op("b", "a", waits_end=("z",)))))
    assert scheduler.waits("b") == ("a", "z")
    assert scheduler.waits("a") == ()
    assert (scheduler.state("a"), scheduler.state("b")) == (State.RUNNING, State.WAITING)
