"""What is said of how far a machine came."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.objects import Job, Machine

TASKS = ["stage:one", "bootenv:local", "a", "stage:two", "b", "action:poweron", "c"]


def status(job: dict[str, Any] | None = None, **machine: Any) -> MachineStatus:
    made: dict[str, Any] = {"tasks": TASKS, "current_task": 2, "available": True, "runnable": True}
    held = Machine(uuid="m", **(made | machine))
    return MachineStatus(held, Job(uuid="j", **({"current_index": held.current_task} | job)) if job else None)


#: State, whether it is over, the job, the machine.
STATES: list[tuple[str, bool, dict[str, Any] | None, dict[str, Any]]] = [
    ("waiting", False, None, {}),
    ("waiting", False, {"state": "finished"}, {}),
    ("running", False, {"state": "created"}, {}),
    ("running", False, {"state": "running"}, {"runnable": False}),
    ("failed", True, {"state": "failed"}, {"runnable": False}),
    ("waiting", False, {"state": "failed"}, {}),
    ("not runnable", False, {"state": "failed", "current_index": 4}, {"runnable": False, "current_task": -1}),
    ("not runnable", False, {"state": "failed", "current_index": 1}, {"runnable": False}),
    ("retrying", False, {"state": "failed", "meta": {"retry-at": "soon"}}, {"runnable": False}),
    ("incomplete", True, {"state": "incomplete", "exit_state": "complete"}, {"runnable": False}),
    ("rebooting", False, {"state": "incomplete", "exit_state": "reboot"}, {"runnable": False}),
    ("powered off", False, {"state": "finished", "exit_state": "poweroff"}, {"runnable": False}),
    ("stopped", True, {"state": "finished", "exit_state": "stop"}, {"runnable": False}),
    ("rebooting", False, {"state": "finished", "task": "bootenv:local"}, {"runnable": False}),
    ("not runnable", False, {"state": "finished", "exit_state": "complete"}, {"runnable": False}),
    ("not runnable", False, None, {"runnable": False}),
    ("unavailable", True, None, {"available": False, "runnable": False}),
    ("complete", True, {"state": "finished"}, {"workflow_complete": True, "current_task": 7}),
    ("idle", True, None, {"tasks": [], "current_task": -1}),
]


@pytest.mark.parametrize(("state", "over", "job", "machine"), STATES)
def test_the_state(state: str, over: bool, job: dict[str, Any] | None, machine: dict[str, Any]) -> None:
    found = status(job, **machine)
    assert (found.state, found.is_over) == (state, over)
    assert found.is_complete == (state == "complete")


@pytest.mark.parametrize(
    ("current", "task", "done"), [(-1, "", 0), (0, "stage:one", 0), (2, "a", 1), (5, "action:poweron", 3), (7, "", 4)]
)
def test_tasks_are_counted_without_what_only_sets_something(current: int, task: str, done: int) -> None:
    found = status(current_task=current)
    assert (found.task, found.done, found.total) == (task, done, 4)
    assert [found.document()[name] for name in ("Task", "TaskNumber", "TaskCount")] == [task, done, 4]


@pytest.mark.parametrize(("state", "over", "job", "machine"), STATES)
def test_what_does_not_go_on_says_why(
    state: str, over: bool, job: dict[str, Any] | None, machine: dict[str, Any]
) -> None:
    assert bool(status(job, **machine).reason) is (state not in ("running", "complete"))


REASONS: list[tuple[str, dict[str, Any] | None, dict[str, Any]]] = [
    (
        "Stage st does not exist; Task t does not",
        None,
        {"available": False, "errors": ["Stage st does not exist", "Task t does not"]},
    ),
    ("a failed, and is run again at soon", {"state": "failed", "meta": {"retry-at": "soon"}}, {"runnable": False}),
    ("an agent of the context box has to ask for its next task", None, {"context": "box"}),
    (
        "it boots sledge, where its agent has to make it runnable",
        {"state": "finished", "exit_state": "reboot"},
        {"runnable": False, "boot_env": "sledge"},
    ),
]


@pytest.mark.parametrize(("reason", "job", "machine"), REASONS)
def test_the_reason(reason: str, job: dict[str, Any] | None, machine: dict[str, Any]) -> None:
    assert status(job, **machine).reason == reason
