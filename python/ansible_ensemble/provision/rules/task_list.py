"""Edits of a machine's task list, and of the place in it."""

from __future__ import annotations

from collections.abc import Sequence

from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.control import not_handled, not_stopped
from ansible_ensemble.provision.rules.placement import placed_in_bootenv, start_of_segment
from ansible_ensemble.provision.rules.refusal import Refused, invalid


def with_tasks(machine: Machine, tasks: Sequence[str]) -> Machine:
    """The machine with an edited task list.

    What ran or runs stays, and so does what begins with the next stage; what is between is free. What is appended to
    a list that was done is run.

    Raises:
        Refused: 422; something else was edited.
    """
    before, current = machine.tasks, machine.current_task
    past = min(current + 1, len(before))
    if len(tasks) < past:
        raise _refused(machine, "Cannot remove tasks that have already executed or are already executing")
    if list(tasks[:past]) != before[:past]:
        raise _refused(machine, "Cannot change tasks that have already executed or are executing")
    later = before[_next_stage(machine) :]
    if later and (len(tasks) - len(later) < past or list(tasks[-len(later) :]) != later):
        raise _refused(machine, "Cannot change tasks that are past the next stage transition")
    place = min(current, len(before) - 1) if tasks else 0
    return machine.replaced(tasks=list(tasks), current_task=place)


def with_current_task(machine: Machine, index: int, catalog: Catalog) -> Machine:
    """The machine back at another place in its task list; -1 is the earliest that its bootenv allows.

    Stage and context are those of that place.

    Raises:
        Refused: 422; the place is further on, or in another bootenv.
    """
    machine = not_handled(machine)
    current, start = machine.current_task, start_of_segment(machine, catalog)
    if index > current:
        raise _refused(machine, f"Cannot advance CurrentTask from {current} to {index} without running jobs")
    if index == -1:
        first = start if machine.workflow else -1
        return placed_in_bootenv(restarted(machine, first), first, catalog)
    if index < start:
        raise _refused(machine, f"Cannot change CurrentTask from {current} to {index} past {start}")
    return placed_in_bootenv(restarted(machine, index), index, catalog)


def restarted(machine: Machine, index: int) -> Machine:
    """The machine at another place in its task list, where no task has been retried yet."""
    return not_stopped(machine).replaced(current_task=index, retry_task_attempt=0)


def _next_stage(machine: Machine) -> int:
    """The index of the entry that leads to another stage; a machine that has not begun is in the first already."""
    first = max(machine.current_task + 1, 1)
    entries = enumerate(machine.tasks[first:], first)
    return next((index for index, entry in entries if split_entry(entry)[0] == "stage"), len(machine.tasks))


def _refused(machine: Machine, message: str) -> Refused:
    return invalid(message, model=machine.PREFIX, key=machine.key)
