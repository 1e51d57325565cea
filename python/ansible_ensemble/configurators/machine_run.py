"""A machine's run through its workflow: begun, followed, paused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_ensemble.configurators.machine_wanted import Wanted
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.job_log import last_lines
from ansible_ensemble.provision.client.machine_status import MachineStatus
from ansible_ensemble.provision.client.machine_watch import look, until
from ansible_ensemble.provision.desired.object_api import Live
from ansible_ensemble.provision.desired.workflow import give
from ansible_ensemble.provision.objects.content import Param
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: What an agent says, in the Meta of a job that one before it left behind, where it lets the machine go on.
_ABANDONED, _GOES_ON = "abandoned", "machine goes on"

Tell = Callable[[str], None]


class Stopped(EnsembleError):
    """A machine does not go on by itself."""


async def begin(client: Client, machine: Machine, wanted: Wanted, *, changed: bool, tell: Tell) -> bool:
    """Set a machine going where it has to run something; whether it has to.

    Args:
        client: asks the server.
        machine: as it is.
        wanted: what is wanted of it.
        changed: whether something of it was changed.
        tell: takes how far it is.

    Raises:
        RequestFailed: the server refuses, or cannot be reached.
    """
    if machine.workflow != wanted.workflow:
        machine = await give(Live(client), machine, wanted.workflow)
        tell(f"workflow {wanted.workflow}")
    elif machine.workflow_complete:
        if not changed or wanted.rerun == "nothing":
            return False
        machine = await _again(client, machine, wanted)
        tell(f"workflow {wanted.workflow} again")
    elif machine.current_task >= 0 and not _is_over(await look(client, machine.uuid)):
        return True
    if not machine.runnable:
        machine = await _set(client, machine, Runnable=True)
    await act(client, machine, wanted.deploy_actions, tell)
    return True


async def act(client: Client, machine: Machine, actions: list[str], tell: Tell) -> None:
    """Run actions of the server on a machine, one after the other.

    Raises:
        RequestFailed: there is no such action for the machine, or it failed.
    """
    for action in actions:
        tell(action)
        await client.invoke(machine, action, {})


async def follow(client: Client, machine: Machine, workflow: str, tell: Tell) -> Machine:
    """The machine when its workflow is complete; each task is told when it begins.

    Raises:
        Stopped: it does not go on by itself, or is no more; the message says why, with the last lines of the job's log.
        RequestFailed: the server refuses, or went away and did not come back.
    """
    last = None

    def is_there(status: MachineStatus) -> bool:
        return status.machine.workflow != workflow or _is_done(status) or _is_over(status)

    def take(_uuid: str, status: MachineStatus | None) -> None:
        nonlocal last
        if status and not is_there(status) and (line := _line(status)) and line != last:
            last = line
            tell(line)

    while True:
        status = (await until(client, [machine.uuid], is_there, take)).ends[machine.uuid]
        if status is None:
            raise Stopped("the machine was deleted")
        if status.machine.workflow != workflow:
            raise Stopped(f"its workflow is {status.machine.workflow or 'none'} now, not {workflow}")
        if _is_done(status):
            return status.machine
        if (now := await look(client, machine.uuid)) and _is_over(now):
            raise Stopped(await _why(client, now))


async def pause(client: Client, machine: Machine) -> None:
    """Have a machine run no further task; what its agent is at ends in its own time.

    Raises:
        RequestFailed: the server refuses, or cannot be reached.
    """
    await _set(client, machine, Runnable=False)


def why_stopped(status: MachineStatus) -> str:
    """Why a machine does not go on by itself; empty if it does, or is complete."""
    return _reason(status) if _is_over(status) and not status.is_complete else ""


def _is_over(status: MachineStatus | None) -> bool:
    """Whether a machine goes on only if somebody asks for it: also one that was paused or powered itself off."""
    if status is None:
        return True
    if status.job and status.job.meta.get(_ABANDONED) == _GOES_ON:
        return False
    if status.is_over:
        return True
    return status.state == "powered off" or (status.state == "not runnable" and _was_begun(status))


def _was_begun(status: MachineStatus) -> bool:
    """Whether its job is of the entry that it is at; before the first, it has yet to boot."""
    return status.job is not None and status.job.current_index == status.machine.current_task


def _is_done(status: MachineStatus) -> bool:
    """Whether all is done, also where the last task has powered it off: nothing is left that an agent could be told."""
    at_the_end = status.machine.current_task == len(status.machine.tasks) - 1
    return status.is_complete or (status.state == "powered off" and at_the_end)


async def _why(client: Client, status: MachineStatus) -> str:
    lines = await _log_lines(client, status.machine, status.job) if status.job else []
    return "\n".join([_reason(status), *(f"  {line}" for line in lines)])


def _reason(status: MachineStatus) -> str:
    machine, job = status.machine, status.job
    if status.state == "unavailable":
        return f"the machine is not available: {'; '.join(machine.errors)}"
    if job is None:
        return f"the machine is {status.state}"
    exit_state = f", exit state {job.exit_state}" if job.exit_state else ""
    at = f"task {status.done} of {status.total}"
    return f"the machine is {status.state} after {job.task}, {at} (job {job.state}{exit_state})"


async def _log_lines(client: Client, machine: Machine, job: Job) -> list[str]:
    """The end of a job's log, without the values of secure params."""
    redactor = Redactor(await _secrets(client, machine))
    return [redactor.text(line) for line in await last_lines(client, job.uuid)]


async def _secrets(client: Client, machine: Machine) -> list[Any]:
    """The values of the machine's secure params, as far as they may be read."""
    secure = {param.name for param in await client.select(Param, {"Secure": "true"})}
    try:
        params = await client.params(machine, aggregate=True, decode=True) if secure else {}
    except RequestFailed:
        return []
    return [value for name, value in params.items() if name in secure]


def _line(status: MachineStatus) -> str:
    """What a machine is at, in words; empty where there is nothing to tell."""
    at = f"{status.task} ({status.done} of {status.total})"
    if status.state == "running" and ":" not in status.task:
        return at
    if status.state == "rebooting":
        return f"reboots into {status.machine.boot_env}"
    return f"{at} failed, and is tried again" if status.state == "retrying" else ""


async def _again(client: Client, machine: Machine, wanted: Wanted) -> Machine:
    if wanted.rerun == "bootenv":
        return await _set(client, machine, CurrentTask=-1)
    return await give(Live(client), machine, wanted.workflow, anew=True)


async def _set(client: Client, machine: Machine, **fields: Any) -> Machine:
    """Set fields, whatever they were."""
    operations = [{"op": "replace", "path": f"/{name}", "value": value} for name, value in fields.items()]
    return await client.patch(Machine, machine.uuid, operations)
