"""Which node of a mesh takes the next operation."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ansible_ensemble.execution.events import (
    Misplaced,
    NodeLeft,
    NodesKnown,
    OperationsAdded,
    Run,
    ScheduledOperation,
    Started,
    Succeeded,
)
from ansible_ensemble.execution.places import Places
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.states import State


def test_the_node_with_the_least_to_do_is_next() -> None:
    places = Places(2)
    places.know("b*", ("b1", "b2"))
    assert [places.take("b*") for _ in range(3)] == ["b1", "b2", "b1"]
    places.give_back("b2")
    assert [places.take("b*") for _ in range(3)] == ["b2", "b2", None]
    assert (places.is_full("b*"), places.free("b*")) == (True, 0)


def test_of_nodes_that_are_not_known_nobody_can_tell() -> None:
    places = Places(2)
    assert (places.take("b*"), places.is_full("b*")) == (None, False)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_always_a_least_one_whatever_happened(seed: int) -> None:
    chance, places, taken = random.Random(seed), Places(3), Counter[str]()
    known = {"b*": ("b1", "b2", "b3"), "*": ("a", "b1", "b2", "b3"), "b1": ("b1",)}
    for pattern, nodes in known.items():
        places.know(pattern, nodes)
    for _ in range(300):
        pattern = chance.choice(sorted(known))
        if chance.random() < 0.5 and (full := +taken):
            node = chance.choice(sorted(full))
            places.give_back(node)
            taken[node] -= 1
            continue
        least = min(taken[node] for node in known[pattern])
        assert places.is_full(pattern) == (least == 3)
        found = places.take(pattern)
        assert (found is None) == (least == 3)
        if found is not None:
            assert taken[found] == least
            taken[found] += 1


def scheduled(*nodes: str | None) -> OperationsAdded:
    return OperationsAdded(tuple(ScheduledOperation(f"k{index}", nodes=one) for index, one in enumerate(nodes)))


def run(instructions: list) -> list[str]:
    return [one.key for one in instructions if isinstance(one, Run)]


def test_what_waits_for_a_full_node_takes_no_slot_of_the_job() -> None:
    scheduler = Scheduler(Limits(jobs=4, per_node=1))
    known = NodesKnown("b1", ("b1",)), NodesKnown("b2", ("b2",))
    assert run(scheduler.handle(*known, scheduled("b1", "b1", "b1", "b1", "b2", None))) == ["k0", "k4", "k5"]
    assert (scheduler.place("k0"), scheduler.place("k4"), scheduler.place("k5")) == ("b1", "b2", None)
    assert scheduler.waits("k1") == ("a slot on b1",)
    assert run(scheduler.handle(Started("k4"), Succeeded("k4"))) == []
    assert run(scheduler.handle(Started("k0"), Succeeded("k0"))) == ["k1"]


def test_what_is_begun_before_nodes_are_known_is_given_one_or_put_back() -> None:
    scheduler = Scheduler(Limits(jobs=3, per_node=1))
    assert run(scheduler.handle(scheduled("b*", "b*", "b*", None))) == ["k0", "k1", "k2"]
    scheduler.handle(NodesKnown("b*", ("b1", "b2")))
    assert [run(scheduler.handle(Misplaced(key))) for key in ("k0", "k1", "k2")] == [[], [], ["k3"]]
    assert [scheduler.place(key) for key in ("k0", "k1")] == ["b1", "b2"]
    assert scheduler.state("k2") is State.READY
    again = scheduler.handle(Started("k1"), Succeeded("k1"))
    assert [(one.key, one.attempt) for one in again if isinstance(one, Run)] == [("k2", 1)]


def test_what_its_node_cannot_take_any_more_goes_to_another() -> None:
    scheduler = Scheduler(Limits(per_node=1))
    scheduler.handle(NodesKnown("b*", ("b1", "b2")), scheduled("b*"))
    scheduler.handle(NodesKnown("b*", ("b2",)), Misplaced("k0"))
    assert scheduler.place("k0") == "b2"


def test_nodes_that_come_take_what_waits() -> None:
    scheduler = Scheduler(Limits(per_node=1))
    assert run(scheduler.handle(NodesKnown("b*", ("b1",)), scheduled("b*", "b*", "b*"))) == ["k0"]
    assert run(scheduler.handle(NodesKnown("b*", ("b1", "b2", "b3")))) == ["k1", "k2"]


def test_a_part_of_an_operation_takes_a_place() -> None:
    scheduler = Scheduler(Limits(per_node=1))
    scheduler.handle(NodesKnown("b1", ("b1",)), scheduled(None))
    assert (scheduler.take("b1"), scheduler.take("b1")) == ("b1", None)
    more = OperationsAdded((ScheduledOperation("more", nodes="b1"),))
    assert run(scheduler.handle(more)) == []
    assert run(scheduler.handle(NodeLeft("b1"))) == ["more"]
