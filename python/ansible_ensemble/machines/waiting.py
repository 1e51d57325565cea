"""Machines that are taken through their workflows together, and what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.job_log import last_lines
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.client.machine_watch import until
from ansible_ensemble.provision.desired.change import Change, shown
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

Plain = dict[str, Any]

#: States in which a machine has done all there is to do.
_THROUGH = ("complete", "idle")


def begun(changes: Iterable[Change]) -> Plain:
    """What became of machines that are not waited for."""
    return _result(changes, {}, {})


async def until_through(client: Client, changes: Iterable[Change], timeout: float, say: Callable[[str], None]) -> Plain:
    """Wait until machines have run their task lists; those that do not come through do not keep the others.

    Machines are waited for that boot, or wait for a retry or their agent. One whose job failed, or that goes on only
    if somebody asks for it, is not.

    Args:
        client: of the server.
        changes: what became of the machines when they were told to run their workflow.
        timeout: seconds that are waited at most.
        say: is called with a line for each step.
    """
    machines = [change.after for change in changes if isinstance(change.after, Machine)]
    names = {one.uuid: one.name for one in machines}
    waited = await until(
        client,
        names,
        lambda status: status.is_over,
        lambda uuid, status: say(f"{names[uuid]}: {_describe(status)}"),
        timeout,
    )
    ends = {**{one.uuid: MachineStatus(one) for one in machines}, **waited.ends}
    logs = {uuid: await _lines_of_failure(client, status) for uuid, status in ends.items()}
    answer = _result(changes, ends, logs)
    late = "" if not waited.late else f"not through within {timeout:g} seconds: "
    troubles = [_trouble(one.name, ends[one.uuid], late, logs[one.uuid]) for one in machines]
    return answer | ({"failed": True, "msg": "\n".join(filter(None, troubles))} if any(troubles) else {})


def _describe(status: MachineStatus | None) -> str:
    """Where a machine stands, in a few words."""
    if status is None:
        return "deleted"
    if status.state in _THROUGH:
        return status.state
    at = f" {status.task}" if status.task else ""
    return f"{status.done}/{status.total}{at} {status.state}"


def _trouble(name: str, status: MachineStatus | None, late: str, log: list[str]) -> str:
    """Why a machine is not through; empty if it is."""
    if status and status.state in _THROUGH:
        return ""
    over = status is None or status.is_over
    errors = [] if status is None else status.machine.errors
    because = f": {'; '.join(errors)}" if errors else ""
    return "\n  ".join([f"{name}: {'' if over else late}{_describe(status)}{because}", *log])


async def _lines_of_failure(client: Client, status: MachineStatus | None) -> list[str]:
    """The last lines of the log of the job that failed, if one did."""
    if status is None or status.state != "failed" or status.job is None:
        return []
    return await last_lines(client, status.job.uuid)


def _result(
    changes: Iterable[Change], ends: Mapping[str, MachineStatus | None], logs: Mapping[str, list[str]]
) -> Plain:
    diffs, machines = [], []
    for change in changes:
        one = change.after
        if isinstance(one, Machine):
            end = ends.get(one.uuid)
            now, job = (end.machine, end.job) if end else (one, None)
            machines.append(_machine(now, job, logs.get(one.uuid, [])))
            diffs.append({"before_header": one.name, "after_header": one.name, **change.diff})
    return {"changed": any(change.changed for change in changes), "machines": machines, "diff": diffs}


def _machine(now: Machine, job: Job | None, log: list[str]) -> Plain:
    return {
        "name": now.name,
        "uuid": now.uuid,
        "workflow": now.workflow,
        "complete": now.workflow_complete,
        "current_task": now.current_task,
        "tasks": now.tasks,
        "runnable": now.runnable,
        "job": shown(job) if job else {},
        "log": log,
    }
