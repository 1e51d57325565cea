"""The process of a plugin, and the two sockets by which it and the server talk, in HTTP."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from ansible_ensemble.core.parent import end_group
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.provision.objects.base import Record
from ansible_ensemble.provision.objects.codec import Undecodable, decode, decode_json, encode
from ansible_ensemble.provision.objects.event import Error, LogLine
from ansible_ensemble.provision.server.answers import JSON, answer_to, nothing
from ansible_ensemble.provision.server.backlog import Backlog
from ansible_ensemble.provision.server.log import LEVELS
from ansible_ensemble.provision.service.actions import ActionFailed, Invocation

_LOG = logging.getLogger(__name__)

#: Seconds that a plugin has to be ready, to be set up, for an event, for an action, and to end.
_READY, _CONFIG, _EVENT, _ACTION, _STOP = 30.0, 30.0, 30.0, 100.0, 5.0

#: What a program says, on a line of its own, when it listens.
_IS_READY = "READY!"

#: A longer line of output is left out.
_LINE = 2**20

#: Becomes a program that ends with the server; Python ignores two signals, which the program is to know.
_START = """
import os, signal, sys
from ansible_ensemble.core.parent import die_with_parent
die_with_parent(int(sys.argv[1]), signal.SIGKILL)
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
try:
    os.execv(sys.argv[2], sys.argv[2:])
except OSError as error:
    sys.exit(f"it cannot be started: {error.strerror}")
