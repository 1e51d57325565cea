"""How often a failed operation is tried again."""

from __future__ import annotations

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.language.scalars import seconds
from ansible_ensemble.planning.planned_operation import Retry

#: Keys of an implementation that name the pause before the first retry; both mean the same.
_PAUSES = ("delay", "backoff")


def retry_of(operation: Operation | None) -> Retry:
    """How often an operation is tried again.

    An implementation's `retries` counts the attempts after the first, `delay` (or `backoff`) is the pause before the
    second, doubled with each further one. Beside `until` they are Ansible's keywords, whose loop is the task's own.

    Raises:
        InvalidInput: one of them is no number.
    """
    settings = operation.implementation.settings if operation and operation.implementation else {}
    if "retries" not in settings or "until" in settings:
        return Retry()
    assert operation is not None
    retries = settings["retries"]
    if not isinstance(retries, int) or isinstance(retries, bool) or retries < 0:
        raise InvalidInput(
            f"the retries of {operation.full_name} are {retries!r}", operation.place, "write a whole number, 0 or more"
        )
    retry = Retry(retries)
    for name in _PAUSES:
        if name in settings:
            pause = seconds(settings[name])
            if pause is None or not 0 <= pause < float("inf"):
                raise InvalidInput(
                    f"the {name} of {operation.full_name} is not a duration", operation.place, "write seconds, or '5 s'"
                )
            retry = Retry(retries, pause)
    return retry
