"""The scheduler: the order of operations, and what it refuses."""

from __future__ import annotations

import random
from collections import deque

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.execution.events import Failed, Instruction, OperationsAdded, Placed, Run, Started, Succeeded
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import ENDED, MOVES, InvalidTransition, State
from tests.unit.execution.scenarios import Scenario, follow, op

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
]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenario(scenario: Scenario) -> None:
    follow(scenario)


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
