"""What a browser asks of a server, and is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, CookieJar, web
from msgspec import Struct
from multidict import CIMultiDict

from ansible_ensemble.ui.access import Access, hosts_of
from ansible_ensemble.ui.rights import OPEN, SEE


class Asked(Struct):
    """A request of a test: in texts of headers, PORT is the server's.

    Attributes:
        first: is called before it is sent.
    """

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: Any = None
    first: Any = None


def get(path: str = "/", **said: Any) -> Asked:
    return Asked("GET", path, **said)


def post(path: str = "/", body: Any = None, **said: Any) -> Asked:
    return Asked("POST", path, body=body or {}, **said)


class Answer(Struct):
    status: int
    text: str
    cookie: str


@asynccontextmanager
async def browser_of(application: web.Application, access: Access) -> AsyncIterator[tuple[ClientSession, int]]:
    """A browser of a server, and the server's port."""
    runner = web.AppRunner(application, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    access.hosts = hosts_of(port)
    try:
        async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as browser:  # also for addresses in numbers
            yield browser, port
    finally:
        await runner.cleanup()


async def _answers(access: Access, asked: tuple[Asked, ...]) -> list[Answer]:
    """The answers to requests of one browser."""

    def handler() -> Any:
        async def shown(_request: web.Request) -> web.Response:
            return web.Response(text="shown")

        return shown

    application = web.Application(middlewares=[access.guard])
    for method, path, works, right in (
        ("GET", "/", handler(), SEE),
        ("POST", "/", handler(), "plan"),
        ("DELETE", "/", handler(), "cancel"),
        ("GET", "/session", access.session, OPEN),
        ("POST", "/session", access.log_in, OPEN),
        ("DELETE", "/session", access.log_out, OPEN),
    ):
        application.router.add_route(method, path, works)
        access.needs[works] = right
    async with browser_of(application, access) as (browser, port):
        return [await _answer(browser, port, one) for one in asked]


async def _answer(browser: ClientSession, port: int, asked: Asked) -> Answer:
    if asked.first:
        asked.first()
    headers = CIMultiDict((name, value.replace("PORT", str(port))) for name, value in asked.headers.items())
    url = f"http://127.0.0.1:{port}{asked.path}"
    async with browser.request(asked.method, url, headers=headers, json=asked.body) as answer:
        return Answer(answer.status, await answer.text(), answer.headers.get("Set-Cookie", ""))


def answers(access: Access, *asked: Asked) -> list[Answer]:
    return asyncio.run(_answers(access, asked))


def statuses(access: Access, *asked: Asked) -> list[int]:
    return [one.status for one in answers(access, *asked)]


def write(file: Path, text: str, mode: int = 0o600) -> Path:
    file.unlink(missing_ok=True)
    file.write_text(text)
    file.chmod(mode)
    return file
