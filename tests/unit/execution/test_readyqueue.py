"""The queue of ready operations."""

from __future__ import annotations

from ansible_ensemble.execution.readyqueue import Limits, ReadyQueue


def filled(limits: Limits, *operations: tuple[str, str | None, tuple[str, ...]]) -> ReadyQueue:
    queue = ReadyQueue(limits)
    for number, (key, host, groups) in enumerate(operations):
        queue.push(key, (0, number), host, groups)
    return queue


def popped(queue: ReadyQueue) -> list[str]:
    keys = []
    while (found := queue.pop()) is not None:
        keys.append(found[0])
    return keys


def test_the_best_comes_first_whenever_it_was_added() -> None:
    queue = ReadyQueue(Limits())
    for key, priority in {"b": (-1, 1), "c": (0, 2), "a": (-5, 3)}.items():
        queue.push(key, priority, None, ())
    assert popped(queue) == ["a", "b", "c"]
    assert len(queue) == 0


def test_each_freed_slot_lets_one_in() -> None:
    queue = filled(Limits(per_host=2), *((f"k{n}", "h", ()) for n in range(5)))
    assert popped(queue) == ["k0", "k1"]
    queue.release("h", ())
    queue.release("h", ())
    assert popped(queue) == ["k2", "k3"]
    assert len(queue) == 1


def test_one_that_needs_a_second_full_slot_lets_the_next_pass() -> None:
    queue = filled(Limits(), ("a", None, ("g",)), ("b", None, ("h",)), ("c", None, ("g", "h")), ("d", None, ("g",)))
    assert popped(queue) == ["a", "b"]
    queue.release(None, ("g",))
    assert popped(queue) == ["d"], "c still needs h"
    queue.release(None, ("h",))
    assert popped(queue) == []
    queue.release(None, ("g",))
    assert popped(queue) == ["c"]


def test_a_discarded_one_passes_its_slot_on() -> None:
    queue = filled(Limits(), ("a", None, ("g",)), ("b", None, ("g",)), ("c", None, ("g",)), ("d", None, ("g",)))
    assert popped(queue) == ["a"]
    queue.discard("b")
    queue.release(None, ("g",))
    queue.discard("c")
    assert popped(queue) == ["d"]
    assert popped(queue) == []


def test_hosts_are_free_of_limits_unless_one_is_set() -> None:
    assert popped(filled(Limits(), *((f"k{n}", "h", ()) for n in range(3)))) == ["k0", "k1", "k2"]
    assert popped(filled(Limits(per_host=1), ("a", "x", ()), ("b", "x", ()), ("c", None, ()))) == ["a", "c"]
