"""Where an agent carries out what jobs ask for: its own machine, or one behind a connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

#: Takes the output of what runs, in parts, while it runs.
Output = Callable[[bytes], Awaitable[None]]


class HostFailed(Exception):
    """Something could not be done on a host, whatever a script would have said; the message says what and why."""


class Script(Struct, frozen=True):
    """A script of a job, ready to run.

    Attributes:
        path: of the script's file on the host.
        folder: its working directory.
        environment: variables on top of those that the host has.
        interpreter: the program that gets the file; by default the file is run itself.
    """

    path: str
    folder: str
    environment: Mapping[str, str] = {}
    interpreter: str = ""


class Playbook(Struct, frozen=True):
    """Tasks, plays or a role of a job, to be run by Ansible on the host.

    Attributes:
        name: of the job's action; messages name it.
        content: YAML: a list of tasks, or of plays.
        variables: what tasks see: the machine's params and `machine`, the machine itself.
        check: predict what would change, with the diff, and change nothing.
    """

    name: str
    content: str
    variables: Mapping[str, Any] = {}
    check: bool = False


class Played(Struct, frozen=True):
    """What came of Ansible's tasks.

    Attributes:
        status: as a script's exit status: 0 if they succeeded, 1 if they failed; `set_stats` may ask for another one by
            `exit_status`, as scripts do by their exit codes.
        params: what `set_stats` said otherwise; it becomes params of the machine.
    """

    status: int
    params: Mapping[str, Any] = {}


class Host(Protocol):
    """What an agent needs of the machine that it drives.

    Every method raises `HostFailed` if it could not do what it is for. A method that is cancelled has ended what it
    began: a script's processes are gone.
    """

    async def boot(self) -> str:
        """What tells one boot of the machine from another; empty if that cannot be known."""

    async def system(self) -> str:
        """The operating system, as in a template's Meta: `linux`."""

    async def make_folder(self, parent: str, prefix: str) -> str:
        """The path of a new folder that its owner alone can read; `parent` empty means where temporary files are."""

    async def remove_folder(self, path: str) -> None:
        """Remove a folder and what is in it, if it is there."""

    async def write(self, path: str, content: str, mode: int) -> None:
        """Write a file and make the folders above it."""

    async def exists(self, path: str) -> bool:
        """Whether there is a file."""

    async def run(self, script: Script, output: Output) -> int:
        """The exit status of a script, negative or above 128 after a signal; it may run as long as it likes."""

    async def play(self, playbook: Playbook, output: Output) -> Played:
        """Run Ansible's tasks on the machine; events and diffs are the output."""

    async def end_scripts(self, folder: str) -> None:
        """End what still runs of scripts whose folders are in this one: their agent is gone, or has lost them.

        What scripts of jobs left behind that ended, and whose folders are removed, goes on.
        """

    async def kexec_ready(self) -> bool:
        """Whether a kernel is loaded that can be booted without going through the firmware."""

    async def kexec(self) -> bool:
        """Boot the kernel that is loaded; the answer is that of `reboot`."""

    async def reboot(self) -> bool:
        """Reboot the machine; whether the agent is still there and the machine is up again, so that it can go on.

        An agent on the machine itself ends with it (False); one behind a connection has waited for the machine (True).
        """

    async def poweroff(self) -> None:
        """Power the machine off."""
