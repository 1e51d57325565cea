from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from ansible_ensemble.core import clock

MOMENT = datetime(2024, 1, 31, 23, 33, 37, 96546, UTC)


def test_forms() -> None:
    assert clock.job_time(MOMENT) == "2024-01-31-23-33-37-096546"
    assert clock.file_time(MOMENT) == "2024-01-31-23-33-37"
    assert clock.iso_time(MOMENT) == "2024-01-31T23:33:37Z"


def test_other_time_zones_become_utc() -> None:
    assert clock.job_time(MOMENT.astimezone(timezone(timedelta(hours=-8)))) == clock.job_time(MOMENT)


def test_now_is_in_utc() -> None:
    assert clock.now().utcoffset() == timedelta(0)
