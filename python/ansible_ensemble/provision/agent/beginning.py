"""What an agent does at first, and after each error: it finds out where it is, and what an agent before it left.

docs/machines-agent.md, "After a restart".
"""

from __future__ import annotations

from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: In the Meta of a failed job: its agent was gone, so nobody knows how it went.
ABANDONED = "abandoned"
_OWED = {"reboot": Happened.REBOOT_OWED, "poweroff": Happened.POWEROFF_OWED}


async def begin(now: Situation, key: str) -> Happened:
    """Fetch the machine, fail the job that was left behind, hear of changes, and let a machine that booted go on.

    Args:
        now: what is known; filled.
        key: of the machine.

    Raises:
        RequestFailed: the server refuses something, or cannot be reached.
        HostFailed: the host cannot be reached.
    """
    fresh = await now.client.get(Machine, key)
    has_booted = await _recall(now, fresh)
    await _prepare_folder(now)
    now.changes = await now.watch.changes(fresh.uuid)
    left = await now.client.get(Job, fresh.current_job) if fresh.current_job else None
    if left and not has_booted and _is_owed(now, fresh, left):
        return _OWED[left.exit_state]
    was_abandoned = left is not None and await _is_abandoned(now, left)
    if fresh.boot_env != now.machine.boot_env and not now.context:
        return Happened.BOOTENV_CHANGED
    now.machine = fresh
    now.save()
    if was_abandoned or (has_booted and not now.context and not fresh.runnable):
        await now.set_runnable(True)
    return Happened.READY


async def _recall(now: Situation, fresh: Machine) -> bool:
    """Know what an agent knew in this boot; whether there was none, which means that the machine has booted."""
    boot = await now.host.boot()
    if now.machine.uuid and boot == now.boot:
        return False
    now.machine, now.boot, now.job = fresh, boot, ""
    saved = now.saved.load()
    if saved:
        now.folder = saved.folder if not now.options.folder else ""
    if not (saved and boot and saved.boot_time == boot and saved.machine.uuid == fresh.uuid):
        return True
    now.machine, now.job = saved.machine, saved.job
    return False


async def _prepare_folder(now: Situation) -> None:
    """A folder of the agent on the host, without anything that an agent before has left there."""
    if now.folder:
        await now.host.end_scripts(now.folder)
        await now.host.remove_folder(now.folder)
    now.folder = now.options.folder or await now.host.make_folder(await now.param("runner-tmpdir") or "", "runner-")


def _is_owed(now: Situation, fresh: Machine, job: Job) -> bool:
    """Whether a job of this boot wanted the power off, or on again, and the agent came to its end before."""
    ended = job.state in ("finished", "incomplete") and job.exit_state in _OWED
    return ended and job.uuid == now.job and not fresh.runnable and not now.context and not now.options.skip_power


async def _is_abandoned(now: Situation, job: Job) -> bool:
    """Whether the agent of the job was gone before it ended; such a job is failed, and begun again.

    Failing a job stops its machine. Who fails it for this reason says so in the same change: so the machine also goes
    on if this agent is gone before it can make it runnable.
    """
    if job.context != now.context:
        return False
    if job.state in ("created", "running"):
        await now.mark_job(job, "failed", meta={ABANDONED: "true"})
        return True
    return job.state == "failed" and ABANDONED in job.meta
