"""The slots that an operation takes while it runs: one on its host, and one in the serial groups that it names."""

from __future__ import annotations

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.execution.events import Placed

#: The serial group that each host has one of.
PER_HOST = "host"
_CONTROLLER = "localhost"


def slots_of(task: JobTask, *, limited: bool) -> Placed | None:
    """What the scheduler has to know of a rendered operation; None if that is nothing new.

    The controller is no host in the sense of a limit per host: how many operations run there is the job's own limit.

    Raises:
        Deferred: it needs a live attribute that is not set yet.
        InvalidInput: there is no such host, or `serial` names no groups.
    """
    names = _serial(task)
    if not names and not limited:
        return None
    host = task.host.name if limited or PER_HOST in names else None
    groups = (f"{PER_HOST} {host}" if name == PER_HOST else name for name in names)
    return Placed(
        task.planned.key,
        host if limited and host != _CONTROLLER else None,
        tuple(dict.fromkeys((*task.planned.serial, *groups))),
    )


def _serial(task: JobTask) -> list[str]:
    """The groups of the implementation's `serial`: a name, or a list of names."""
    value = reveal(task.setting("serial"))
    names = [value] if isinstance(value, str) else value or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise InvalidInput(
            f"the serial of {task.operation.full_name} is {value!r}",
            task.operation.place,
            f'write a name or a list of names; "{PER_HOST}" is one at a time on each host',
        )
    return names
