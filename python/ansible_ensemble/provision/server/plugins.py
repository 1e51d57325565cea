"""Which plugins run: those that can be used, as long as the server does; one that ends is started again."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import Undecodable
from ansible_ensemble.provision.objects.event import Event
from ansible_ensemble.provision.objects.plugin import Plugin, PluginProvider
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.call import Server
from ansible_ensemble.provision.server.general_routes import posted_event
from ansible_ensemble.provision.server.plugin_process import PluginFault, PluginProcess, Secrets
from ansible_ensemble.provision.server.tokens import Token, signed
from ansible_ensemble.provision.server.upkeep import PRINCIPAL, guarded
from ansible_ensemble.provision.service.actions import Action, ActionFailed
from ansible_ensemble.provision.service.commands import output_of
from ansible_ensemble.provision.service.plugins import (
    Setup,
    defined_provider,
    forget_providers,
    keep_provider,
    note_errors,
    setups,
)

_LOG = logging.getLogger(__name__)

#: Seconds that a provider has to describe itself.
_DEFINE = 30.0

#: Seconds until a plugin that ended is started again: at first, at most; who runs for this long begins anew.
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0

#: Of all events.
_ALL = [(None, None, None)]

#: What has a provider describe itself without asking the server.
_NO_SESSION = {"RS_TOKEN": "catalog"}


def programs_in(folder: str) -> list[Path]:
    """The programs of a folder; none where there is no folder."""
    try:
        files = sorted(Path(folder).absolute().iterdir()) if folder else []
    except OSError as error:
        raise InvalidInput(f"plugins cannot be read from {folder}: {error.strerror}") from None
    return [one for one in files if one.is_file() and os.access(one, os.X_OK) and not one.name.startswith(".")]


class Plugins:
    """The plugins of one server.

    Args:
        server: that they extend.
        programs: of their providers.
        endpoint: where they reach the server.
    """

    def __init__(self, server: Server, programs: Sequence[Path], endpoint: str) -> None:
        self._server, self._files, self._endpoint = server, programs, endpoint
        self._declared = tuple(server.actions)
        self._offered: dict[str, tuple[Action, ...]] = {}
        self._programs: dict[str, Path] = {}
        self._running: dict[str, tuple[Setup, asyncio.Task[None]]] = {}
        self._stopping: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._unsubscribe = server.store.subscribe(self._hear)
        self._task = asyncio.create_task(self._keep_up())

    async def end(self) -> None:
        """End them."""
        self._unsubscribe()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._stop(list(self._running))

    def _hear(self, events: Sequence[Event]) -> None:
        if any(event.type in (Plugin.PREFIX, PluginProvider.PREFIX, "params") for event in events):
            self._changed.set()

    async def _keep_up(self) -> None:
        for file in self._files:
            await guarded(self._define(file))
        await guarded(self._server.store.transact(lambda tx: forget_providers(tx, self._programs), PRINCIPAL))
        while True:
            self._changed.clear()
            await guarded(self._compare())
            await self._changed.wait()

    async def _define(self, file: Path) -> None:
        """Ask a program what provider it is, and keep that."""
        environment = {"RS_ENDPOINT": self._endpoint, **_NO_SESSION}
        try:
            said = await asyncio.to_thread(
                output_of, [str(file), "define"], _DEFINE, file.name, environment=environment
            )
            provider = defined_provider(said)
            if provider.name in self._programs:
                raise ActionFailed(f"{self._programs[provider.name].name} is {provider.name} already")
            await self._server.store.transact(lambda tx: keep_provider(tx, provider), PRINCIPAL)
        except (ActionFailed, Undecodable, Refused) as error:
            _LOG.error("the plugin provider %s is left out: %s", file.name, error)
        else:
            self._programs[provider.name] = file

    async def _compare(self) -> None:
        """Stop plugins that are not as they are to be, and start those that are to run."""
        found = await self._server.store.read(lambda reader: list(setups(reader)))
        wanted = {one.name: one for one in found if one.provider.name in self._programs}
        await self._stop([name for name, (setup, _task) in self._running.items() if wanted.get(name) != setup])
        for name, setup in wanted.items():
            if name not in self._running:
                self._running[name] = setup, asyncio.create_task(self._keep_running(setup))

    async def _stop(self, names: Sequence[str]) -> None:
        """Stop plugins, and wait for all that stop; who is cancelled meanwhile leaves them to stop."""
        for name in names:
            _setup, task = self._running.pop(name)
            task.cancel()
            self._stopping.add(task)
        if self._stopping:
            await asyncio.wait(self._stopping)
        self._stopping.clear()

    async def _keep_running(self, setup: Setup) -> None:
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE
        while True:
            began = loop.time()
            try:
                fault = await self._run(setup)
            except Exception as error:
                fault = f"it cannot be started: {getattr(error, 'strerror', None) or error}"
                _LOG.debug("plugin %s cannot be started", setup.name, exc_info=True)
            if not fault:
                _LOG.info("plugin %s: its token has expired; it is started again", setup.name)
                continue
            if loop.time() - began > _LONGEST_PAUSE:
                pause = _FIRST_PAUSE
            _LOG.error("plugin %s: %s; it is started again in %g seconds", setup.name, fault, pause)
            await guarded(self._note(setup, fault))
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _run(self, setup: Setup) -> str:
        """Run a plugin until it ends or fails, or its token has expired; why it did, nothing in the last case.

        Raises:
            OSError: it cannot be started.
        """
        server, life = self._server, self._server.settings.token_life * 86400
        token = signed(Token(plugin=setup.name, expires=int(server.clock() + life)), server.token_key, setup.secret)
        secrets = Secrets()
        secrets.add([token, *(setup.params[name] for name in setup.secure)])
        process = PluginProcess(setup.name, self._programs[setup.provider.name], secrets, self._publisher(setup.name))
        try:
            await process.start({"RS_ENDPOINT": self._endpoint, "RS_TOKEN": token}, setup.params)
            self._offer(setup.name, _actions(setup, process))
            if setup.provider.has_publish:
                server.hub.add(process, _ALL)
            await guarded(self._note(setup))
            _LOG.info("plugin %s runs", setup.name)
            return await process.until_over(life)
        except PluginFault as fault:
            return str(fault)
        finally:
            self._offer(setup.name, ())
            if setup.provider.has_publish:
                server.hub.remove(process, _ALL)
            await process.stop()

    def _offer(self, name: str, actions: tuple[Action, ...]) -> None:
        """Offer the actions of a plugin; requests that are under way have the table as it was."""
        self._offered[name] = actions
        of_plugins = (one for key in sorted(self._offered) for one in self._offered[key])
        self._server.actions = (*self._declared, *of_plugins)

    def _note(self, setup: Setup, *errors: str) -> Awaitable[None]:
        return self._server.store.transact(lambda tx: note_errors(tx, setup.name, list(errors)), PRINCIPAL)

    def _publisher(self, name: str) -> Any:
        """What takes the events that a plugin publishes."""

        def tell(body: bytes) -> Awaitable[None]:
            principal = Token(plugin=name).principal
            return self._server.store.transact(lambda tx: tx.tell(posted_event(body, principal)), principal)

        return tell


def _actions(setup: Setup, process: PluginProcess) -> tuple[Action, ...]:
    offered = (one for one in setup.provider.available_actions if one.model in KINDS)
    return tuple(Action(about, process.act, plugin=setup.name) for about in offered)
