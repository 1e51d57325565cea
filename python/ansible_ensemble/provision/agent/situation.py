"""What an agent knows: its machine, its host, the server, and what it does there."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.provision.agent.host import Host, HostFailed
from ansible_ensemble.provision.agent.known_tasks import KnownTasks
from ansible_ensemble.provision.agent.options import AgentOptions
from ansible_ensemble.provision.agent.saved import Saved, SavedState
from ansible_ensemble.provision.agent.watch import Changes, Watch
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.patch import Operation
from ansible_ensemble.provision.client.settings import Settings
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: How long a token for scripts counts, and after how many seconds another one is asked for.
_TOKEN_LIFE, _TOKEN_USE = "24h", 12 * 3600


class Situation(Struct):
    """What an agent knows, and what all its instructions need.

    Attributes:
        client: asks the server; it may be shared by many agents.
        watch: tells of changes; shared like the client.
        tasks: what is known of tasks; shared, too.
        settings: of the client; scripts get its address.
        host: where jobs are carried out.
        options: how the agent behaves.
        say: takes what it says.
        turn: held while a job runs; agents that share it run no more jobs at once than it lets them.
        machine: as it was last looked at; its bootenv is the one that runs.
        boot: what tells the boot that runs from others; None before it is known.
        has_booted: whether the machine has booted, and was not yet let go on.
        folder: of the agent on the host.
        job: the UUID of the latest job that was run in this boot.
        stopping: whether the machine is made not runnable because of how that job ended.
        saved: where it is kept what has to outlive the agent.
        changes: of the machine.
    """

    client: Client
    watch: Watch
    tasks: KnownTasks
    settings: Settings
    host: Host
    options: AgentOptions
    say: Callable[[str], None]
    turn: AbstractAsyncContextManager[Any] = field(default_factory=nullcontext)
    machine: Machine = field(default_factory=Machine)
    boot: str | None = None
    has_booted: bool = False
    folder: str = ""
    job: str = ""
    stopping: bool = False
    saved: SavedState | None = None
    changes: Changes = field(default_factory=Changes)
    _token: str = ""
    _token_until: float = 0.0

    @property
    def context(self) -> str:
        """The context that the agent serves."""
        return self.options.context

    def recall(self) -> Saved | None:
        """What an agent before has kept; no other has it from now on."""
        if self.saved is None:
            self.saved = SavedState(self.options.state_folder, self.machine.uuid, self.context)
            self.saved.hold()
        return self.saved.load()

    def save(self) -> None:
        """Keep what has to outlive the agent."""
        if self.saved:
            self.saved.save(
                Saved(
                    boot_time=self.boot or "",
                    machine=self.machine,
                    job=self.job,
                    folder=self.folder,
                    stopping=self.stopping,
                )
            )

    def forget(self) -> None:
        """Know nothing of this boot, and keep nothing: what follows is another one."""
        if self.saved:
            self.saved.forget()
        self.boot = None

    async def leave(self) -> None:
        """Remove the folder on the host, if it is the agent's own, and let other agents have what is kept."""
        try:
            if self.folder and not self.options.folder:
                await self.host.remove_folder(self.folder)
        except HostFailed as error:  # it may be powered off; the next agent removes the folder
            self.say(f"{self.folder} is left: {error}")
        finally:
            if self.saved:
                self.saved.release()

    async def look(self) -> Machine:
        """The machine as it is now."""
        return await self.client.get(Machine, self.machine.uuid)

    async def set_runnable(self, runnable: bool, *tests: Operation) -> None:
        """Let the machine go on, or not; a refusal is said, and no error: others decide that too."""
        change = {"op": "replace", "path": "/Runnable", "value": runnable}
        try:
            await self.client.patch(Machine, self.machine.uuid, [*tests, change])
        except RequestFailed as error:
            if not error.error.code:
                raise
            self.say(f"Error marking machine {self.machine.uuid}: {error}")
        else:
            self.say(f"Marked machine {self.machine.uuid} as {'' if runnable else 'not '}runnable")

    async def mark_job(self, job: Job, state: str, exit_state: str = "", *more: Operation) -> Job:
        """The job in another state, if it is still in the one that is known."""
        changes: dict[str, Any] = {"State": state, **({"ExitState": exit_state} if exit_state else {})}
        operations: list[Operation] = [{"op": "test", "path": "/State", "value": job.state}]
        operations += [{"op": "replace", "path": f"/{name}", "value": value} for name, value in changes.items()]
        marked = await self.client.patch(Job, job.uuid, [*operations, *more])
        self.say(f"Updated job for {job.task} to {state}")
        return marked

    async def param(self, name: str) -> Any:
        """The value of a param of the machine, from wherever it has it; None also where that cannot be had."""
        try:
            return await self.client.param(self.machine, name, aggregate=True)
        except RequestFailed:
            return None

    async def token(self) -> str:
        """A token for scripts, for this machine alone; the agent's own one, if it may not have such a token."""
        if time.monotonic() >= self._token_until:
            try:
                self._token = await self.client.machine_token(self.machine.uuid, _TOKEN_LIFE)
            except RequestFailed as error:
                if not (error.error.code and self.settings.token):
                    raise
                self._token = self.settings.token
            self._token_until = time.monotonic() + _TOKEN_USE
        return self._token
