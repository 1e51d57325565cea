"""Programs that a job keeps: one process answers requests of many operations, with what it has open.

A request and its answer are lines of JSON on a socket, which is the program's standard input: `{number, request}`, and
`{number, answer}` with the fields of an outcome. `{number}` alone says that the request is not wanted any more; it is
answered all the same. When the socket closes, the program ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import ansible_ensemble
from ansible_ensemble.core.orders import Outcome, Request
from ansible_ensemble.execution.watchdog import Watchdog

_LOG = logging.getLogger(__name__)
_CODE = "import sys, importlib; sys.path.insert(0, sys.argv[1]); importlib.import_module(sys.argv[2]).main()"
#: Bytes of one answer.
_LONGEST = 256 * 1024 * 1024


class KeptPrograms:
    """The programs of a job, each started when it is first asked.

    Args:
        grace: seconds that a request which is not wanted any more may go on, and a program that is to end.
        watchdog: ends them should this process be killed.
    """

    def __init__(self, grace: float, watchdog: Watchdog) -> None:
        self._grace = grace
        self._watchdog = watchdog
        self._programs: dict[str, _Program] = {}

    async def ask(self, order: Request) -> Outcome:
        """The answer to a request; when the awaiting task is cancelled, the program is told, and gets the grace."""
        program = self._programs.get(order.program)
        if program is None or program.has_ended:
            program = self._programs[order.program] = _Program(order.program, self._grace, self._watchdog)
        return await program.ask(order)

    async def close(self) -> None:
        """End all of them."""
        for program in self._programs.values():
            await program.close()
        self._programs.clear()


class _Program:
    """A program that runs."""

    def __init__(self, module: str, grace: float, watchdog: Watchdog) -> None:
        self._module = module
        self._grace = grace
        self._watchdog = watchdog
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._mine, theirs = socket.socketpair()
        package = str(Path(ansible_ensemble.__file__).parent.parent)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _CODE, package, module],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        watchdog.watch(self._process.pid)
        _LOG.debug("%s is process %d", module, self._process.pid)
        self._reading = asyncio.create_task(self._read())
        self._writer: asyncio.StreamWriter | None = None
        self._ready = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether it answers nothing any more."""
        return self._reading.done()

    async def ask(self, order: Request) -> Outcome:
        """The answer to a request."""
        loop, number = asyncio.get_running_loop(), next(self._numbers)
        begin, answer = loop.time(), loop.create_future()
        self._waiting[number] = answer
        await self._ready.wait()
        self._send({"number": number, "request": order.request})
        timed_out = False
        try:
            done, _other = await asyncio.wait([answer], timeout=order.timeout)
            if not done:
                timed_out = True
                await self._leave(number, answer)
        except asyncio.CancelledError:
            await self._leave(number, answer)
            raise
        finally:
            self._waiting.pop(number, None)
        outcome = Outcome(**answer.result()) if answer.done() else Outcome(ok=False)
        outcome.seconds = loop.time() - begin
        if timed_out:
            outcome.ok, outcome.timed_out = False, True
            outcome.error = f"it took longer than {order.timeout:g} s and was ended"
        return outcome

    async def close(self) -> None:
        """End it."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._mine.close()
        self._watchdog.release(self._process.pid)
        try:
            self._process.wait(self._grace)  # it ends at once; a thread would make forks unsafe
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    async def _leave(self, number: int, answer: asyncio.Future[dict[str, Any]]) -> None:
        """Say that a request is not wanted any more, and let it come to an end."""
        self._send({"number": number})
        await asyncio.wait([answer], timeout=self._grace)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._writer is not None
        self._writer.write(json.dumps(message).encode() + b"\n")

    async def _read(self) -> None:
        reader, self._writer = await asyncio.open_connection(sock=self._mine, limit=_LONGEST)
        self._ready.set()
        try:
            with suppress(ConnectionError):
                while line := await reader.readline():
                    message = json.loads(line)
                    answer = self._waiting.get(message["number"])
                    if answer is not None and not answer.done():
                        answer.set_result(message["answer"])
        finally:
            self._writer.close()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_result({"ok": False, "error": f"{self._module} ended before it answered"})
