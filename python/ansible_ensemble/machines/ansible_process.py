"""Ansible in a process of its own, from the side of the agent."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.parent import die_with_parent
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.lanes import frames, outcomes
from ansible_ensemble.lanes.session import AnsibleSession
from ansible_ensemble.provision.agent.host import HostFailed

#: Takes a text that Ansible displays.
OnText = Callable[[str], None]

_GONE = "Ansible's process has ended"


class AnsibleProcess:
    """Starts a process that has Ansible, and asks it; an async context, at whose end it is gone.

    The lanes work in forks. A fork of an agent would have its connections, and what its threads have locked; so the
    process is forked off before there are any, by making this object.

    Args:
        make_session: reads the inventory, in that process, when it is first needed.
        executors: how many plays and reboots run at once.
    """

    def __init__(self, make_session: Callable[[], AnsibleSession], executors: int) -> None:
        self._connection, theirs = socket.socketpair()
        self._waiting: dict[int, tuple[asyncio.Future[dict[str, Any]], OnText | None]] = {}
        self._count = 0
        sys.stdout.flush()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            self._connection.close()
            _serve(theirs, make_session, executors, parent)
        theirs.close()

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(sock=self._connection)
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
        await self._reading
        await asyncio.to_thread(os.waitpid, self._pid, 0)

    async def ended(self) -> None:
        """Wait until the process has ended: nothing can be asked any more."""
        await asyncio.shield(self._reading)

    async def hosts(self, pattern: str) -> list[str]:
        """Names of the inventory's hosts that a pattern names.

        Raises:
            HostFailed: there are none, or the inventory cannot be read.
        """
        found: list[str] = (await self._ask({"ask": "hosts", "pattern": pattern}))["hosts"]
        return found

    async def variable(self, host: str, name: str) -> Any:
        """The value of a variable of a host; None if it has none."""
        return (await self._ask({"ask": "variable", "host": host, "name": name}))["value"]

    async def call(self, host: str, module: str, args: dict[str, Any]) -> Outcome:
        """What a module comes to on a host; if the awaiting task is cancelled, it has ended."""
        answer = await self._ask({"ask": "call", "host": host, "module": module, "args": args})
        return outcomes.from_message(answer["outcome"])

    async def play(self, host: Host, name: str, content: str, check: bool, on_text: OnText) -> Outcome:
        """What tasks or plays come to on a host; if the awaiting task is cancelled, they have ended.

        Raises:
            HostFailed: the content is neither tasks nor plays.
        """
        question = {"ask": "play", "host": reveal(as_map(host)), "name": name, "content": content, "check": check}
        return outcomes.from_message((await self._ask(question, on_text))["outcome"])

    async def _ask(self, question: dict[str, Any], on_text: OnText | None = None) -> dict[str, Any]:
        if self._reading.done():
            raise HostFailed(_GONE)
        self._count += 1
        number = self._count
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = (answered, on_text)
        self._send({"number": number, **question})
        try:
            answer = await asyncio.shield(answered)
        except asyncio.CancelledError:
            self._send({"number": number, "cancel": True})
            await asyncio.wait([answered])
            raise
        if "error" in answer:
            raise HostFailed(answer["error"])
        return answer

    def _send(self, message: dict[str, Any]) -> None:
        self._writer.write(frames.encode(message))

    async def _read(self) -> None:
        while (message := await frames.read(self._reader)) is not None:
            answered, on_text = self._waiting[message["of"]]
            if "text" in message:
                if on_text:
                    on_text(message["text"])
            else:
                del self._waiting[message["of"]]
                answered.set_result(message)
        for answered, _other in self._waiting.values():
            answered.set_result({"error": _GONE})


def _serve(connection: socket.socket, make_session: Callable[[], AnsibleSession], executors: int, parent: int) -> None:
    """Be that process; never returns. It imports Ansible when it is asked first: few agents ever ask."""
    try:
        die_with_parent(parent, signal.SIGKILL)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the agent ends us, when its scripts have ended
        os.dup2(2, 1)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - the one before may be a file's, and believe that it can seek
        if connection.recv(1, socket.MSG_PEEK):
            from ansible_ensemble.machines.ansible_service import AnsibleService, serve

            serve(connection, AnsibleService(make_session, executors))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
