"""What an agent does with the power of its machine, and before."""

from __future__ import annotations

from ansible_ensemble.provision.agent.situation import Situation
from ansible_ensemble.provision.agent.stage_map import INSTALLER
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.client.failure import RequestFailed

#: A feature of servers that see to the next boot by themselves, and the action by which others are told to.
_AUTOMATIC, _NEXT_BOOT = "auto-boot-target", "nextbootpxe"


async def leave_bootenv(now: Situation) -> Happened:
    """Make the machine not runnable until it has booted, and find out how it boots."""
    if not now.context and not now.machine.context:
        await now.set_runnable(False, {"op": "test", "path": "/Context", "value": ""})
    if now.machine.boot_env.endswith(INSTALLER):
        return Happened.INSTALLING
    if await now.param("kexec-ok") is True and await now.host.kexec_ready():
        return Happened.KEXEC_READY
    return Happened.KEXEC_NOT_READY


async def reboot(now: Situation) -> Happened:
    """Reboot, from the network if the server has an action for that."""
    if _is_skipped(now):
        return Happened.SKIPPED
    await _boot_next(now)
    await now.set_runnable(False)
    return _gone(now, await now.host.reboot())


async def kexec(now: Situation) -> Happened:
    """Boot the kernel that is loaded."""
    if _is_skipped(now):
        return Happened.SKIPPED
    return _gone(now, await now.host.kexec())


async def poweroff(now: Situation) -> Happened:
    """Power the machine off."""
    if _is_skipped(now):
        return Happened.SKIPPED
    await _boot_next(now)
    await now.set_runnable(False)
    await now.host.poweroff()
    return Happened.LEFT


def _is_skipped(now: Situation) -> bool:
    """Whether others see to the power; the next start of the agent then counts as the boot."""
    if now.context or now.options.skip_power:
        now.forget()
        return True
    return False


def _gone(now: Situation, up_again: bool) -> Happened:
    """What became of the agent; one that is still there knows nothing of the new boot."""
    if not up_again:
        return Happened.LEFT
    now.forget()
    return Happened.UP_AGAIN


async def _boot_next(now: Situation) -> None:
    """Have the machine boot from the network next, if the server offers that; what it answers is said."""
    info = await now.client.info()
    if _AUTOMATIC in (info.get("features") or ()):
        return
    try:
        if any(action.get("Command") == _NEXT_BOOT for action in await now.client.actions(now.machine)):
            await now.client.invoke(now.machine, _NEXT_BOOT, {})
    except RequestFailed as error:
        now.say(f"{_NEXT_BOOT}: {error}")
