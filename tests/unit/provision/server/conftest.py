"""A server in a thread, on a loopback port, with a store of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from base64 import b64encode
from collections.abc import Coroutine, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from ansible_ensemble.provision.server.app import application
from ansible_ensemble.provision.server.call import Server
from ansible_ensemble.provision.server.first_start import prepare
from ansible_ensemble.provision.server.hub import Hub
from ansible_ensemble.provision.server.login import Login
from ansible_ensemble.provision.server.metrics import Metrics
from ansible_ensemble.provision.server.settings import Settings
from ansible_ensemble.provision.service.actions import Action
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.ui.static_files import machine_pages

#: No test waits longer for what has to come.
PATIENCE = 60


@dataclass
class Answer:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Live:
    """A server, and requests to it; all as the first user unless they say otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.run(self._start())
        found = self.get("/users/rocketskates/token", auth=("rocketskates", "r0cketsk8ts"), token=None)
        self.token: str = found.json["Token"]

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _start(self) -> None:
        store = await open_store(self.folder / "provision.sqlite")
        start = await store.transact(lambda tx: prepare(tx, default_user=True), "system")
        login = Login(store, start.token_key)
        self.actions: list[Action] = []
        settings = Settings(data=str(self.folder), file_limit=1)
        self.server = Server(
            store, settings, start.token_key, login, Hub(), Metrics(), self.actions, pages=machine_pages()
        )
        store.subscribe(self.server.tell)
        self._runner = web.AppRunner(application(self.server), access_log=None, lingering_time=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self.session = aiohttp.ClientSession()

    def stop(self) -> None:
        self.run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    async def _stop(self) -> None:
        await self.session.close()
        self.server.stop()
        await self._runner.cleanup()
        await self.server.store.close()

    def __call__(self, method: str, path: str, body: Any = None, **said: Any) -> Answer:
        return self.run(self.call(method, path, body, **said))

    def get(self, path: str, **said: Any) -> Answer:
        return self("GET", path, **said)

    async def call(self, method: str, path: str, body: Any = None, *, token: str | None = "", headers: Any = None,
                   auth: tuple[str, str] | None = None) -> Answer:  # fmt: skip
        sent = dict(headers or {})
        if token is not None and auth is None:
            sent.setdefault("Authorization", f"Bearer {token or self.token}")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        if auth:
            sent["Authorization"] = "Basic " + b64encode(":".join(auth).encode()).decode()
        url = self.base + (path if path.startswith(("/healthz", "/metrics", "/x/", "/ui")) else f"/api/v3{path}")
        async with self.session.request(method, url, data=body, headers=sent) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    @asynccontextmanager
    async def socket(self, token: str = "", **said: Any) -> Any:
        headers = {"Authorization": f"Bearer {token or self.token}"} if not said else {}
        async with self.session.ws_connect(f"{self.base}/api/v3/ws", headers=headers, **said) as opened:
            yield opened

    def machine(self, name: str, **fields: Any) -> dict[str, Any]:
        made = self("POST", "/machines", {"Name": name, **fields})
        assert made.status == 201, made.body
        return made.json


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server, which the tests of a module share."""
    made = Live(tmp_path_factory.mktemp("server"))
    yield made
    made.stop()
