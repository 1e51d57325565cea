"""How a server is known to be the right one, and the certificate that it shows to somebody who does not know it yet."""

from __future__ import annotations

import hashlib
import socket
import ssl
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from ansible_ensemble.provision.client.failure import unreachable

_SECONDS = 10.0
_HTTPS = 443


class Trust(Struct, frozen=True):
    """How a server is known to be the right one.

    Attributes:
        context: verifies certificates, or takes any.
        fingerprint: the SHA-256 of the server's certificate, in hexadecimal; empty for any that the context takes.
    """

    context: ssl.SSLContext
    fingerprint: str = ""


class Shown(NamedTuple):
    """What a server shows.

    Attributes:
        fingerprint: the SHA-256 of its certificate, in hexadecimal.
        is_trusted: whether the system trusts it for the server's name.
    """

    fingerprint: str
    is_trusted: bool


def host_and_port(endpoint: str) -> tuple[str, int]:
    """Where a server is; ValueError if that is no address."""
    place = urlsplit(endpoint)
    return place.hostname or "", _HTTPS if place.port is None else place.port


def unverified() -> ssl.SSLContext:
    """A context that takes any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def fingerprint(shown: ssl.SSLSocket | ssl.SSLObject) -> str:
    """The SHA-256 of the certificate that the other end shows, in hexadecimal."""
    return hashlib.sha256(shown.getpeercert(binary_form=True) or b"").hexdigest()


def shown_by(endpoint: str) -> Shown:
    """The certificate that the server at an address shows."""
    try:
        return Shown(_shown(endpoint, ssl.create_default_context()), True)
    except ssl.SSLCertVerificationError:
        pass
    except OSError as error:
        raise unreachable(endpoint, error) from None
    try:
        return Shown(_shown(endpoint, unverified()), False)
    except OSError as error:
        raise unreachable(endpoint, error) from None


def _shown(endpoint: str, context: ssl.SSLContext) -> str:
    host, port = host_and_port(endpoint)
    with (
        socket.create_connection((host, port), timeout=_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return fingerprint(encrypted)
