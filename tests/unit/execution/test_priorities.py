"""Longest paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.execution.events import ScheduledOperation
from ansible_ensemble.execution.priorities import longest_paths


@given(
    weights=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    waits=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.booleans())),
)
def test_the_longest_path_behind_each(weights: list[int], waits: list[tuple[int, int, bool]]) -> None:
    edges = {(a % len(weights), b % len(weights), kind) for a, b, kind in waits if a % len(weights) < b % len(weights)}
    operations = [
        ScheduledOperation(
            f"k{number}",
            waits_for=tuple(f"k{a}" for a, b, kind in edges if b == number and kind),
            waits_end=tuple(f"k{a}" for a, b, kind in edges if b == number and not kind),
            weight=float(weight),
        )
        for number, weight in enumerate(weights)
    ]

    def longest(number: int) -> float:
        return weights[number] + max((longest(b) for a, b, _ in edges if a == number), default=0.0)

    assert longest_paths(operations[::-1]) == {f"k{number}": longest(number) for number in range(len(weights))}


def test_rings_and_strangers_do_no_harm() -> None:
    ring = [ScheduledOperation("a", ("b",), weight=2.0), ScheduledOperation("b", ("a", "stranger"), weight=3.0)]
    behind = ScheduledOperation("c", ("b",), weight=4.0)
    assert longest_paths([*ring, behind]) == {"a": 2.0, "b": 3.0, "c": 4.0}


def test_a_long_chain() -> None:
    chain = [ScheduledOperation(str(n), (str(n - 1),) if n else ()) for n in range(50_000)]
    assert longest_paths(chain)["0"] == 50_000.0
