"""Machines that are simulated in this process: their scripts do nothing, and end well."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from ansible_ensemble.provision.agent.host import Output, Playbook, Played, Script
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.run import run_agents
from ansible_ensemble.provision.client.settings import Settings

_NUMBERS = count()


class IdleHost:
    """A host with nothing behind it.

    Attributes:
        ran: how many scripts have run.
    """

    def __init__(self) -> None:
        self.ran = 0

    async def boot(self) -> str:
        return "only"

    async def system(self) -> str:
        return "linux"

    async def make_folder(self, parent: str, prefix: str) -> str:
        return f"/nowhere/{prefix}{next(_NUMBERS)}"

    async def remove_folder(self, path: str) -> None:
        """Nothing is there."""

    async def write(self, path: str, content: str, mode: int) -> None:
        """Nothing is kept."""

    async def exists(self, path: str) -> bool:
        return True

    async def run(self, script: Script, output: Output) -> int:
        self.ran += 1
        await output(b"done\n")
        return 0

    async def play(self, playbook: Playbook, output: Output) -> Played:
        raise AssertionError("there are no tasks of Ansible's")

    async def end_scripts(self, folder: str) -> None:
        """Nothing runs."""

    async def kexec_ready(self) -> bool:
        return False

    async def kexec(self) -> bool:
        raise AssertionError("nothing asks for it")

    async def reboot(self) -> bool:
        raise AssertionError("nothing asks for it")

    async def poweroff(self) -> None:
        raise AssertionError("nothing asks for it")


async def run_idle(
    endpoint: str, token: str, machines: list[str], state: Path, say: Callable[[str, str], None]
) -> dict[str, IdleHost]:
    """Take machines through their workflows by agents of this process; their hosts."""
    hosts = {machine: IdleHost() for machine in machines}
    settings = Settings((endpoint,), token=token, insecure=True)
    codes = await run_agents(settings, hosts, AgentOptions(state_folder=state, oneshot=True), say)
    assert set(codes.values()) == {0}
    return hosts
