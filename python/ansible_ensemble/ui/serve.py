"""Serves the pages of a project until the process is told to stop."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from msgspec import Struct

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.tls import names_of, tls_context
from ansible_ensemble.ui.access import HERE, Access, hosts_of
from ansible_ensemble.ui.application import Pages
from ansible_ensemble.ui.users import Users

#: The port at which a socket is meant to be reached through ssh.
_FORWARDED = 8080


class Address(Struct, frozen=True):
    """Where the pages are served.

    Attributes:
        host: the address to listen at.
        port: the port; 0 takes a free one.
        socket: the file of a socket that only its user can open, instead of host and port.
        cert: the certificate of TLS, and
        key: its key.
        url: how browsers reach the server, if a proxy or a name of the certificate makes it another one.
    """

    host: str = "127.0.0.1"
    port: int = 0
    socket: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    url: str = ""

    @property
    def is_here(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def scheme(self) -> str:
        """How browsers begin its URL."""
        return urlsplit(self.url).scheme or ("https" if self.cert else "http")

    def hosts(self, port: int) -> frozenset[str]:
        """How browsers name the server, which listens at this port; nothing is known of a socket's file."""
        standard = 443 if self.scheme == "https" else 80
        if self.url:
            found = urlsplit(self.url)
            return hosts_of(found.port or standard, [found.hostname or ""], standard)
        if self.socket:
            return frozenset()
        return hosts_of(port, {*HERE, self.host} if self.is_here else names_of(self.host), standard)

    def check(self, users: Users | None) -> None:
        """Refuse what would show the pages to others without TLS, or without users."""
        if not 0 <= self.port < 65536:
            raise UsageError(f"--port {self.port}: a port is a number up to 65535")
        if bool(self.cert) != bool(self.key):
            raise UsageError(
                "a certificate needs its key, and a key its certificate", hint="give both --cert and --key"
            )
        if self.socket and (self.cert or self.port or not self.is_here):
            raise UsageError("a socket has no address, port or certificate")
        if not self.is_here and not (self.cert and users):
            raise UsageError(
                f"--host {self.host} lets others see the pages, which needs TLS and users",
                hint="give --cert, --key and --users",
            )
        if self.url and not _is_origin(self.url):
            raise UsageError(f"--url {self.url}: it is a scheme and a name, as in https://ensembles.example.com")
        if self.url and self.scheme == "http" and (users or self.cert):
            raise UsageError(f"--url {self.url}: passwords and sessions need https")


def _is_origin(url: str) -> bool:
    """Whether it is the URL of a server: a scheme, a name and perhaps a port."""
    try:
        found = urlsplit(url)
        is_whole = found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        return False
    return is_whole and not (found.path.strip("/") or found.query or found.fragment or "@" in found.netloc)


async def serve(
    root: Path, tell: Callable[[str], None], address: Address, *, users: Users | None = None, read_only: bool = False
) -> None:
    """Serve the pages.

    Args:
        root: the project's folder.
        tell: shows a line to who started it.
        address: where.
        users: who may log in; without them, whoever has an address that is told here.
        read_only: whether nothing may be changed.
    """
    address.check(users)
    context = tls_context(address.cert, address.key) if address.cert and address.key else None
    access = Access(frozenset(), read_only=read_only, users=users, secure=address.scheme == "https", tell=tell)
    runner = web.AppRunner(Pages(root, access).application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        url = await _listen(runner, access, address, context)
        with _freed(address.socket):
            await _stopped(_greet(tell, root, url, access, address.socket))
    finally:
        await runner.cleanup()


@contextmanager
def _freed(file: Path | None) -> Iterator[None]:
    """Remove a socket that was made, and nothing that took its place."""
    made = file and file.lstat()
    try:
        yield
    finally:
        with suppress(OSError):
            if file and made and os.path.samestat(made, file.lstat()):
                file.unlink()


async def _listen(runner: web.AppRunner, access: Access, address: Address, context: ssl.SSLContext | None) -> str:
    """Begin to listen; returns how browsers reach it, without a path."""
    if address.socket and (address.socket.exists() or address.socket.is_symlink()):
        hint = "remove it if no server uses it, or give another one"
        raise UsageError(f"{address.socket} exists already", hint=hint)
    try:
        if address.socket is not None:
            before = os.umask(0o177)
            try:
                await web.UnixSite(runner, str(address.socket)).start()
            finally:
                os.umask(before)
        else:
            await web.TCPSite(runner, address.host, address.port, ssl_context=context).start()
    except OSError as error:
        where = f"the socket {address.socket}" if address.socket else f"port {address.port} of {address.host}"
        why = (
            os.strerror(error.errno) if error.errno and error.errno > 0 else error
        )  # asyncio's own words repeat the address
        raise UsageError(f"{where} cannot be used: {why}", hint="give another one") from None
    port = 0 if address.socket else runner.addresses[0][1]
    access.hosts = address.hosts(port)
    if address.url:
        return address.url.rstrip("/")
    if address.socket:
        return f"http://localhost:{_FORWARDED}"
    name = socket.gethostname() if address.host in ("0.0.0.0", "::") else address.host
    return f"{address.scheme}://{f'[{name}]' if ':' in name else name}:{port}"


def _greet(
    tell: Callable[[str], None], root: Path, url: str, access: Access, socket_file: Path | None
) -> Callable[[], None] | None:
    """Tell where the pages are; returns what tells another address that opens once, unless users log in."""

    def another() -> None:
        tell(f"  {url}/?token={access.new_token()}")

    at_terminal = bool(sys.stdin and sys.stdin.isatty())
    if access.users:
        tell(f"The pages of {root}, for its users, are at:")
        tell(f"  {url}/")
    else:
        tell(f"The pages of {root} are at the address below, which opens once, within an hour, in one browser.")
        another()
    if socket_file is not None:
        tell(f"It is reached through `ssh -L {_FORWARDED}:{socket_file.absolute()} HOST`.")
    more = "Enter prints another address; " if at_terminal and not access.users else ""
    tell(f"{more}Ctrl-C stops, and leaves alone the jobs that run.")
    return None if access.users or not at_terminal else another


async def _stopped(print_another: Callable[[], None] | None) -> None:
    """Wait for a signal to stop; each line that is entered at a terminal has another address printed."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stopped.set)

    def entered() -> None:
        if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():
            loop.remove_reader(sys.stdin)  # the shell reads there now
        elif sys.stdin.readline() and print_another:
            print_another()
        else:
            loop.remove_reader(sys.stdin)

    if print_another:
        loop.add_reader(sys.stdin, entered)
    await stopped.wait()
    if print_another:
        loop.remove_reader(sys.stdin)
