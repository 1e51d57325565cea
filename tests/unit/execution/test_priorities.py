"""Longest paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.execution.events import ScheduledOperation
from ansible_ensemble.execution.priorities import longest_paths


@given(
    count=st.integers(1, 12),
    waits=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.booleans())),
)
def test_the_longest_path_behind_each(count: int, waits: list[tuple[int, int, bool]]) -> None:
    edges = {(a % count, b % count, kind) for a, b, kind in waits if a % count < b % count}
    operations = [
        ScheduledOperation(
            f"k{number}",
            waits_for=tuple(f"k{a}" for a, b, kind in edges if b == number and kind),
            waits_end=tuple(f"k{a}" for a, b, kind in edges if b == number and not kind),
        )
        for number in range(count)
    ]

    def longest(number: int) -> int:
        return 1 + max((longest(b) for a, b, _ in edges if a == number), default=0)

    assert longest_paths(operations[::-1]) == {f"k{number}": longest(number) for number in range(count)}


def test_rings_and_strangers_do_no_harm() -> None:
    ring = [ScheduledOperation("a", ("b",)), ScheduledOperation("b", ("a", "stranger"))]
    behind = ScheduledOperation("c", ("b",))
    assert longest_paths([*ring, behind]) == {"a": 1, "b": 1, "c": 1}


def test_a_long_chain() -> None:
    chain = [ScheduledOperation(str(n), (str(n - 1),) if n else ()) for n in range(50_000)]
    assert longest_paths(chain)["0"] == 50_000
