"""The slots that an operation takes while it runs: one on its host, and one in the serial groups that it names."""

from __future__ import annotations

from ansible_ensemble.configurators.keywords import PER_HOST, serial_groups
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.engine.task import JobTask
from ansible_ensemble.execution.events import Placed

_CONTROLLER = "localhost"


def slots_of(task: JobTask, *, limited: bool) -> Placed | None:
    """The slots of a rendered operation; None if they are as planned.

    The controller is no host in the sense of a limit per host: how many operations run there is the job's own limit.

    Raises:
        Deferred: it needs a live attribute that is not set yet.
    """
    names = serial_groups(reveal(task.setting("serial")), task.operation)
    if not names and not limited:
        return None
    host = task.host.name if limited or PER_HOST in names else None
    groups = (f"{PER_HOST} {host}" if name == PER_HOST else name for name in names)
    return Placed(
        task.planned.key,
        host if limited and host != _CONTROLLER else None,
        tuple(dict.fromkeys((*task.planned.serial, *groups))),
    )
