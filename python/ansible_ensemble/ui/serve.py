"""Serves the pages of a project until the process is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aiohttp import web

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.ui.access import Access, names_of
from ansible_ensemble.ui.application import Pages

#: The port at which a socket is meant to be reached through ssh.
_FORWARDED = 8080


async def serve(
    root: Path, tell: Callable[[str], None], *, port: int = 0, socket: Path | None = None, read_only: bool = False
) -> None:
    """Serve the pages on this machine's own address, or on a socket that only this user can open.

    Args:
        root: the project's folder.
        tell: shows a line to who started it.
        port: the port; 0 takes a free one.
        socket: the socket's file, instead of a port.
        read_only: whether nothing may be changed.

    Raises:
        UsageError: the port or the socket is in use.
    """
    access = Access(frozenset(), read_only=read_only)
    pages = Pages(root, access)
    runner = web.AppRunner(pages.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        with _freed(socket):
            address = await _listen(runner, access, port, socket)
            _tell_address(tell, root, address, access, socket)
            await _stopped(lambda: tell(f"  {address}/?token={access.new_token()}"))
    finally:
        await runner.cleanup()


@contextmanager
def _freed(socket: Path | None) -> Iterator[None]:
    """Remove the socket that is made within, and nothing that was there before or took its place."""
    if socket is None:
        yield
        return
    if socket.exists() or socket.is_symlink():
        raise UsageError(f"{socket} exists already", hint="remove it if no server uses it, or give another one")
    made = None
    try:
        yield
    finally:
        with suppress(OSError):
            made = socket.stat()
        if made is not None and stat.S_ISSOCK(made.st_mode):
            socket.unlink()


async def _listen(runner: web.AppRunner, access: Access, port: int, socket: Path | None) -> str:
    """Begin to listen; returns the address without a path."""
    try:
        if socket is not None:
            before = os.umask(0o177)
            try:
                await web.UnixSite(runner, str(socket)).start()
            finally:
                os.umask(before)
            return f"http://localhost:{_FORWARDED}"
        await web.TCPSite(runner, "127.0.0.1", port).start()
    except OSError as error:
        where = f"the socket {socket}" if socket else f"port {port}"
        why = os.strerror(error.errno) if error.errno else error  # asyncio's own words repeat the address
        raise UsageError(f"{where} cannot be used: {why}", hint="give another one") from None
    taken = runner.addresses[0][1]
    access.hosts = names_of(taken)
    return f"http://127.0.0.1:{taken}"


def _tell_address(tell: Callable[[str], None], root: Path, address: str, access: Access, socket: Path | None) -> None:
    tell(f"The pages of {root} are at the address below, which opens once, in one browser.")
    tell(f"  {address}/?token={access.new_token()}")
    if socket is not None:
        tell(f"It is reached through `ssh -L {_FORWARDED}:{socket.absolute()} HOST`.")
    more = "Enter prints another address; " if sys.stdin and sys.stdin.isatty() else ""
    tell(f"{more}Ctrl-C stops, and leaves alone the jobs that run.")


async def _stopped(print_another: Callable[[], None]) -> None:
    """Wait for a signal to stop; at a terminal, each line that is entered asks for another address."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stopped.set)
    at_terminal = bool(sys.stdin and sys.stdin.isatty())

    def entered() -> None:
        if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():
            loop.remove_reader(sys.stdin)  # the shell reads there now
        elif sys.stdin.readline():
            print_another()
        else:
            loop.remove_reader(sys.stdin)

    if at_terminal:
        loop.add_reader(sys.stdin, entered)
    await stopped.wait()
    if at_terminal:
        loop.remove_reader(sys.stdin)
