"""A host of an inventory, as an agent drives it: over Ansible's connection, with nothing installed there."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable
from typing import Any, TypeVar

from ansible_ensemble.core.orders import Host as AnsibleHost
from ansible_ensemble.machines import shell
from ansible_ensemble.machines.ansible_process import AnsibleProcess
from ansible_ensemble.machines.plays import play
from ansible_ensemble.provision.agent.host import HostFailed, Output, Playbook, Played, Script

T = TypeVar("T")

#: Variables of a host: arguments of `ansible.builtin.reboot`, and the command that powers it off.
REBOOT, POWEROFF = "provision_reboot", "provision_poweroff"

_POWEROFF = "poweroff || shutdown -h now"
_KEXEC = "systemctl kexec"
#: Seconds between two looks at a script: they grow while it prints nothing.
_SHORTEST, _LONGEST = 0.1, 2.0
#: Seconds between two attempts to reach a host on which a script runs, and until it is given up.
_RETRY, _PATIENCE = 5.0, 900.0


class Unreachable(HostFailed):
    """The host cannot be reached now."""


class InventoryHost:
    """Implements `provision.agent.host.Host` for a host of an inventory.

    Scripts go on while the connection is lost, and are found again.

    Args:
        ansible: what reaches it.
        name: the inventory's.
        patience: seconds for which a host may be out of reach while a script runs.
    """

    def __init__(self, ansible: AnsibleProcess, name: str, patience: float = _PATIENCE) -> None:
        self._ansible = ansible
        self._name = name
        self._patience = patience

    async def boot(self) -> str:
        """What tells one boot of the host from another."""
        return (await self._shell(shell.BOOT)).strip()

    async def system(self) -> str:
        """The operating system."""
        return (await self._shell(shell.SYSTEM)).strip().lower()

    async def make_folder(self, parent: str, prefix: str) -> str:
        """The path of a new folder."""
        return (await self._shell(shell.make_folder(parent, prefix))).strip().rpartition("\n")[2]

    async def remove_folder(self, path: str) -> None:
        """Remove a folder."""
        await self._shell(shell.remove_folder(path))

    async def write(self, path: str, content: str, mode: int) -> None:
        """Write a file."""
        if "\0" in content:
            raise HostFailed(f"{path} is not text: it holds a null byte")
        await self._shell(shell.write(path, content, mode))

    async def exists(self, path: str) -> bool:
        """Whether there is a file."""
        return await self._holds(shell.exists(path))

    async def run(self, script: Script, output: Output) -> int:
        """The exit status of a script."""
        state = f"{script.path}.{uuid.uuid4().hex[:8]}{shell.STATE}"
        try:
            return await self._followed(script, state, output)
        except asyncio.CancelledError:
            await self._shell(shell.stop(state))
            raise

    async def _followed(self, script: Script, state: str, output: Output) -> int:
        text = await _to_its_end(self._patiently(shell.start(script, state)))
        offset, pause = 0, _SHORTEST
        while True:
            part = self._part_of(text)
            if part.output:
                await output(part.output)
            if part.is_last:
                break
            offset += len(part.output)
            pause = _SHORTEST if part.output else min(2 * pause, _LONGEST)
            if len(part.output) < shell.PART:
                await asyncio.sleep(pause)
            text = await self._patiently(shell.look(state, offset))
        if part.status is None:
            raise HostFailed(f"{script.path} on {self._name} was killed, or the host was rebooted under it")
        return part.status

    def _part_of(self, text: str) -> shell.Part:
        try:
            return shell.part_of(text)
        except ValueError as error:
            raise HostFailed(f"{self._name}: {error}") from None

    async def play(self, playbook: Playbook, output: Output) -> Played:
        """Run Ansible's tasks on the host."""
        return await play(self._ansible, AnsibleHost(self._name), playbook, output)

    async def end_scripts(self, folder: str) -> None:
        """End what still runs of scripts below a folder."""
        await self._shell(shell.stop_all(folder))

    async def kexec_ready(self) -> bool:
        """Whether a kernel is loaded."""
        return await self._holds(shell.KEXEC_LOADED)

    async def kexec(self) -> bool:
        """Boot the kernel that is loaded, and wait until the host is up again."""
        return await self._rebooted(reboot_command=_KEXEC)

    async def reboot(self) -> bool:
        """Reboot the host, and wait until it is up again."""
        return await self._rebooted()

    async def poweroff(self) -> None:
        """Power the host off; it may be gone before it says so."""
        command = await self._ansible.variable(self._name, POWEROFF) or _POWEROFF
        await self._shell(":")
        try:
            await self._shell(command)
        except Unreachable:
            return

    async def _rebooted(self, **arguments: Any) -> bool:
        own = await self._ansible.variable(self._name, REBOOT) or {}
        if not isinstance(own, dict):
            raise HostFailed(f"{REBOOT} of {self._name} is no map: it has the arguments of ansible.builtin.reboot")
        outcome = await self._ansible.call(self._name, "ansible.builtin.reboot", {**own, **arguments})
        if not outcome.ok:
            raise HostFailed(f"{self._name} was not rebooted: {outcome.error}")
        return True

    async def _patiently(self, program: str) -> str:
        """What a program prints on a host that may be out of reach for a while; it may run twice."""
        given_up = asyncio.get_running_loop().time() + self._patience
        while True:
            try:
                return await self._shell(program)
            except Unreachable:
                if asyncio.get_running_loop().time() >= given_up:
                    raise
                await asyncio.sleep(min(_RETRY, self._patience))

    async def _shell(self, program: str) -> str:
        code, printed, complaint = await self._exchange(program)
        if code:
            raise HostFailed(f"{self._name}: {(printed + complaint).strip() or f'exit code {code}'}")
        return printed

    async def _holds(self, condition: str) -> bool:
        code, _output, _error = await self._exchange(condition)
        return code == 0

    async def _exchange(self, program: str) -> tuple[int, str, str]:
        outcome = await self._ansible.call(self._name, "ensemble_shell", {"program": shell.whole(program)})
        if outcome.unreachable:
            raise Unreachable(f"{self._name} cannot be reached: {outcome.error}")
        if not outcome.ok:
            raise HostFailed(f"{self._name}: {outcome.error}")
        found = outcome.result
        return found["code"], found["printed"], found["complaint"]


async def _to_its_end(work: Awaitable[T]) -> T:
    """What work results in; if the awaiting task is cancelled, the work ends first."""
    working = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait([working])
        raise
