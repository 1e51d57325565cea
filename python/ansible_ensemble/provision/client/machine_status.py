"""How far a machine came in its workflow, by the machine and its current job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import split_entry

#: Entries of a task list that change the machine, and are no work.
_SETTINGS = ("stage", "bootenv", "context")
_GOING_ON = ("created", "running")
_COMPLETE, _FAILED = "complete", "failed"
#: States that nothing but a request of somebody ends.
_OVER = (_COMPLETE, _FAILED, "incomplete", "stopped", "unavailable", "idle")
_REASONS = {
    "idle": "it has no tasks: it needs a workflow",
    "waiting": "its agent has to ask for its next task: is it running?",
    _FAILED: "{task} failed: its job's log says why; once it is runnable, the task is run again",
    "incomplete": "{task} asks to be run again: it has to be made runnable",
    "stopped": "{task} stopped the agent: it has to be made runnable",
    "rebooting": "it boots {bootenv}, where its agent has to make it runnable",
    "powered off": "{task} had it powered off: it goes on when it boots",
    "not runnable": "nothing runs until it is made runnable",
}
_AFTER_EXIT = {"stop": "stopped", "reboot": "rebooting", "poweroff": "powered off"}


class MachineStatus(Struct, frozen=True):
    """A machine and its current job, None if it has none."""

    machine: Machine
    job: Job | None = None

    @property
    def state(self) -> str:
        """What the machine does.

        `complete`, `running`, `failed`, `retrying` (failed, and the server runs it again), `incomplete` (the task wants
        to be run again), `stopped` (the task stopped the agent), `rebooting`, `powered off`, `waiting` (for its
        agent), `not runnable`, `unavailable` (something that it names is missing), `idle` (there are no tasks).
        """
        machine, job = self.machine, self._job_of_entry()
        if not machine.tasks:
            return "idle"
        if machine.workflow_complete:
            return _COMPLETE
        if job and job.state in _GOING_ON:
            return "running"
        if not machine.available:
            return "unavailable"
        if job and job.state == _FAILED and "retry-at" in job.meta:
            return "retrying"
        return "waiting" if machine.runnable else _halted(job)

    @property
    def reason(self) -> str:
        """Why it does not go on by itself, or for what it waits; empty while it runs and when it is complete."""
        machine, job = self.machine, self._job_of_entry()
        if self.state == "unavailable":
            return "; ".join(machine.errors) or "something that it names is missing"
        if self.state == "retrying":
            assert job
            return f"{self.task} failed, and is run again at {job.meta['retry-at']}"
        if self.state == "waiting" and machine.context:
            return f"an agent of the context {machine.context} has to ask for its next task"
        return _REASONS.get(self.state, "").format(task=self.task or "its first task", bootenv=machine.boot_env)

    @property
    def is_over(self) -> bool:
        """Whether it goes on only if somebody asks for it."""
        return self.state in _OVER

    @property
    def is_complete(self) -> bool:
        """Whether all tasks are done."""
        return self.state == _COMPLETE

    @property
    def task(self) -> str:
        """The entry of the task list that runs or ran last; empty before the first."""
        machine = self.machine
        return machine.tasks[machine.current_task] if 0 <= machine.current_task < len(machine.tasks) else ""

    @property
    def done(self) -> int:
        """How many tasks were begun, of `total`."""
        return _tasks(self.machine.tasks[: self.machine.current_task + 1])

    @property
    def total(self) -> int:
        """How many tasks there are, without entries that only set the stage, the bootenv and the context."""
        return _tasks(self.machine.tasks)

    def document(self) -> dict[str, Any]:
        """It as JSON."""
        machine, job = self.machine, self._job_of_entry()
        return {
            "Name": machine.name,
            "Uuid": machine.uuid,
            "Workflow": machine.workflow,
            "Stage": machine.stage,
            "BootEnv": machine.boot_env,
            "Task": self.task,
            "TaskNumber": self.done,
            "TaskCount": self.total,
            "State": self.state,
            "Runnable": machine.runnable,
            "Job": job.uuid if job else "",
            "JobState": job.state if job else "",
            "StartTime": job.start_time if job else "",
            "EndTime": job.end_time if job else "",
            "Errors": machine.errors,
        }

    def _job_of_entry(self) -> Job | None:
        """The current job, if it is of the entry that the machine is at; the list may have been begun anew since."""
        job = self.job
        return job if job and 0 <= self.machine.current_task == job.current_index else None


def _halted(job: Job | None) -> str:
    """The state of a machine that is not runnable, and whose job is over."""
    if job is None:
        return "not runnable"
    if job.state == _FAILED:
        return _FAILED
    if job.exit_state in _AFTER_EXIT:
        return _AFTER_EXIT[job.exit_state]
    if job.state == "incomplete":
        return "incomplete"
    return "rebooting" if split_entry(job.task)[0] == "bootenv" else "not runnable"


def _tasks(entries: Sequence[str]) -> int:
    return sum(split_entry(entry)[0] not in _SETTINGS for entry in entries)
