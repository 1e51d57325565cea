"""The certificate that a server shows to somebody who does not know it yet."""

from __future__ import annotations

import hashlib
import socket
import ssl
from typing import NamedTuple

from yarl import URL

from ansible_ensemble.provision.client.failure import unreachable

_SECONDS = 10.0


class Shown(NamedTuple):
    """What a server shows.

    Attributes:
        fingerprint: the SHA-256 of its certificate, in hexadecimal.
        is_trusted: whether the system trusts it for the server's name.
    """

    fingerprint: str
    is_trusted: bool


def shown_by(endpoint: str) -> Shown:
    """The certificate that the server at an address shows."""
    try:
        return Shown(_fingerprint(endpoint, ssl.create_default_context()), True)
    except ssl.SSLCertVerificationError:
        pass
    except OSError as error:
        raise unreachable(endpoint, error) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        return Shown(_fingerprint(endpoint, context), False)
    except OSError as error:
        raise unreachable(endpoint, error) from None


def _fingerprint(endpoint: str, context: ssl.SSLContext) -> str:
    url = URL(endpoint)
    host, port = url.host or "", url.port or 443
    with (
        socket.create_connection((host, port), timeout=_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        return hashlib.sha256(encrypted.getpeercert(binary_form=True) or b"").hexdigest()
