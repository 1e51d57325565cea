"""The machine that the agent itself runs on."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import signal
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field

from ansible_ensemble.provision.agent.host import HostFailed, Output, Playbook, Played, Script

#: Runs Ansible's tasks on this machine.
Play = Callable[[Playbook, Output], Awaitable[Played]]

#: Bytes that are read at once: all that a pipe holds.
_PIECE = 2**20
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_KEXEC_LOADED = Path("/sys/kernel/kexec_loaded")
#: What scripts are not told: they have a token of their own.
_WITHHELD = ("RS_KEY",)


class PowerCommands(Struct, frozen=True):
    """How this machine is rebooted and powered off: programs with their arguments."""

    reboot: Sequence[str] = ("reboot",)
    poweroff: Sequence[str] = ("poweroff",)
    kexec: Sequence[str] = ("systemctl", "kexec")


class LocalHost(Struct, frozen=True):
    """This machine, as an agent's host.

    Attributes:
        power: how it is rebooted and powered off.
        environment: of scripts.
        boot_id: what tells this boot from others; the kernel's by default. Containers and simulated machines have
            boots of their own.
        play_tasks: runs Ansible's tasks here; without it, jobs that have some fail.
        grace: seconds that a script has to end by itself when it is told to.
    """

    power: PowerCommands = PowerCommands()
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    boot_id: str = ""
    play_tasks: Play | None = None
    grace: float = 10.0

    async def boot(self) -> str:
        """What tells this boot from others."""
        if self.boot_id or not _BOOT.exists():
            return self.boot_id
        return _BOOT.read_text(encoding="ascii").strip()

    async def system(self) -> str:
        """The operating system."""
        return platform.system().lower()

    async def make_folder(self, parent: str, prefix: str) -> str:
        """The path of a new folder."""
        with _failing():
            if parent:
                Path(parent).mkdir(parents=True, exist_ok=True)
            made = tempfile.mkdtemp(prefix=prefix.replace("/", "_"), dir=parent or self.environment.get("TMPDIR"))
            return str(Path(made).absolute())

    async def remove_folder(self, path: str) -> None:
        """Remove a folder and what is in it."""
        await asyncio.to_thread(shutil.rmtree, path, ignore_errors=True)

    async def write(self, path: str, content: str, mode: int) -> None:
        """Write a file and make the folders above it."""
        with _failing():
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), mode)
                file.write(content)

    async def exists(self, path: str) -> bool:
        """Whether there is a file."""
        return Path(path).exists()

    async def run(self, script: Script, output: Output) -> int:
        """The exit status of a script; cancelled, it ends the script's processes."""
        command = [*script.interpreter.split(), script.path]
        with _failing():
            reading, writing = os.pipe()
        try:
            try:
                process = await self._started(command, script, writing)
            finally:
                os.close(writing)
            try:
                return await _finished(process, reading, output)
            except BaseException:
                await _end(process, self.grace)
                raise
        finally:
            os.close(reading)

    async def _started(self, command: Sequence[str], script: Script, writing: int) -> asyncio.subprocess.Process:
        inherited = {name: value for name, value in self.environment.items() if name not in _WITHHELD}
        home = {"HOME": script.environment.get("RS_RUNNER_DIR", script.folder)}
        try:
            return await asyncio.create_subprocess_exec(
                *command,
                cwd=script.folder,
                env={**home, **inherited, **script.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
                start_new_session=True,
            )
        except OSError as error:
            name = Path(script.path).name
            hint = "a script begins with #! and a program that is there, without a carriage return"
            raise HostFailed(f"{name} cannot be started: {error.strerror} ({hint})") from None

    async def play(self, playbook: Playbook, output: Output) -> Played:
        """Run Ansible's tasks here."""
        if self.play_tasks is None:
            raise HostFailed(f"{playbook.name}: this agent does not run Ansible's tasks")
        return await self.play_tasks(playbook, output)

    async def end_scripts(self, folder: str) -> None:
        """End what still runs of scripts whose folders are in this one; they are known by their environment."""
        held = [f"RS_TASK_DIR={one}" for one in Path(folder).glob("*") if one.is_dir()]
        for process in _processes_with(held) if held else ():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)

    async def kexec_ready(self) -> bool:
        """Whether a kernel is loaded."""
        return _KEXEC_LOADED.exists() and _KEXEC_LOADED.read_text(encoding="ascii").strip() == "1"

    async def kexec(self) -> bool:
        """Boot the kernel that is loaded."""
        return await self._order(self.power.kexec)

    async def reboot(self) -> bool:
        """Reboot, and with that end the agent."""
        return await self._order(self.power.reboot)

    async def poweroff(self) -> None:
        """Power off."""
        await self._order(self.power.poweroff)

    async def _order(self, command: Sequence[str]) -> bool:
        with _failing():
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
        said, _other = await process.communicate()
        if process.returncode:
            text = said.decode(errors="replace").strip()
            raise HostFailed(f"{' '.join(command)} ended with {process.returncode}{': ' if text else ''}{text}")
        return False


@contextmanager
def _failing() -> Iterator[None]:
    """Makes what the system refuses, or cannot be told at all, as a null byte in a path, a failure of the host."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise HostFailed(str(error)) from None


async def _finished(process: asyncio.subprocess.Process, reading: int, output: Output) -> int:
    """The status of a process whose output is passed on; what it leaves behind may keep the pipe open."""
    os.set_blocking(reading, False)
    ended = asyncio.create_task(process.wait())
    more = True
    while more and not ended.done():
        await _readable(reading, ended)
        more = await _passed_on(reading, output)
    status = await ended
    await _passed_on(reading, output)
    return status


async def _readable(reading: int, ended: asyncio.Task[int]) -> None:
    """Wait until something can be read, or the process has ended."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(reading, lambda: None if ready.done() else ready.set_result(None))
    try:
        await asyncio.wait({ready, ended}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(reading)


async def _passed_on(reading: int, output: Output) -> bool:
    """Pass on what there is; whether more may come."""
    try:
        data = os.read(reading, _PIECE)
    except BlockingIOError:
        return True
    if data:
        await output(data)
    return bool(data)


async def _end(process: asyncio.subprocess.Process, grace: float) -> None:
    """End a process and those that it began: first they are told to, then they have to."""
    try:
        _signal(process, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), grace)
    finally:
        _signal(process, signal.SIGKILL)
    await process.wait()


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _processes_with(variables: Iterable[str]) -> Iterator[int]:
    """The processes in whose environment there is one of `NAME=VALUE`."""
    wanted = {variable.encode() for variable in variables}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if wanted.intersection((folder / "environ").read_bytes().split(b"\0")):
                yield int(folder.name)
