"""The next job of a machine: what its agent is told to do, and what that does to the machine.

docs/provision.md, "The next job", has the rules in their order.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.provision.objects.content import Task
from ansible_ensemble.provision.objects.job import NO_JOB, Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.names import problems_of_uuid
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.control import not_stopped, stopped_at, stops_at
from ansible_ensemble.provision.rules.extra_claims import extra_claims
from ansible_ensemble.provision.rules.job_end import ENDED, after_handlers, ended_job
from ansible_ensemble.provision.rules.machine_state import counted, settled
from ansible_ensemble.provision.rules.moment import wire_time
from ansible_ensemble.provision.rules.placement import at_entry, is_place, placed
from ansible_ensemble.provision.rules.refusal import Refused, invalid


class Action(Struct, frozen=True):
    """An action that the server runs itself on a machine; with an empty plugin, whichever offers it."""

    plugin: str
    command: str


class Decision(Struct, frozen=True):
    """What a request for the next job leads to.

    Attributes:
        status: of the answer: 201 a new job, 202 the same again, 204 none.
        machine: as it is afterwards; to be saved if it is another than before.
        job: what the answer has; None with 204.
        created: the new job, to be created; it is also made for changes of stage, bootenv and context.
        previous: the job before, if it changed; to be saved.
        log: what the log of the new job begins with, line by line.
        action: what the server is to run for the new job itself; `action_ended` then has the answer.
    """

    status: int
    machine: Machine
    job: Job | None = None
    created: Job | None = None
    previous: Job | None = None
    log: tuple[str, ...] = ()
    action: Action | None = None


class JobRequest(Struct, frozen=True):
    """A request for the next job of a machine, and what it is decided by.

    Attributes:
        context: where the agent that asks runs.
        current: the machine's current job, if it is there.
        catalog: what the machine names.
        now: the time.
        uuid: makes the key of a new job.
    """

    context: str
    current: Job | None
    catalog: Catalog
    now: datetime
    uuid: Callable[[], str]


def next_job(machine: Machine, request: JobRequest) -> Decision:
    """What the agent of a machine is to do next.

    Raises:
        Refused: 409; the machine is not runnable or not available, or its current job has not ended.
    """
    if not (machine.runnable and machine.available):
        raise _conflict(f"Machine {machine.uuid} is not runnable")
    if machine.context != request.context or machine.current_task >= len(machine.tasks):
        return Decision(204, machine)
    current = _current(machine, request)
    if current.state == "incomplete":
        return Decision(202, machine, job=current)
    if current.state not in ENDED:
        raise _conflict(f"Machine {machine.uuid} already has running or created job")
    decision = _at(machine, _next_index(machine, current), replace(request, current=current))
    known = request.current is not None
    # The job before is not the current one any more, if there is a new one; or it was failed because it was stale.
    previous = current.replaced(current=decision.created is None)
    return replace(decision, previous=previous if known and previous != request.current else None)


def job_request_machine(machine: Machine | None, asked: Job) -> Machine:
    """The machine of a request for its next job.

    Raises:
        Refused: 400, the request names none; 422, there is no such machine, or the job's key is none.
    """
    if not asked.machine:
        raise Refused(400, "A job has to name its Machine", type="CREATE", model=asked.PREFIX, key=asked.uuid)
    if machine is None:
        raise invalid(f"Machine {asked.machine} does not exist", model=asked.PREFIX, key=asked.uuid)
    if asked.uuid and (problems := [*problems_of_uuid("Uuid", asked.uuid)]):
        raise invalid(*problems, model=asked.PREFIX, key=asked.uuid)
    return machine


def _current(machine: Machine, request: JobRequest) -> Job:
    """The current job: a failed one where there is none, and failed where the machine went on without it."""
    current = request.current or Job(uuid=machine.current_job or NO_JOB, state="failed")
    place = machine.current_task
    stale = place == -1 or is_place(machine.tasks[place]) or current.current_index != place
    return ended_job(current, "failed", "failed", request.now) if stale and current.state not in ENDED else current


def _next_index(machine: Machine, current: Job) -> int:
    """Where in the task list the search for the next job begins.

    A list that was begun anew begins with its first entry, whatever ran before. An entry is passed by its own job; with
    that of another one, the machine was moved to it, or it changes the machine and is still to be looked at.
    """
    place = machine.current_task
    if place == -1:
        return 0
    return place + 1 if current.state == "finished" and current.current_index == place else place


def _at(machine: Machine, index: int, request: JobRequest) -> Decision:
    """What the entries from an index on lead to."""
    changed, end = _moved(machine, index, request.catalog)
    if _place(changed) != _place(machine):
        return _changed_places(machine, changed, end - 1, request)
    if end < len(machine.tasks):
        return _ran(machine, end, request)
    if machine.task_error_stacks:
        return _resumed(machine, request)
    return Decision(204, counted(machine.replaced(current_task=end)))


def _moved(machine: Machine, index: int, catalog: Catalog) -> tuple[Machine, int]:
    """The machine after the entries from an index on that change it, and the index after them."""
    while index < len(machine.tasks) and is_place(machine.tasks[index]):
        if stops_at(machine, index, catalog):
            break
        machine, index = at_entry(machine, machine.tasks[index], catalog), index + 1
    return machine, index


def _changed_places(before: Machine, changed: Machine, index: int, request: JobRequest) -> Decision:
    """One job that records all changes of stage, bootenv and context on the way to the next task."""
    places = zip(("stage", "bootenv", "context"), _place(before), _place(changed))
    changes = [(title, old, new) for title, old, new in places if old != new]
    last, _other, value = changes[-1]
    made = _job(changed, index, f"{last}:{value}", request)
    made = ended_job(made, "finished", "complete", request.now)
    moved = not_stopped(changed).replaced(current_task=index, current_job=made.uuid)
    lines = (f"Machine {before.uuid} changing from {title} {old} to {new}" for title, old, new in changes)
    return Decision(204, settled(moved, request.catalog), created=made, log=(_first_line(made), *lines))


def _ran(machine: Machine, index: int, request: JobRequest) -> Decision:
    """The job of the task or action at an index; none if the machine stops before it."""
    entry = machine.tasks[index]
    if stops_at(machine, index, request.catalog):
        return Decision(204, stopped_at(machine, index).replaced(runnable=False))
    made = _job(machine, index, entry, request)
    moved = counted(not_stopped(machine).replaced(current_task=index, current_job=made.uuid))
    return Decision(201, moved, job=made, created=made, log=(_first_line(made),), action=_action(entry))


def _resumed(machine: Machine, request: JobRequest) -> Decision:
    """The task whose handlers are through, again: first where it is to run, if handlers changed that."""
    handled = settled(after_handlers(machine), request.catalog)
    if not handled.available:  # what the list names is gone since
        return Decision(204, handled)
    index = handled.current_task + 1
    back = placed(handled, index, request.catalog)
    if _place(back) == _place(machine):
        return _ran(handled, index, request)
    return _changed_places(machine, back, index - 1, request)


def _job(machine: Machine, index: int, entry: str, request: JobRequest) -> Job:
    return Job(
        uuid=request.uuid(),
        previous=request.current.uuid if request.current else NO_JOB,
        machine=machine.uuid,
        task=entry,
        stage=machine.stage,
        workflow=machine.workflow,
        boot_env=machine.boot_env,
        context=machine.context,
        state="created",
        start_time=wire_time(request.now),
        current=True,
        current_index=index,
        next_index=index + 1,
        # Handlers are what a param says, and whoever sets that grants nothing.
        extra_claims=[]
        if machine.task_error_stacks
        else extra_claims(request.catalog.get(Task, entry), request.catalog),
        validated=True,
        available=True,
    )


def _action(entry: str) -> Action | None:
    prefix, value = split_entry(entry)
    plugin, colon, command = value.partition(":")
    named = Action(plugin, command) if colon else Action("", value)
    return named if prefix == "action" else None


def _place(machine: Machine) -> tuple[str, str, str]:
    return machine.stage, machine.boot_env, machine.context


def _first_line(job: Job) -> str:
    return f"Log for Job: {job.uuid}"


def _conflict(message: str) -> Refused:
    return Refused(409, message, type="Conflict", model=Job.PREFIX)
