from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.core import changeid
from ansible_ensemble.core.errors import EnsembleError, InvalidInput

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2081, 12, 30), timezones=st.just(UTC))


def test_known_ids() -> None:
    assert changeid.new_job_id(datetime(2026, 11, 20, 20, 54, 20, 96546, UTC)) == "A6BKKsK50000"
    assert changeid.new_job_id(datetime(2024, 1, 31, 23, 33, 37, 180000, UTC)) == "A41VNXbB0000"


def test_local_time_is_turned_into_utc() -> None:
    berlin = timezone(timedelta(hours=1))
    assert changeid.new_job_id(datetime(2026, 11, 20, 21, 54, 20, 96546, berlin)) == "A6BKKsK50000"


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "A6BKKsK50001"), (255, "A6BKKsK500FF"), (0xFFFF, "A6BKKsK5FFFF"), (0x10000, "A6BKKsK5G010000")],
)
def test_task_ids(number: int, expected: str) -> None:
    change_id = changeid.task_id("A6BKKsK50000", number)
    assert change_id == expected
    assert changeid.is_change_id(change_id)
    assert changeid.job_of(change_id) == "A6BKKsK50000"
    assert not changeid.is_job(change_id)


def test_task_ids_sort_past_the_four_digits() -> None:
    ids = [changeid.task_id("A6BKKsK50000", number) for number in (0, 1, 0xFFFE, 0xFFFF, 0x10000, 0x10001, 0x20000)]
    assert sorted(ids) == ids
    assert ids[-1] < changeid.new_job_id(datetime(2026, 11, 20, 20, 54, 20, 96546, UTC), ids[-1])


@given(MOMENTS, MOMENTS)
def test_ids_sort_as_their_moments(one: datetime, other: datetime) -> None:
    first, second = changeid.new_job_id(one), changeid.new_job_id(other)
    assert (first < second) <= (one < other)
    assert (first > second) <= (one > other)


@given(MOMENTS)
def test_a_moment_read_back_gives_the_same_id(moment: datetime) -> None:
    change_id = changeid.new_job_id(moment)
    assert changeid.new_job_id(changeid.timestamp(change_id)) == change_id
    assert abs(changeid.timestamp(change_id) - moment) < timedelta(seconds=1 / 61)


@given(MOMENTS, st.timedeltas(timedelta(days=-400), timedelta(days=400)))
def test_a_new_id_sorts_behind_the_previous_whatever_the_clock_does(moment: datetime, jump: timedelta) -> None:
    previous = changeid.new_job_id(moment)
    later = min(max(moment + jump, datetime(2020, 1, 1, tzinfo=UTC)), datetime(2081, 12, 31, tzinfo=UTC))
    assert changeid.new_job_id(later, previous) > previous


def test_ids_of_the_same_moment_are_distinct() -> None:
    moment, previous, seen = datetime(2026, 12, 31, 23, 59, 59, 990000, UTC), None, set()
    for _ in range(200):
        previous = changeid.new_job_id(moment, previous)
        seen.add(previous)
    assert len(seen) == 200
    assert changeid.timestamp(max(seen)).year == 2027


def test_two_clones_that_follow_a_clock_that_ran_ahead_take_ids_of_their_own() -> None:
    now = datetime(2026, 11, 20, 20, 54, 20, 96546, UTC)
    ahead = changeid.new_job_id(now + timedelta(minutes=10))
    ids = [changeid.new_job_id(now, ahead) for _ in range(100)]
    assert min(ids) > ahead
    assert len(set(ids)) > 90
    assert changeid.timestamp(max(ids)) <= now + timedelta(minutes=21)


@pytest.mark.parametrize(
    "text",
    ["", "A", "hello", "A6BKKsK5", "A6BKKsK5000", "A6BKKsK5000g", "A6ZKKsK50000", "B6BKKsK50000", "A6BKKsK50000\n"],
)
def test_what_is_no_id(text: str) -> None:
    with pytest.raises(InvalidInput):
        changeid.timestamp(text)


@pytest.mark.parametrize("year", [1970, 2019, 2082])
def test_a_clock_far_off_is_named(year: int) -> None:
    with pytest.raises(EnsembleError, match=str(year)):
        changeid.new_job_id(datetime(year, 1, 1, tzinfo=UTC))
