"""A server on the loopback that answers as a test says, with a certificate of its own."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from ansible_ensemble.provision.client.settings import Settings

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
KEY = "users/admin/token"


@dataclass
class Certificate:
    """A certificate and its key in one file, and its digest."""

    file: Path
    fingerprint: str


def make_certificate(folder: Path) -> Certificate:
    """A certificate for the loopback, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
    now = datetime.datetime.now(datetime.UTC)
    addresses = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    file.write_bytes(made.public_bytes(serialization.Encoding.PEM) + pem)
    digest = hashlib.sha256(made.public_bytes(serialization.Encoding.DER)).hexdigest()
    return Certificate(file, digest)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of the servers of tests."""
    return make_certificate(tmp_path_factory.mktemp("certificate"))


class Scripted:
    """A server whose answers a test gives.

    Attributes:
        requests: method, path with query, headers and body of each request so far.
        settings: those of a client that may log in.
    """

    def __init__(self, certificate: Certificate, handler: Handler) -> None:
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.settings = Settings(user="admin", password="secret", ca_file=str(certificate.file), waits=(0.0,) * 3)
        self._certificate, self._handler = certificate, handler
        self._runner: web.AppRunner
        self.port = 0

    async def start(self) -> None:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(self._certificate.file)
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=context)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self.settings = replace(self.settings, endpoints=(f"https://127.0.0.1:{self.port}",))

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append((request.method, request.raw_path, dict(request.headers), await request.read()))
        if request.path.endswith(f"/{KEY}"):
            return web.json_response({"Token": "a-token", "Info": {}})
        return await self._handler(request)

    @property
    def seen(self) -> list[str]:
        """The requests but those of logins, as `METHOD path`."""
        return [f"{method} {path.removeprefix('/api/v3/')}" for method, path, *_ in self.requests if KEY not in path]


@pytest.fixture
def serving(certificate: Certificate) -> Callable[[Handler], Any]:
    """Start a server of one handler, as an async context."""

    @asynccontextmanager
    async def serve(handler: Handler) -> AsyncIterator[Scripted]:
        server = Scripted(certificate, handler)
        await server.start()
        try:
            yield server
        finally:
            await server.stop()

    return serve


def answering(*answers: tuple[int, Any]) -> Handler:
    """A handler that gives each of some answers once, and the last from then on."""
    left = list(answers)

    async def handle(request: web.Request) -> web.StreamResponse:
        status, body = left.pop(0) if len(left) > 1 else left[0]
        if body is None:
            return web.Response(status=status, content_type="application/json")
        return web.json_response(body, status=status)

    return handle


def breaking(times: int, then: Handler) -> Handler:
    """A handler that drops the connection a few times before it answers."""
    left = [times]

    async def handle(request: web.Request) -> web.StreamResponse:
        if left[0]:
            left[0] -= 1
            assert request.transport is not None
            request.transport.abort()
        return await then(request)

    return handle
