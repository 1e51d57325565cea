"""What an agent does at first, and after each error: it finds out where it is, and what an agent before it left.

docs/machines-agent.md, "After a restart".
"""

from __future__ import annotations

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed
from ansible_ensemble.provision.client.patch import Operation
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: In the Meta of a failed job: its agent was gone before it ended. The value says what becomes of its machine.
ABANDONED = "abandoned"
_GOES_ON, _WENT_ON, _STAYS = "machine goes on", "machine went on", "machine was paused"
#: What is answered for a job that is no more; a machine's token is told as little of it as of others' jobs.
_GONE = (403, 404)
#: The param that says where the agent's folder is made.
_PARENT = "runner-tmpdir"
_OWED = {"reboot": Happened.REBOOT_OWED, "poweroff": Happened.POWEROFF_OWED}


async def begin(now: Situation, key: str) -> Happened:
    """Fetch the machine, fail the job that was left behind, hear of changes, and let the machine go on.

    Args:
        now: what is known; filled.
        key: of the machine.

    Raises:
        HostFailed: the host cannot be reached.
    """
    fresh = await _machine(now, key)
    await _recall(now, fresh)
    now.changes = await now.watch.changes(fresh.uuid)
    left = await _current_job(now, fresh)
    if left and not now.has_booted and _is_owed(now, fresh, left):
        return _OWED[left.exit_state]
    abandoned = await _abandoned(now, fresh, left) if left else None
    if fresh.boot_env != now.machine.boot_env and not now.context:
        return Happened.BOOTENV_CHANGED
    if abandoned or (now.has_booted and not now.context and not fresh.runnable):
        await now.set_runnable(True)
    if abandoned:
        await now.client.patch(Job, abandoned.uuid, [_saying(abandoned, _WENT_ON)])
    now.machine, now.has_booted = fresh, False
    now.save()
    return Happened.READY


async def _machine(now: Situation, key: str) -> Machine:
    try:
        return await now.client.get(Machine, key)
    except RequestFailed as error:
        if now.machine.uuid or error.exit_code != NOT_FOUND:
            raise
    missing = EnsembleError(f"There is no machine {key}", hint="create it: ansible-ensemble provision machines create")
    missing.exit_code = NOT_FOUND
    raise missing


async def _recall(now: Situation, fresh: Machine) -> None:
    """Know what an agent knew in this boot; if there was none, the machine has booted."""
    boot = await now.host.boot()
    if boot == now.boot:
        await now.host.end_scripts(now.folder)
        return
    now.machine = fresh
    saved = now.recall()
    await _prepare_folder(now, saved.folder if saved else now.folder)
    if saved and boot and saved.boot_time == boot:
        now.machine, now.job, now.stopping = saved.machine, saved.job, saved.stopping
    else:
        now.job, now.stopping, now.has_booted = "", False, True
    now.boot = boot  # the last: what failed until here is done again


async def _prepare_folder(now: Situation, old: str) -> None:
    """A folder of the agent on the host; that of an agent before is removed, and what still runs in it is ended."""
    if old:
        await now.host.end_scripts(old)
    if now.options.folder:
        now.folder = now.options.folder
        return
    if old:
        await now.host.remove_folder(old)
    parent = await now.param(_PARENT) or ""
    if not isinstance(parent, str):
        raise HostFailed(f"the param {_PARENT} is not the path of a folder")
    now.folder = await now.host.make_folder(parent, "runner-")


async def _current_job(now: Situation, machine: Machine) -> Job | None:
    """The machine's current job; it may have been deleted."""
    try:
        return await now.client.get(Job, machine.current_job) if machine.current_job else None
    except RequestFailed as error:
        if error.error.code not in _GONE:
            raise
        return None


def _is_owed(now: Situation, fresh: Machine, job: Job) -> bool:
    """Whether a job of this boot wanted the power off, or on again, and the agent came to its end before."""
    ended = job.state in ("finished", "incomplete") and job.exit_state in _OWED
    return ended and job.uuid == now.job and not fresh.runnable and not now.context and not now.options.skip_power


async def _abandoned(now: Situation, machine: Machine, job: Job) -> Job | None:
    """The machine's job, if its agent was gone before it ended, and the machine is to go on: it is failed.

    Failing a job stops its machine. The change that fails it says what becomes of the machine: so it also goes on if
    this agent is gone before it can make it runnable.
    """
    if job.context != now.context:
        return None
    if job.state in ("created", "running"):
        goes_on = machine.runnable or (now.stopping and now.job == job.uuid)
        job = await now.mark_job(job, "failed", "", _saying(job, _GOES_ON if goes_on else _STAYS))
    return job if job.state == "failed" and job.meta.get(ABANDONED) == _GOES_ON else None


def _saying(job: Job, what: str) -> Operation:
    return {"op": "add", "path": "/Meta", "value": {**job.meta, ABANDONED: what}}
