"""What may not be deleted or changed: objects that others name, that came with content, and jobs that may still run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.job_end import ENDED
from ansible_ensemble.provision.rules.refusal import Refused, invalid

#: The kinds of objects that preferences name.
PREFERRED = {
    "defaultStage": "stages",
    "defaultBootEnv": "bootenvs",
    "unknownBootEnv": "bootenvs",
    "defaultWorkflow": "workflows",
}


def refuse_in_use(gone: Object, referrers: Iterable[Object], preferences: Mapping[str, str]) -> None:
    """Refuse to delete an object that others name; the definition of a param is not needed by its values.

    Raises:
        Refused: 409, `StillInUseError`, with a line for each use.
    """
    uses = [] if gone.PREFIX == "params" else [*_uses(gone, referrers), *_preferring(gone, preferences)]
    if uses:
        raise Refused(409, *uses, type="StillInUseError", model=gone.PREFIX, key=gone.key)


def refuse_read_only(kept: Object, method: str) -> None:
    """Refuse to change or delete what is built in or came with content."""
    if kept.read_only:
        raise Refused(403, f"{kept.PREFIX} {kept.key} is read-only", type=method, model=kept.PREFIX, key=kept.key)


def refuse_undeletable_job(job: Job, machine: Machine | None) -> None:
    """Refuse to delete a job that may still run: not ended, and the current one of a machine that is there."""
    if job.state not in ENDED and machine is not None and machine.current_job == job.uuid:
        message = f"Jobs {job.uuid} is not in a deletable state: {job.state}"
        raise invalid(message, model=job.PREFIX, key=job.key)


def _uses(gone: Object, referrers: Iterable[Object]) -> Iterator[str]:
    for referrer in referrers:
        if referrer.PREFIX == gone.PREFIX == "tasks":
            continue  # which lacks its prerequisite then, and is not available
        itself = (referrer.PREFIX, referrer.key) == (gone.PREFIX, gone.key)
        if not itself and (gone.PREFIX, gone.key) in referrer.references():
            yield f"{gone.key} is in use by {referrer.PREFIX} {getattr(referrer, 'name', '') or referrer.key}"


def _preferring(gone: Object, preferences: Mapping[str, str]) -> Iterator[str]:
    for name, prefix in PREFERRED.items():
        if prefix == gone.PREFIX and preferences.get(name) == gone.key:
            yield f"{gone.key} is in use by preference {name}"
