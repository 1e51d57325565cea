"""Who may see the pages, and change something."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import ClientSession, CookieJar, web

from ansible_ensemble.ui.access import Access, names_of


async def _answers(access: Access, *asked: tuple[str, str, dict[str, str]]) -> list[tuple[int, str]]:
    """The statuses and texts of requests, in one browser: their methods, paths and headers."""

    async def handler(_request: web.Request) -> web.Response:
        return web.Response(text="shown")

    application = web.Application(middlewares=[access.guard])
    application.router.add_route("*", "/", handler)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    access.hosts = names_of(port)
    try:
        async with ClientSession(cookie_jar=_jar()) as browser:
            told = []
            for method, path, headers in asked:
                named = {name: value.replace("PORT", str(port)) for name, value in headers.items()}
                async with browser.request(method, f"http://127.0.0.1:{port}{path}", headers=named) as answer:
                    told.append((answer.status, await answer.text()))
            return told
    finally:
        await runner.cleanup()


def _jar() -> CookieJar:
    return CookieJar(unsafe=True)  # also for addresses in numbers


def _asked(access: Access, *asked: tuple[str, str, dict[str, str]]) -> list[tuple[int, str]]:
    return asyncio.run(_answers(access, *asked))


def test_an_address_opens_once() -> None:
    access = Access(frozenset())
    token = access.new_token()
    (status, text), (again, why) = _asked(access, ("GET", f"/?token={token}", {}), ("GET", f"/?token={token}", {}))
    assert (status, text) == (200, "shown"), "the browser was sent on, and has a session"
    assert again == 401
    assert "used already" in why


@pytest.mark.parametrize("session", [None, "guessed", "gu\u00e9ssed", "\udcff"])
def test_nobody_without_a_session_sees_anything(session: str | None) -> None:
    access = Access(frozenset())
    headers = {} if session is None else {"Cookie": f"{access.cookie}={session}"}
    ((status, text),) = _asked(access, ("GET", "/", headers))
    assert status == 401
    assert "shown" not in text


FROM_ELSEWHERE = [
    {"Host": "attacker.example"},
    {"Host": "attacker.example:PORT"},
    {"Origin": "http://attacker.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FROM_ELSEWHERE, ids=str)
def test_other_sites_change_nothing(headers: dict[str, str]) -> None:
    access = Access(frozenset())
    opened, asked, own = _asked(
        access,
        ("GET", f"/?token={access.new_token()}", {}),
        ("POST", "/", headers),
        ("POST", "/", {"Origin": "http://127.0.0.1:PORT", "Sec-Fetch-Site": "same-origin"}),
    )
    assert opened[0] == own[0] == 200
    assert asked[0] == 403


def test_two_servers_have_sessions_of_their_own() -> None:
    assert Access(frozenset()).cookie != Access(frozenset()).cookie, "cookies know no ports"


def test_read_only_shows_and_changes_nothing() -> None:
    access = Access(frozenset(), read_only=True)
    opened, posted, deleted = _asked(
        access, ("GET", f"/?token={access.new_token()}", {}), ("POST", "/", {}), ("DELETE", "/", {})
    )
    assert opened[0] == 200
    assert posted[0] == deleted[0] == 403
    assert "--read-only" in posted[1]
