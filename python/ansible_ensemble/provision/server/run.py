"""A server as a process: it starts, serves until it is told to stop, and finishes what it began."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
from asyncio import sslproto
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from aiohttp import web

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.page_files import PageFile
from ansible_ensemble.core.tls import load, tls_context
from ansible_ensemble.provision.server import log
from ansible_ensemble.provision.server.app import application, files_application
from ansible_ensemble.provision.server.call import Server
from ansible_ensemble.provision.server.certificate import own_certificate
from ansible_ensemble.provision.server.first_start import new_password, prepare
from ansible_ensemble.provision.server.hub import Hub
from ansible_ensemble.provision.server.listening import bound, handed_over, reached, shown
from ansible_ensemble.provision.server.login import Login
from ansible_ensemble.provision.server.metrics import Metrics
from ansible_ensemble.provision.server.plugins import Plugins, programs_in
from ansible_ensemble.provision.server.settings import Settings, yaml_of
from ansible_ensemble.provision.server.upkeep import PRINCIPAL, Upkeep
from ansible_ensemble.provision.service.actions import Action
from ansible_ensemble.provision.service.blobs import remove_broken
from ansible_ensemble.provision.service.built_ins import FIRST_USER
from ansible_ensemble.provision.service.declared_actions import declared_actions
from ansible_ensemble.provision.store.opening import is_postgres, open_store
from ansible_ensemble.provision.store.transaction import Store

_LOG = logging.getLogger(__name__)

#: Seconds for a handshake, for the first request of a connection, between two, and for requests when the server stops.
_HANDSHAKE, _FIRST_REQUEST, _IDLE, _FINISH = 10.0, 30.0, 75.0, 20.0

#: Seconds until what does not finish is cut.
_CUT = 1.0

#: Seconds between two looks at whether our own certificate expires.
_RENEWAL = 86400.0

#: Bytes that asyncio sets aside for each encrypted connection, of which there may be thousands; a record has 16 KiB.
_TLS_BUFFER = 2**15

#: Takes a line for the user.
Say = Callable[[str], None]


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Store]:
    """The store of a server."""
    if not settings.database:
        settings.make_folder()
    store = await open_store(settings.store, log_limit=settings.log_limit * 2**20)
    try:
        yield store
    finally:
        await store.close()


async def serve(settings: Settings, say: Say, pages: Mapping[str, PageFile]) -> None:
    """Serve until a signal says to stop.

    Args:
        settings: how.
        say: takes what the user is told: the first password, and the address.
        pages: what is shown in browsers, by the names of files.
    """
    kept = log.begin(settings.log_level, settings.log_format)
    actions = _declared(Path(settings.actions)) if settings.actions else ()
    programs = programs_in(settings.plugins)
    async with opened(settings) as store:
        start = await store.transact(lambda tx: prepare(tx, default_user=settings.default_user), PRINCIPAL)
        if start.password and settings.password_file:
            _write_password(Path(settings.password_file), start.password)
        elif start.password:
            _say_password(say, start.password, settings.default_user)
        await asyncio.to_thread(remove_broken, settings.folder)
        server = Server(
            store=store,
            settings=settings,
            token_key=start.token_key,
            login=Login(store, start.token_key),
            hub=Hub(),
            metrics=Metrics(),
            actions=actions,
            log=kept,
            pages=pages,
        )
        await _serve(server, programs, say)


def _declared(file: Path) -> tuple[Action, ...]:
    return declared_actions(yaml_of(file) or [], file.absolute().parent)


def _say_password(say: Say, password: str, known: bool) -> None:
    say(f"The password of the user {FIRST_USER} is {password}")
    say("Everybody knows it: change it." if known else "This is said only once.")


def _write_password(file: Path, password: str) -> None:
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as opened_file:
            os.fchmod(descriptor, 0o600)
            opened_file.write(f"{password}\n")
    except OSError as error:
        hint = "make another by: ansible-ensemble provision password"
        raise EnsembleError(f"cannot write the first password to {file}: {error.strerror}", hint=hint) from None


async def _serve(server: Server, programs: Sequence[Path], say: Say) -> None:
    stopped = _signals()
    sslproto.SSLProtocol.max_size = _TLS_BUFFER
    context = tls_context(*_certificate(server.settings))
    sockets = handed_over(os.environ) or bound(server.settings.host, server.settings.port)
    unsubscribe = server.store.subscribe(server.tell)
    upkeep = Upkeep(server.store, server.settings.job_age, server.settings.job_count, server.log.follow)
    runner = web.AppRunner(
        application(server), access_log=None, keepalive_timeout=_IDLE, shutdown_timeout=_CUT, handle_signals=False
    )
    await runner.setup()
    loop = asyncio.get_running_loop()
    listeners = [
        await loop.create_server(
            lambda: _watched(server, runner), sock=one, ssl=context, ssl_handshake_timeout=_HANDSHAKE
        )
        for one in sockets
    ]
    files = await _serve_files(server)
    upkeep.begin()
    plugins = Plugins(server, programs, reached(sockets[0]))
    renewing = asyncio.create_task(_renew(server.settings, context))
    for one in sockets:
        say(f"Ready at {shown(one)}")
    _LOG.info("the server is ready")
    await stopped.wait()
    _LOG.info("the server stops")
    for listener in listeners:
        listener.close()
    server.stop()
    with suppress(TimeoutError):
        await asyncio.wait_for(server.is_idle.wait(), _FINISH)  # aiohttp reads no body any more when it cleans up
    renewing.cancel()
    await plugins.end()
    await upkeep.end()
    await runner.cleanup()
    await files.cleanup()
    unsubscribe()


async def _serve_files(server: Server) -> web.AppRunner:
    """Serve files without TLS, if there is a port for it."""
    made = web.AppRunner(
        files_application(server), access_log=None, keepalive_timeout=_IDLE, shutdown_timeout=_CUT, handle_signals=False
    )
    await made.setup()
    settings = server.settings
    for one in bound(settings.host, settings.file_port) if settings.file_port else ():
        await web.SockSite(made, one).start()
    return made


def _signals() -> asyncio.Event:
    """Is set when the server is to stop."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


