"""TLS of servers: certificates from files, and the names that clients may know a server by."""

from __future__ import annotations

import os
import socket
import ssl
from contextlib import suppress
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place


def tls_context(cert: Path, key: Path) -> ssl.SSLContext:
    """What encrypts with a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load(context, cert, key)
    return context


def load(context: ssl.SSLContext, cert: Path, key: Path) -> None:
    """Show a certificate to those who connect from now on."""
    for file in (cert, key):
        if not os.access(file, os.R_OK):
            raise InvalidInput("it is not there, or cannot be read", Place(str(file)))
    try:
        context.load_cert_chain(cert, key, password=_refuse_password)
    except (ssl.SSLError, OSError, InvalidInput) as error:
        reason = (error.reason or "they are not PEM") if isinstance(error, ssl.SSLError) else error
        raise InvalidInput(f"this is no certificate and its key: {reason}", Place(str(cert))) from None


def _refuse_password() -> str:
    raise InvalidInput("the key needs a password")


def names_of(host: str) -> list[str]:
    """The names and addresses under which clients may know the server."""
    name = socket.gethostname()
    found = ["localhost", "127.0.0.1", "::1", name, *([] if host in ("", "0.0.0.0", "::") else [host])]
    with suppress(OSError):  # the name of this machine may have no address
        found += [socket.getfqdn(name), *(str(one[4][0]).partition("%")[0] for one in socket.getaddrinfo(name, None))]
    return list(dict.fromkeys(found))
