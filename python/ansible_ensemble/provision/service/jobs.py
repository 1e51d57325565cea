"""Jobs: the next one of a machine, their logs, and those that are not needed any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import uuid4

from msgspec import Struct

from ansible_ensemble.core.clock import now
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.in_use import refuse_undeletable_job
from ansible_ensemble.provision.rules.job_edit import action_ended
from ansible_ensemble.provision.rules.job_end import ENDED
from ansible_ensemble.provision.rules.next_job import Action as Named
from ansible_ensemble.provision.rules.next_job import Decision, JobRequest, job_request_machine
from ansible_ensemble.provision.rules.next_job import next_job as decide
from ansible_ensemble.provision.rules.query import Query
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.actions import (
    Action,
    ActionFailed,
    Invocation,
    find_action,
    invocation,
    why_unfit,
)
from ansible_ensemble.provision.service.lookup import candidates, look_up
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.store.transaction import Reader, Transaction


class NextJob(Struct, frozen=True):
    """The answer to a request for the next job.

    Attributes:
        status: 201 a new job, 202 the same again, 204 none.
        job: what the answer has.
        invocation: what the server is to carry out first; the answer is then that of `action_done`.
    """

    status: int
    job: Job | None = None
    invocation: Invocation | None = None


def next_job(tx: Transaction, body: bytes, actions: Sequence[Action] = ()) -> NextJob:
    """What the agent of a machine is to do next.

    Args:
        tx: where the machine is.
        body: a job with its machine and context.
        actions: what the server can carry out itself.

    Raises:
        Refused: 400, the body is no job or names no machine; 409, the machine is not runnable, or its job has not
            ended; 422, there is no such machine.
    """
    asked = parsed_body(Job, body, "POST", "jobs")
    machine = job_request_machine(tx.locked(Machine, asked.machine), asked)
    if asked.uuid and tx.get(Job, asked.uuid):
        raise Refused(409, "already exists", type="CREATE", model="jobs", key=asked.uuid)
    current = tx.get(Job, machine.current_job) if machine.current_job else None
    request = JobRequest(asked.context, current, tx, now(), lambda: asked.uuid or str(uuid4()))
    decision = decide(machine, request)
    _write(tx, machine, decision)
    if decision.job is None or decision.action is None:
        return NextJob(decision.status, decision.job)
    try:
        return NextJob(201, decision.job, _invocation(tx, decision.machine, decision.action, actions))
    except ActionFailed as failed:
        return action_done(tx, decision.job, failed)


def _invocation(reader: Reader, machine: Machine, named: Named, actions: Sequence[Action]) -> Invocation:
    action = find_action(reader, actions, machine, named.command, named.plugin)
    if action is None:
        unfit = why_unfit(reader, actions, machine, named.command, named.plugin)
        raise ActionFailed(unfit or f"There is no action {named.command} of {named.plugin or 'any provider'}")
    try:
        return invocation(reader, action, machine, {})
    except Refused as refused:
        raise ActionFailed(str(refused)) from None


def action_done(tx: Transaction, job: Job, result: bytes | ActionFailed) -> NextJob:
    """The answer to a request for the next job, after its action was carried out.

    Args:
        tx: where the job is.
        job: of which `next_job` named the action.
        result: as JSON, or why there is none.
    """
    machine, kept = tx.locked(Machine, job.machine), tx.get(Job, job.uuid)
    if machine is None or kept is None or kept.state in ENDED:
        return NextJob(204)  # somebody was faster
    failed = isinstance(result, ActionFailed)
    output = str(result) if isinstance(result, ActionFailed) else result.decode()
    decision = action_ended(machine, kept, output, tx, now=now(), succeeded=not failed)
    _write(tx, machine, decision)
    if decision.previous:
        tx.append_log(decision.previous.uuid, _lines(decision.log))
    return NextJob(decision.status, decision.job)


def _write(tx: Transaction, machine: Machine, decision: Decision) -> None:
    """Write what follows from a decision; the machine last, so that who hears of it finds the rest."""
    if decision.previous:
        tx.save(decision.previous)
    if decision.created:
        tx.create(decision.created)
        tx.append_log(decision.created.uuid, _lines(decision.log))
    if decision.machine != machine:
        tx.save(decision.machine)


def _lines(log: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in log).encode("utf-8", "replace")


def append_log(tx: Transaction, name: str, data: bytes) -> None:
    """Append to the log of a job."""
    tx.append_log(known_job(tx, name).uuid, data)


def read_log(reader: Reader, name: str, offset: int = 0, size: int = 2**62) -> bytes:
    """A part of the log of a job."""
    return reader.log(known_job(reader, name).uuid, offset, size)


def known_job(reader: Reader, name: str) -> Job:
    """The job that a path names."""
    if job := look_up(reader, Job, name):
        return job
    raise Refused(404, f"Job {name} does not exist", type="ValidationError", model="jobs", key=name)


def over(reader: Reader, query: Query, *, but_current: bool = False) -> list[str]:
    """The UUIDs of the jobs that a query finds and that are over.

    Args:
        reader: where they are.
        query: what is looked for.
        but_current: whether those are left out that their machines are at: without one, its task would run again.
    """
    found = query.page(query.found(candidates(reader, Job, query)))
    return [job.uuid for job in found if _is_over(reader, job, but_current)]


def beyond(reader: Reader, most: int) -> list[str]:
    """The UUIDs of jobs that are over and that the latest ones of their machines do not need."""
    by_machine = defaultdict[str, list[tuple[str, str]]](list)
    for one in reader.all(Job):
        by_machine[one.machine].append((one.start_time, one.uuid))
    older = [uuid for ran in by_machine.values() for _time, uuid in sorted(ran)[:-most]]
    return [uuid for uuid in older if (job := reader.get(Job, uuid)) and _is_over(reader, job, True)]


def purge(tx: Transaction, uuids: Iterable[str], *, but_current: bool = False) -> list[Job]:
    """Remove jobs that were over, if they still are.

    Returns:
        What was removed.
    """
    kept = [job for uuid in uuids if (job := tx.get(Job, uuid))]
    gone = [job for job in kept if _is_over(tx, job, but_current)]
    for job in gone:
        tx.delete(job)
    return gone


def _is_over(reader: Reader, job: Job, but_current: bool) -> bool:
    machine = reader.get(Machine, job.machine)
    try:
        refuse_undeletable_job(job, machine)
    except Refused:
        return False
    return not (but_current and machine and machine.current_job == job.uuid)