"""

#: How JSON of Go writes what is markup in HTML.
_IN_GO = str.maketrans({one: f"\\u{ord(one):04x}" for one in "<>&"})

_TO_PLUGIN, _TO_SERVER = "/api-plugin/v3", "/api-server-plugin/v3"


class PluginFault(Exception):
    """Why a plugin does not do what it should."""


class _Asked(Record, frozen=True, kw_only=True):
    """An action as a plugin is asked for it."""

    model: Any
    plugin: str
    command: str
    params: Mapping[str, Any]


class Secrets(Redactor):
    """What nothing that a plugin says may show."""

    def add(self, value: Any, name: str = "") -> None:
        """Hide a value from now on, also as programs in Go write it."""
        super().add(value, name)
        if isinstance(value, str):
            super().add(json.dumps(value, ensure_ascii=False)[1:-1].translate(_IN_GO))


class PluginProcess:
    """A running plugin.

    Args:
        name: of the plugin.
        program: of its provider.
        secrets: what is not to be shown of what it says.
        tell: takes events that it publishes, as JSON.
    """

    def __init__(self, name: str, program: Path, secrets: Secrets, tell: Callable[[bytes], Awaitable[Any]]) -> None:
        self._name, self._program, self._secrets, self._tell = name, program, secrets, tell
        self._fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._is_ready = asyncio.Event()
        self._events = Backlog()
        self._last = ""
        self._leaving = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._folder = Path(tempfile.mkdtemp(prefix="plugin-"))  # its mode is 0700
        self._session = aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(self._folder / "to")))
        self._runner = web.AppRunner(self._application(), access_log=None, handle_signals=False)
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, environment: Mapping[str, str], params: Mapping[str, Any]) -> None:
        """Start it, and set it up.

        Raises:
            OSError: it cannot be started.
            PluginFault: it is not ready in time, or refuses its params.
        """
        await self._runner.setup()
        await web.UnixSite(self._runner, str(self._folder / "from")).start()
        words = (str(self._program), "listen", str(self._folder / "to"), str(self._folder / "from"))
        process = self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", _START, str(os.getpid()), *words),
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, **environment},
            start_new_session=True,
            limit=_LINE,
        )
        assert process.stdout
        assert process.stderr
        listening = [asyncio.create_task(self._listen(stream)) for stream in (process.stdout, process.stderr)]
        self._tasks = [*listening, asyncio.create_task(self._watch(process, listening))]
        await self._until_ready()
        await self.ask("config", encode(params), _CONFIG)
        self._tasks.append(asyncio.create_task(self._publish()))

    async def _until_ready(self) -> None:
        ready = asyncio.ensure_future(self._is_ready.wait())
        either: set[asyncio.Future[Any]] = {ready, self._fault}
        await asyncio.wait(either, timeout=_READY, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if self._fault.done():
            raise PluginFault(self._fault.result())
        if not self._is_ready.is_set():
            raise PluginFault(f"it was not ready after {_READY:g} seconds")

    async def until_over(self, seconds: float) -> str:
        """Why it does not run any more; nothing after that time, when it has run long enough."""
        await asyncio.wait({self._fault}, timeout=seconds)
        return self._fault.result() if self._fault.done() else ""

    async def stop(self) -> None:
        """End it, with what it started and is in its session."""
        process = self._process
        if process and process.returncode is None:
            with suppress(PluginFault):
                await self.ask("stop", b"", _STOP)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _STOP)
            end_group(process.pid)
            await process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()
        await self._runner.cleanup()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def ask(self, what: str, body: bytes, seconds: float) -> bytes:
        """Have it do something.

        Raises:
            PluginFault: it does not, or not in time; who does not answer in time does not run any more.
        """
        try:
            async with self._session.post(
                f"http://plugin{_TO_PLUGIN}/{what}",
                data=body,
                headers={"Content-Type": JSON},
                timeout=aiohttp.ClientTimeout(total=seconds),
            ) as answer:
                text = await answer.read()
        except TimeoutError:
            self._end(f"{what} took longer than {seconds:g} seconds")
            raise PluginFault(self._fault.result()) from None
        except aiohttp.ClientError:
            raise PluginFault(f"{what}: the plugin has gone") from None
        if answer.status >= 400:
            raise PluginFault(self._secrets.text(_said(text) or f"{what} was answered by {answer.status}"))
        return text

    async def act(self, asked: Invocation) -> Any:
        """Have it carry out an action.

        Raises:
            ActionFailed: it does not.
        """
        self._secrets.add([asked.params[name] for name in asked.secure])
        command = asked.action.about.command
        body = encode(_Asked(model=asked.target, plugin=self._name, command=command, params=asked.params))
        try:
            return decode_json(await self.ask("action", body, _ACTION) or b"null")
        except PluginFault as fault:
            raise ActionFailed(str(fault)) from None

    def hear(self, message: bytes) -> None:
        """Tell it of an event, after those before it."""
        if not self._events.put(message):
            self._end("it is too slow: events were waiting")

    async def _publish(self) -> None:
        while True:
            message = await self._events.get()
            try:
                await self.ask("publish", message, _EVENT)
            except PluginFault as fault:
                _LOG.warning("plugin %s did not take an event: %s", self._name, fault)

    def _end(self, fault: str) -> None:
        if not self._fault.done():
            self._fault.set_result(self._leaving or fault)

    async def _watch(self, process: asyncio.subprocess.Process, listening: list[asyncio.Task[None]]) -> None:
        status = await process.wait()
        end_group(process.pid)  # at once: its id may be another's later
        await asyncio.wait(listening, timeout=_STOP)  # what it started may have its output still
        how = f"it was ended by signal {-status}" if status < 0 else f"it exited with status {status}"
        self._end(f"{how}: {self._last}" if self._last else how)

    async def _listen(self, stream: asyncio.StreamReader) -> None:
        while True:
            try:
                line = (await stream.readline()).decode(errors="replace")
            except ValueError:
                continue  # it was too long
            if not line:
                return
            if line.strip() == _IS_READY:
                self._is_ready.set()
            elif line.strip():
                self._last = self._secrets.text(line.strip())
                _LOG.info("plugin %s: %s", self._name, self._last)

    def _application(self) -> web.Application:
        """What the plugin can ask of the server by its socket."""
        made = web.Application()
        for name, take in (("publish", self._tell), ("log", self._take_line), ("leaving", self._take_leave)):
            made.router.add_post(f"{_TO_SERVER}/{name}", _handler(take))
        return made

    async def _take_line(self, body: bytes) -> None:
        line = decode(LogLine, body)
        _LOG.log(
            LEVELS.get(line.level, logging.ERROR),
            "plugin %s: %s",
            self._name,
            self._secrets.text(line.message.rstrip()),
        )

    async def _take_leave(self, body: bytes) -> None:
        self._leaving = self._secrets.text(_said(body)) or "it has left"


def _said(text: bytes) -> str:
    """The messages of an error."""
    try:
        return "\n".join(decode(Error, text).messages)
    except Undecodable:
        return ""


def _handler(take: Callable[[bytes], Awaitable[Any]]) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        try:
            await take(await request.read())
        except Exception as error:
            return answer_to(error, request)
        return nothing()

    return handle
