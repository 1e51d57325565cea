"""A server with some content, and a client of it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest
from aiohttp import web

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.settings import Settings
from tests.unit.provision.client.conftest import make_certificate
from tests.unit.provision.server.conftest import Live

T = TypeVar("T")
Ask = Callable[[Callable[[Client], Awaitable[Any]]], Any]

CONTENT = [
    ("params", {"Name": "color", "Schema": {"type": "string"}}),
    ("params", {"Name": "secret/key", "Secure": True}),
    ("tasks", {"Name": "prepare", "Templates": [{"Name": "run", "Contents": "#!/bin/sh\nexit 0\n"}]}),
    ("tasks", {"Name": "install", "Prerequisites": ["prepare"]}),
    ("bootenvs", {"Name": "live", "OS": {"Name": "live"}}),
    ("stages", {"Name": "begin", "Tasks": ["prepare"], "Meta": {"feature-flags": "of-begin"}}),
    ("stages", {"Name": "boot", "BootEnv": "live", "Tasks": ["install"]}),
    ("workflows", {"Name": "whole", "Stages": ["begin", "boot"]}),
    ("workflows", {"Name": "broken", "Stages": ["nowhere"]}),
    ("profiles", {"Name": "rack", "Params": {"color": "red"}}),
]


class Serving(Live):
    """A server that clients reach by TLS, too."""

    async def encrypt(self) -> None:
        shown = make_certificate(self.folder)
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(shown.file)
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=context).start()
        endpoint = f"https://127.0.0.1:{self._runner.addresses[-1][1]}"
        self.settings = Settings(endpoints=(endpoint,), token=self.token, ca_file=str(shown.file), waits=())


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server, which the tests of a module share."""
    made = Serving(tmp_path_factory.mktemp("server"))
    made.run(made.encrypt())
    for kind, fields in CONTENT:
        assert made("POST", f"/{kind}", fields).status == 201
    yield made
    made.stop()


@pytest.fixture
def ask(serving: Serving) -> Ask:
    """Run a function of a client of the server."""

    def asked(function: Callable[[Client], Awaitable[T]]) -> T:
        async def whole() -> T:
            async with Client(serving.settings) as client:
                return await function(client)

        return asyncio.run(whole())

    return asked
