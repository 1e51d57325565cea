"""Change ids: sortable names of jobs and their tasks (docs/rules.md, "Change ids").

A change id is `A`, seven base-62 digits of the time (years since 2020, month, day, hour, minute, second, 1/62 second,
all in UTC), then the number of the task in its job as four hexadecimal digits; `0000` is the job itself. A job of more
than 65535 tasks continues with `G` and six hexadecimal digits, which still sorts behind all others of the job.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.regex import regex

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FIRST_YEAR = 2020
_LAST_YEAR = _FIRST_YEAR + len(_DIGITS) - 1
_SECOND = 1_000_000
_STAMP_LENGTH = 8
#: just over 1/62 second, so that a step from any moment ends in the next 1/62 second
_STEP = timedelta(microseconds=_SECOND // len(_DIGITS) + 1)
#: Of so many steps one is taken if the clock does not give the next id: two clones that follow the same job whose
#: clock ran ahead must not both take the next one.
_STEPS = 600 * len(_DIGITS)
#: Jobs of one ensemble that begin so close together are no sign of a clock that ran ahead.
_AT_ONCE = timedelta(seconds=5)
_PATTERN = regex(r"A[0-9A-Za-z]{7}(?:[0-9A-Fa-f]{4}|G[0-9A-F]{6})\Z")


def is_change_id(text: str) -> bool:
    """Whether the text has the form of a change id."""
    return _PATTERN.match(text) is not None


def new_job_id(now: datetime, previous: str | None = None) -> str:
    """The id of a job that starts now.

    Args:
        now: an aware moment.
        previous: the id of the ensemble's newest job; the new id sorts behind it even if both start in the same
            1/62 second or the clock was set back; after the latter it is one of many within ten minutes, by chance.
    """
    import secrets

    stamp = _encode(now.astimezone(UTC))
    if previous is not None:
        last = previous[:_STAMP_LENGTH]
        if stamp <= last:
            ahead = timestamp(previous) - now > _AT_ONCE
            stamp = _encode(timestamp(previous) + _STEP * (1 + (secrets.randbelow(_STEPS) if ahead else 0)))
    return stamp + "0000"


def task_id(job_id: str, number: int) -> str:
    """The id of a job's task; tasks count from 1."""
    suffix = f"{number:04X}" if number <= 0xFFFF else f"G{number:06X}"
    return job_id[:_STAMP_LENGTH] + suffix


def job_of(change_id: str) -> str:
    """The id of the job that a task belongs to; of a job, its own."""
    if not is_change_id(change_id):
        raise _no_id(change_id)
    return change_id[:_STAMP_LENGTH] + "0000"


def is_job(change_id: str) -> bool:
    """Whether the id is a job's."""
    return change_id.endswith("0000") and len(change_id) == _STAMP_LENGTH + 4


def timestamp(change_id: str) -> datetime:
    """The time of an id, in UTC, to 1/62 second."""
    if is_change_id(change_id):
        year, month, day, hour, minute, second, fraction = (_DIGITS.index(digit) for digit in change_id[1:8])
        # rounded up, so that the moment gives the same id again
        microsecond = -(-fraction * _SECOND // len(_DIGITS))
        try:
            return datetime(_FIRST_YEAR + year, month, day, hour, minute, second, microsecond, tzinfo=UTC)
        except ValueError:
            pass
    raise _no_id(change_id)


def _no_id(text: str) -> InvalidInput:
    return InvalidInput(f"{text!r} is not a change id", hint="an id looks like A6BKKsK50001; see `history`")


def _encode(moment: datetime) -> str:
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise EnsembleError(
            f"the system clock is in the year {moment.year}; change ids support {_FIRST_YEAR} to {_LAST_YEAR}",
            hint="set the clock of this machine",
        )
    fraction = moment.microsecond * len(_DIGITS) // _SECOND
    parts = (moment.year - _FIRST_YEAR, moment.month, moment.day, moment.hour, moment.minute, moment.second, fraction)
    return "A" + "".join(_DIGITS[part] for part in parts)
