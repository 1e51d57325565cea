"""The sockets that a server listens at: its own, or those that the service manager hands over."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

from ansible_ensemble.core.errors import EnsembleError

#: The first descriptor that is handed over.
_FIRST = 3

#: How many connections may wait to be taken.
_BACKLOG = 1024


def handed_over(environment: MutableMapping[str, str]) -> list[socket.socket]:
    """The sockets that systemd opened for this process; processes that it starts get none."""
    pid, count = environment.pop("LISTEN_PID", ""), environment.pop("LISTEN_FDS", "")
    environment.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdecimal():
        return []
    sockets = [socket.socket(fileno=number) for number in range(_FIRST, _FIRST + int(count))]
    for one in sockets:
        one.set_inheritable(False)
        one.setblocking(False)
    return sockets


def bound(host: str, port: int) -> list[socket.socket]:
    """Sockets of our own at an address."""
    opened: list[socket.socket] = []
    try:
        for family, *_others, address in _addresses(host, port):
            opened.append(_listening(family, address))
    except OSError as error:
        for one in opened:
            one.close()
        reason = error.strerror or str(error)
        raise EnsembleError(f"cannot listen at {host}:{port}: {reason}", hint="see --host and --port") from None
    return opened


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, int, int, str, tuple[object, ...]]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys(found))


def _listening(family: socket.AddressFamily, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
        made.listen(_BACKLOG)
        made.setblocking(False)
    except OSError:
        made.close()
        raise
    return made


def shown(one: socket.socket) -> str:
    """The address of a socket, as clients write it."""
    host, port = one.getsockname()[:2]
    return f"https://{f'[{host}]' if ':' in host else host}:{port}"


def reached(one: socket.socket) -> str:
    """The address at which the own host reaches a socket."""
    return shown(one).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
