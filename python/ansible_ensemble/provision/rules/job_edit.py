"""What a request to change a job makes of it and of its machine; the result of an action that the server ran."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from ansible_ensemble.provision.objects.base import ZERO_TIME
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.availability import refuse_invalid, validated
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.job_end import ENDED, after_failure, after_finish, ended_job, without_retry
from ansible_ensemble.provision.rules.moment import wire_time
from ansible_ensemble.provision.rules.next_job import Decision
from ansible_ensemble.provision.rules.refusal import invalid

#: What a request can change of a job; all else is the server's.
_CHANGEABLE = ("state", "exit_state", "meta")


class JobEdit(Struct, frozen=True):
    """A job after a request to change it, and its machine after that, if it is there."""

    job: Job
    machine: Machine | None


def edited_job(before: Job, asked: Job, machine: Machine | None, catalog: Catalog, now: datetime) -> JobEdit:
    """The job after a request to change it, and what that does to its machine.

    Raises:
        Refused: 422; a state is none, or the job ended and its machine went on.
    """
    after = before.replaced(**{name: getattr(asked, name) for name in _CHANGEABLE})
    after = validated(after, catalog)
    refuse_invalid(after)
    if after.state == before.state:
        return JobEdit(after, machine)
    if before.state in ENDED and not _is_at(machine, before):
        raise invalid(f"Job {before.uuid} has ended, and its machine went on", model=before.PREFIX, key=before.key)
    return _entered(without_retry(after), machine, catalog, now)


def action_ended(
    machine: Machine, job: Job, output: str, catalog: Catalog, *, now: datetime, succeeded: bool
) -> Decision:
    """The answer to a request for the next job that was an action: its job, if it succeeded.

    Args:
        machine: as the decision that named the action left it.
        job: the job of the action.
        output: its result, or why it failed and what it said.
        catalog: what the machine names.
        now: the time.
        succeeded: whether it did what it was to do.
    """
    edit = _entered(job.replaced(state="finished" if succeeded else "failed"), machine, catalog, now)
    log = ("Results from plugin invoke:", output, "End of results") if succeeded else (output,)
    answer = edit.job if succeeded else None
    return Decision(201 if succeeded else 204, edit.machine or machine, job=answer, previous=edit.job, log=log)


def without_machine(job: Job | None) -> Job | None:
    """The current job of a machine that is deleted: it stays, and is no machine's current one."""
    return job.replaced(current=False) if job else None


def _entered(job: Job, machine: Machine | None, catalog: Catalog, now: datetime) -> JobEdit:
    """The job in the state that it has now, with its times, and its machine after that."""
    if job.state == "running":
        return JobEdit(job.replaced(start_time=wire_time(now), end_time=ZERO_TIME), machine)
    if job.state not in ENDED:
        return JobEdit(job.replaced(end_time=ZERO_TIME), machine)
    exit_state = job.exit_state or ("complete" if job.state == "finished" else "failed")
    ended = ended_job(job, job.state, exit_state, now)
    if machine is None or machine.current_job != job.uuid:
        return JobEdit(ended, machine)
    if job.state == "finished":
        return JobEdit(ended, after_finish(machine, catalog))
    if not _is_at(machine, job):
        return JobEdit(ended, machine.replaced(runnable=False))
    stopped, failed = after_failure(machine, ended, catalog, now)
    return JobEdit(failed, stopped)


def _is_at(machine: Machine | None, job: Job) -> bool:
    """Whether the machine is where the job is: it is its current one, and its task list was not begun anew since."""
    return machine is not None and machine.current_job == job.uuid and machine.current_task == job.current_index