def _certificate(settings: Settings) -> tuple[Path, Path]:
    """The files of the certificate and its key: those that are given, or our own.

    Raises:
        EnsembleError: our own cannot be kept.
    """
    if settings.cert:
        return Path(settings.cert), Path(settings.key)
    settings.make_folder()
    try:
        return own_certificate(settings.folder / "tls", settings.host)
    except OSError as error:
        hint = "see --data, or give --cert and --key"
        raise EnsembleError(f"cannot keep a certificate in {settings.data}: {error.strerror}", hint=hint) from None


async def _renew(settings: Settings, context: ssl.SSLContext) -> None:
    """Show a new certificate before the old one expires, also one that was replaced in its files."""
    while True:
        await asyncio.sleep(_RENEWAL)
        try:
            load(context, *await asyncio.to_thread(_certificate, settings))
        except (EnsembleError, OSError) as error:
            _LOG.error("the certificate cannot be renewed: %s", error)


def _watched(server: Server, runner: web.AppRunner) -> asyncio.Protocol:
    """A new connection, which is closed if it sends no request."""
    assert runner.server
    made = runner.server()

    def close() -> None:
        server.silent.pop(made, None)
        made.force_close()

    server.silent[made] = asyncio.get_running_loop().call_later(_FIRST_REQUEST, close)
    return made


async def reset_password(settings: Settings) -> str:
    """Another password for the first user.

    Raises:
        EnsembleError: the store cannot be opened, as when a server has it, or there is no such user.
    """
    with suppress(PermissionError):  # of which the store says more
        if not is_postgres(settings.store) and not Path(settings.store).exists():
            raise EnsembleError(f"there is no database {settings.store}", hint="see --data and --database")
    async with opened(settings) as store:
        return await store.transact(new_password, PRINCIPAL)
