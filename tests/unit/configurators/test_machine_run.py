"""Why machines do not go on by themselves."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.machine_run import why_stopped
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.objects import Job, Machine

TASKS = ["stage:one", "bootenv:local", "a", "b"]
STOPPED = "after a, task 1 of 2 (job"


@pytest.mark.parametrize(
    ("job", "machine", "why"),
    [
        ({"state": "running"}, {}, ""),
        ({"state": "running"}, {"runnable": False}, ""),
        ({"state": "finished"}, {}, ""),
        ({"state": "failed"}, {"runnable": False}, f"failed {STOPPED} failed, exit state failed)"),
        ({"state": "failed", "meta": {"retry-at": "soon"}}, {"runnable": False}, ""),
        ({"state": "failed", "meta": {"abandoned": "machine goes on"}}, {"runnable": False}, ""),
        ({"state": "incomplete", "exit_state": "reboot"}, {"runnable": False}, ""),
        ({"state": "incomplete", "exit_state": ""}, {"runnable": False}, f"incomplete {STOPPED} incomplete)"),
        ({"state": "finished", "exit_state": ""}, {"runnable": False}, f"not runnable {STOPPED} finished)"),
        (
            {"state": "finished", "exit_state": "poweroff"}, {"runnable": False},
            f"powered off {STOPPED} finished, exit state poweroff)",
        ),
        ({"state": "finished", "current_index": 9}, {"runnable": False}, ""),
        ({"state": "finished", "task": "bootenv:x", "current_index": 1}, {"runnable": False, "current_task": 1}, ""),
        (None, {"runnable": False, "current_task": -1}, ""),
        (None, {"available": False, "errors": ["no b"]}, "not available: no b"),
        ({"state": "finished"}, {"workflow_complete": True}, ""),
    ],
)  # fmt: skip
def test_why(job: dict[str, Any] | None, machine: dict[str, Any], why: str) -> None:
    made = Machine(**({"tasks": TASKS, "current_task": 2, "available": True, "runnable": True} | machine))
    told = {"task": "a", "current_index": 2, "exit_state": "failed"}
    assert why_stopped(MachineStatus(made, None if job is None else Job(**(told | job)))) == (
        f"the machine is {why}" if why else ""
    )
