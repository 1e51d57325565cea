"""The Ansible lanes as a job sees them: an order goes in, an outcome comes out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Host, ModuleCall, Outcome, Play
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.execution.conversation import Answer
from ansible_ensemble.lanes import core, core_routing, frames, outcomes, processes
from ansible_ensemble.lanes.core_callbacks import TaskEvent
from ansible_ensemble.lanes.hub_process import HubProcess
from ansible_ensemble.lanes.project_collections import ProjectCollections
from ansible_ensemble.lanes.session import AnsibleSession
from ansible_ensemble.lanes.zygote import Zygote

_LOG = logging.getLogger(__name__)

OnDisplay = Callable[[str, tuple[Any, ...], dict[str, Any]], None]

#: Takes a line for people.
Tell = Callable[[str], Awaitable[None]]

_KILLED = "the Ansible worker was killed before the operation ended"


class _Process(Struct):
    pid: int
    connection: socket.socket
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    served: int = 0


class AnsibleLanes:
    """Runs Ansible orders side by side in executors that are forked from this process.

    Nothing is started before the first order. This process should have no other threads by then: the executors are
    forks of it. One event loop uses it.

    Args:
        session: inventory, variables, loader, play.
        executors: how many orders run at once.
        fast: False runs every module core's own way.
        deny: names of modules that must not take the fast lane.
        on_display: gets the name, arguments and keywords of each call of `Display` that a task makes.
        recycle: orders after which an executor is replaced by a fresh one.
        use_task_executor, use_inline: False forces what is done on a core whose internals are not known (tests).
        on_task: gets an event for each task of a play that begins or ends; None if nobody is to be told.
        root: the folder of the project, in whose folder `collections` more may turn up at any time.
    """

    def __init__(
        self,
        session: AnsibleSession,
        *,
        executors: int,
        fast: bool = True,
        deny: frozenset[str] = frozenset(),
        on_display: OnDisplay,
        recycle: int = 500,
        use_task_executor: bool = True,
        use_inline: bool = True,
        on_task: Callable[[TaskEvent], None] | None = None,
        root: Path | None = None,
    ) -> None:
        self._session = session
        self._collections = ProjectCollections(root)
        self._slots = asyncio.Semaphore(executors)
        self._fast = fast
        self._deny = deny
        self._on_display = on_display
        self._on_task = on_task
        self._recycle = recycle
        self._use_task_executor = use_task_executor
        self._use_inline = use_inline
        self._warm = False
        self._zygote: Zygote | None = None
        self._hub = HubProcess()
        self._former: list[Zygote] = []
        self._idle: list[_Process] = []
        self._all: dict[int, _Process] = {}

    async def run(
        self,
        order: ModuleCall | Play,
        on_display: OnDisplay | None = None,
        tell: Tell | None = None,
        answer: Answer | None = None,
        hosts: str | None = None,
    ) -> Outcome:
        """Carry out an order; wait for a free executor if need be.

        If the awaiting task is cancelled, the executor and all that it started are killed, and it is replaced.

        Args:
            order: what to do.
            on_display: gets what this order displays, instead of who gets what others do.
            tell: gets a line for each task of a play that is to be told of.
            answer: answers what a module call asks.
            hosts: what the session learns for it.
        """
        _check(order)
        async with self._slots:
            begun = time.monotonic()
            if self._session.brought is not None and hosts is not None:
                self._session.brought.learn(hosts)  # an executor is made by what its first order is for
            message = {
                "kind": "play" if isinstance(order, Play) else "module",
                "order": reveal(as_map(order)),
                "hosts": hosts,
            }
            outcome = await self._carry_out(
                order, message, on_display or self._on_display, tell or _unheard, answer or _unheard
            )
            outcome.seconds = time.monotonic() - begun
            return outcome

    async def close(self) -> None:
        """End every process that was started here; what still runs is killed."""
        for process in list(self._all.values()):
            self._end(process)
        self._idle.clear()
        self._hub.close()
        if self._zygote:
            self._former.append(self._zygote)
            self._zygote = None
        for zygote in self._former:
            if zygote.waiting:
                asyncio.get_running_loop().remove_reader(zygote.waiting)
            zygote.close()
        self._former.clear()

    def _renew(self) -> None:
        """Have what begins from now on find collections that an operation has installed; what runs goes on."""
        if not self._collections.renew() or not self._warm:
            return
        for process in self._idle:
            self._end(process)
        self._idle.clear()
        for process in self._all.values():
            process.served = self._recycle
        if self._zygote:
            self._former.append(self._zygote)
            self._zygote = Zygote(_collection_paths(), core_routing.redirections())

    async def _carry_out(
        self, order: ModuleCall | Play, message: dict[str, Any], on_display: OnDisplay, tell: Tell, answer: Answer
    ) -> Outcome:
        self._renew()
        process = self._idle.pop() if self._idle else await self._spawn(order.host)
        done = False
        try:
            async with asyncio.timeout(order.timeout):
                outcome = await self._converse(process, message, on_display, tell, answer)
            done = outcome is not None
        except TimeoutError:
            return Outcome(ok=False, timed_out=True, error=f"timed out after {order.timeout:g} s", lane="stock")
        finally:
            process.served += 1
            if done and process.served < self._recycle:
                self._idle.append(process)
            else:
                self._end(process)
        return outcome or outcomes.failure(_KILLED)

    async def _converse(
        self, process: _Process, order: dict[str, Any], on_display: OnDisplay, tell: Tell, answer: Answer
    ) -> Outcome | None:
        """Send the order, relay what is displayed, answer what is asked; None if the executor died."""
        _LOG.debug("executor %d gets a %s", process.pid, order["kind"])
        with contextlib.suppress(ConnectionError):
            process.writer.write(frames.encode(order))
            await process.writer.drain()
        while (message := await frames.read(process.reader)) is not None:
            if "outcome" in message:
                return outcomes.from_message(message["outcome"])
            if "secrets" in message:
                core.register_secrets(message["secrets"])
            elif "told" in message:
                await tell(message["told"])
            elif "asked" in message:
                with contextlib.suppress(ConnectionError):
                    process.writer.write(frames.encode({"answer": await answer(message["asked"])}))
            elif "task" in message:
                if self._on_task:
                    self._on_task(TaskEvent.from_json(message["task"]))
            else:
                method, args, kwargs = message["display"]
                on_display(method, tuple(args), kwargs)
        return None

    async def _spawn(self, host: Host) -> _Process:
        from ansible_ensemble.lanes import core_remote
        from ansible_ensemble.lanes.executor import Executor, start

        if not self._warm:
            self._warm = True
            elsewhere = core_remote.is_elsewhere(self._session, host)
            if self._fast:
                self._begin_zygote(later=elsewhere)
                self._hub.listen(self._descriptors)
            core.warm_up(self._session)
            if self._fast and elsewhere:
                core_remote.read_module_utils()
        ours, theirs = socket.socketpair()
        inherited = [
            ours.fileno(),
            *self._descriptors(),
            *self._hub.inherited,
        ]
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            executor = Executor(
                self._session,
                theirs,
                self._zygote,
                self._hub.control,
                self._deny,
                use_task_executor=self._use_task_executor,
                use_inline=self._use_inline,
                tells_tasks=self._on_task is not None,
            )
            start(executor, parent, inherited)
        theirs.close()
        try:
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException:
            processes.kill(pid)
            ours.close()
            raise
        process = _Process(pid, ours, reader, writer)
        self._all[pid] = process
        _LOG.debug("executor %d began", pid)
        return process

    def _begin_zygote(self, *, later: bool) -> None:
        """Begin the process for local modules, or as soon as there is one."""
        self._zygote = zygote = Zygote(_collection_paths(), core_routing.redirections(), later=later)
        if zygote.waiting:
            asyncio.get_running_loop().add_reader(zygote.waiting, self._start_zygote, zygote)

    def _start_zygote(self, zygote: Zygote) -> None:
        if zygote.waiting:
            asyncio.get_running_loop().remove_reader(zygote.waiting)
            zygote.start()

    def _descriptors(self) -> list[int]:
        """The job's descriptors that are of no use to its other children."""
        waiting = self._zygote.waiting if self._zygote else None
        ends = [process.connection for process in self._all.values()]
        return [end.fileno() for end in (*ends, *([waiting] if waiting else ()))]

    def _end(self, process: _Process) -> None:
        self._all.pop(process.pid, None)
        _LOG.debug("executor %d ends after %d orders", process.pid, process.served)
        process.writer.transport.abort()
        processes.kill(process.pid)


async def _unheard(said: Any) -> None:
    """Tell nobody, and answer nothing."""


def _check(order: ModuleCall | Play) -> None:
    if isinstance(order, ModuleCall) and order.module.rpartition(".")[2] == "import_playbook":
        raise InvalidInput(
            "'import_playbook' is not an operation of a host", hint="name the playbook itself as the implementation"
        )
    if isinstance(order, Play) and order.kind not in ("tasks", "role", "playbook"):
        raise InvalidInput(f"unknown kind of play '{order.kind}'", hint="use tasks, role or playbook")


def _collection_paths() -> list[str]:
    """The folders that hold `ansible_collections`, as the zygote's finder takes them."""
    from ansible.utils.collection_loader import AnsibleCollectionConfig

    suffix = f"{os.sep}ansible_collections"
    return [path.removesuffix(suffix) for path in AnsibleCollectionConfig.collection_paths]
