"""What the end of a job does to its machine: whether it goes on, tries again, or handles the failure."""

from __future__ import annotations

from datetime import datetime, timedelta

from ansible_ensemble.provision.objects.base import ZERO_TIME
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import TaskErrorStack
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.control import (
    handled_again,
    handlers_of,
    not_handled,
    retries_of,
    steps_singly,
    times_handled,
)
from ansible_ensemble.provision.rules.machine_state import settled
from ansible_ensemble.provision.rules.moment import moment_of, wire_time
from ansible_ensemble.provision.rules.task_list import restarted

#: The states that end a job.
ENDED = frozenset({"finished", "failed"})
#: In the Meta of a failed job: when its machine is made runnable, to try again.
RETRY_AT = "retry-at"
#: In the Meta of a failed job: why its task is not tried again, although it has error handlers.
STOPPED = "stop-reason"
#: How often the handlers of a task run at most, before somebody has to look at it.
MOST_HANDLED = 10
#: The seconds before the first retry; each further one waits twice as long, up to the longest.
FIRST_WAIT, LONGEST_WAIT = 2, 3600


def ended_job(job: Job, state: str, exit_state: str, now: datetime) -> Job:
    """The job in a state that ends it; a time of its end that is known stays."""
    ended = wire_time(now) if job.end_time == ZERO_TIME else job.end_time
    return job.replaced(state=state, exit_state=exit_state, end_time=ended)


def after_finish(machine: Machine, catalog: Catalog) -> Machine:
    """The machine after its current job finished: not runnable if it is stepped singly."""
    passed = machine if machine.task_error_stacks else not_handled(machine)
    return passed.replaced(
        runnable=machine.runnable and not steps_singly(machine, catalog),
        retry_task_attempt=0,
    )


def after_failure(machine: Machine, job: Job, catalog: Catalog, now: datetime) -> tuple[Machine, Job]:
    """The machine and its current job after that failed: not runnable, until a retry is due if there is one.

    When a task's retries (`task-retry`) are used up, its handlers (`task-error-handlers`) become the task list; when
    they are through, the task is tried again, ever later, until they ran `MOST_HANDLED` times. Handlers are retried,
    but have no handlers themselves.
    """
    stopped, attempt, handled = machine.replaced(runnable=False), machine.retry_task_attempt, times_handled(machine)
    due = job.replaced(meta={**job.meta, RETRY_AT: wire_time(now + _wait(attempt + handled))})
    if attempt < retries_of(machine, job.task, catalog):
        return stopped.replaced(retry_task_attempt=attempt + 1), due
    handlers = [] if machine.task_error_stacks else handlers_of(machine, job.task, catalog)
    if not handlers:
        return stopped, job
    if handled >= MOST_HANDLED:
        reason = f"{job.task} failed again after its error handlers ran {handled} times; the machine is not runnable"
        return not_handled(stopped), job.replaced(meta={**job.meta, STOPPED: reason})
    stack = TaskErrorStack(current_task=machine.current_task, task_list=machine.tasks)
    handling = handled_again(restarted(stopped, -1)).replaced(tasks=handlers, task_error_stacks=[stack])
    return settled(handling, catalog), due


def after_handlers(machine: Machine) -> Machine:
    """The machine just before the task whose handlers are through, with its task list as it was."""
    stack = machine.task_error_stacks[-1]
    handled = restarted(machine, stack.current_task - 1)
    return handled.replaced(tasks=stack.task_list, task_error_stacks=machine.task_error_stacks[:-1])


def retry_due(machine: Machine, job: Job | None) -> datetime | None:
    """When the machine is to be made runnable again, so that its failed job is tried again; None if it is not.

    It is not where the machine is runnable already, or went on to another job.
    """
    waits = job and not machine.runnable and machine.current_job == job.uuid and job.state == "failed"
    return moment_of(job.meta.get(RETRY_AT, "")) if job and waits else None


def retried(machine: Machine, job: Job, catalog: Catalog) -> tuple[Machine, Job]:
    """The machine, runnable if it is available, and its failed job when the retry is due."""
    return settled(machine.replaced(runnable=True), catalog), without_retry(job)


def without_retry(job: Job) -> Job:
    """The job without a retry to come, and without a reason for none."""
    return job.replaced(meta={name: value for name, value in job.meta.items() if name not in (RETRY_AT, STOPPED)})


def _wait(attempt: int) -> timedelta:
    return timedelta(seconds=min(FIRST_WAIT * 2 ** min(attempt, 16), LONGEST_WAIT))
