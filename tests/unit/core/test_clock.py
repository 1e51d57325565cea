from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ansible_ensemble.core import clock
from ansible_ensemble.core.errors import InvalidInput

MOMENT = datetime(2024, 1, 31, 23, 33, 37, 96546, UTC)


def test_forms() -> None:
    assert clock.job_time(MOMENT) == "2024-01-31-23-33-37-096546"
    assert clock.file_time(MOMENT) == "2024-01-31-23-33-37"
    assert clock.iso_time(MOMENT) == "2024-01-31T23:33:37Z"


def test_other_time_zones_become_utc() -> None:
    assert clock.job_time(MOMENT.astimezone(timezone(timedelta(hours=-8)))) == clock.job_time(MOMENT)


def test_job_time_is_read_back() -> None:
    assert clock.parse_job_time(clock.job_time(MOMENT)) == MOMENT


def test_now_is_in_utc() -> None:
    assert clock.now().utcoffset() == timedelta(0)


@pytest.mark.parametrize("text", ["", "2024-01-31", "2024-13-31-23-33-37-096546"])
def test_what_is_no_job_time(text: str) -> None:
    with pytest.raises(InvalidInput):
        clock.parse_job_time(text)
