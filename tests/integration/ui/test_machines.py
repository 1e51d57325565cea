"""The pages of machines in a browser, before a server and an agent that run as processes."""

from __future__ import annotations

import asyncio
import json
import os
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.provision.agents import AgentProcess
from tests.integration.provision.served import Served
from tests.integration.ui.chromium import AXE, PROGRAM, Chromium
from tests.integration.ui.test_print import PAPER, is_printed, print_out

pytestmark = [pytest.mark.matrix, pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")]

CANARY = "a word that nobody may see"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
CODES = "\033]0;title\007\033[31mred\033[0m \u202eturned"
SCRIPT = """#!/bin/sh
cat <<'END'
SAID
END
until test -e GO_ON; do sleep 0.05; done
echo went on
"""
SILENT = "document.getElementById('connection').innerText"
WIDTHS = (360, 768, 1280, 2560)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server with two machines, whose every text is somebody's who means harm."""
    served = Served(tmp_path)
    hostile = HOSTILE + CODES
    script = SCRIPT.replace("SAID", hostile).replace("GO_ON", str(tmp_path / "go-on"))
    told = {"Description": hostile, "Documentation": hostile, "Meta": {"title": hostile}}
    template = {"Name": "run", "Path": "", "Contents": script}
    for kind, fields in (
        ("params", {"Name": "secret", "Secure": True, "Schema": {"type": "string", "default": CANARY}}),
        ("params", {"Name": "note", "Schema": {"type": "string", "default": hostile}}),
        ("profiles", {"Name": "group", "Params": {"note": f"of the group {hostile}", "secret": CANARY}}),
        ("tasks", {"Name": "greet", "Templates": [template]}),
        ("tasks", {"Name": "fail", "Templates": [{**template, "Contents": "#!/bin/sh\necho it broke; exit 1\n"}]}),
        ("stages", {"Name": "first", "Tasks": ["greet"]}),
        ("stages", {"Name": "second", "Tasks": ["fail"]}),
        ("workflows", {"Name": "install", "Stages": ["first", "second"]}),
        ("workflows", {"Name": "other", "Stages": ["first"]}),
    ):
        served("POST", f"/{kind}", {**told, **fields})
    params = {"note": hostile, "secret": CANARY, "list": [hostile]}
    for name in ("web1", "web2"):
        served("POST", "/machines", {"Name": name, **told, "Profiles": ["group"], "Params": params, "Address": ""})
    for kind in ("machines", "tasks", "workflows", "stages"):
        assert served.status("POST", f"/{kind}", {"Name": HOSTILE}) == 422, "names hold no markup"
    yield served
    served.stop()


def agent_of(served: Served, name: str, folder: Path) -> AgentProcess:
    token = served("GET", f"/machines/Name:{name}/token")["Token"]
    uuid = served("GET", f"/machines/Name:{name}")["Uuid"]
    known = {"RS_ENDPOINT": served.base, "RS_TOKEN": token}
    return AgentProcess([uuid, f"--state-dir={folder / 'state'}", "--insecure"], {**os.environ, **known})


async def log_in(browser: Chromium, served: Served, name: str, password: str) -> None:
    await browser.call("Security.setIgnoreCertificateErrors", ignore=True)
    await browser.open(f"{served.base}/")
    await browser.until("document.getElementById('password')")
    await enter(browser, name=name, password=password)
    await browser.run("document.getElementById('password').focus()")
    await browser.press("Enter", 13)


async def enter(browser: Chromium, **fields: str) -> None:
    for field, value in fields.items():
        await browser.run(
            f"(() => {{ const field = document.getElementById('{field}'); field.value = {json.dumps(value)}; "
            "for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true})); })()"
        )


async def fits(browser: Chromium) -> None:
    for width in WIDTHS:
        await browser.resize(width)
        across = await browser.run("document.documentElement.scrollWidth")
        assert across <= width, f"it scrolls sideways at {width} pixels"


def badge(word: str) -> str:
    return f"[...document.querySelectorAll('h1 .badge')].some((one) => one.textContent === '{word}')"


def test_a_machine_goes_through_a_workflow_that_a_page_started(server: Served, tmp_path: Path) -> None:
    agents: list[AgentProcess] = []

    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            assert "it needs a workflow" in await browser.text()
            await fits(browser)
            await browser.click("td a")
            await browser.until(badge("idle"))
            await enter(browser, workflow="install")
            await browser.click("#start")
            await browser.until(badge("waiting"))
            assert "is it running?" in await browser.run("document.getElementById('reason').textContent")
            agents.append(await asyncio.to_thread(agent_of, server, "web1", tmp_path))
            await browser.until(badge("running"))
            await browser.click("details.run:first-of-type summary")
            await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            await browser.until("document.querySelector('main').innerText.includes('red')")
            seen = await browser.text()
            await fits(browser)
            (tmp_path / "go-on").touch()
            await browser.until(badge("failed"))
            await browser.until("document.querySelector('main').innerText.includes('went on')")
            assert await browser.run("document.getElementById('reason').textContent") == (
                "fail failed: its job's log says why; once it is runnable, the task is run again"
            )
            await browser.until("document.getElementById('runnable')")
            await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            await browser.until("document.querySelector('main').innerText.includes('it broke')")
            seen += await browser.text()
            await browser.run("location.hash = '#/'")
            await browser.until("document.querySelectorAll('td a').length === 2")
            seen += await browser.text()
            await _nothing_ran(browser, seen)
            assert [one for one in browser.complaints if "416" not in one] == []

    try:
        asyncio.run(work())
    finally:
        for agent in agents:
            agent.end()


async def _nothing_ran(browser: Chromium, seen: str) -> None:
    assert HOSTILE in seen, "a value is shown as it is"
    assert not await browser.run("Boolean(document.querySelector('main img, main script'))"), "and is no markup"
    assert CANARY not in seen
    assert "(sensitive value)" in seen
    assert not set("\033\007\u202e") & set(seen)
    assert "red turned" in seen, "a log has no codes for terminals"


def test_where_params_come_from(server: Served) -> None:
    async def work() -> list[list[str]]:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.click("td a")
            await browser.until("document.querySelector('table')?.innerText.includes('profile group')")
            rows = "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((one) => one.innerText))"
            found: list[list[str]] = await browser.run(rows)
            assert browser.complaints == []
            return found

    note, secret = ((row for row in asyncio.run(work()) if row[0] == name) for name in ("note", "secret"))
    (of_note,), (of_secret,) = note, secret
    assert of_note[2] == "the machine"
    assert [line.partition(":")[0] for line in of_note[3].splitlines() if ": " in line] == ["profile group", "default"]
    assert of_secret[1] == "(sensitive value)"


def test_users_see_and_start_what_they_may(server: Served) -> None:
    one = server("GET", "/machines/Name:web1")["Uuid"]
    claims = [{"scope": "machines", "action": "list,get", "specific": one}]
    server("POST", "/roles", {"Name": "looker", "Claims": claims})
    server("POST", "/users", {"Name": "joe", "Roles": ["looker"]})
    server("PUT", "/users/joe/password", {"Password": "correct horse"})

    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "joe", "wrong")
            await browser.until("document.querySelector('.problem')")
            await enter(browser, password="correct horse")
            await browser.click("form button")
            await browser.until("document.querySelectorAll('td a').length === 1")
            server("PATCH", "/machines/Name:web1", [{"op": "replace", "path": "/Workflow", "value": "other"}])
            await browser.until("document.querySelector('main').innerText.includes('other')")
            await browser.click("td a")
            await browser.until("document.querySelector('main').innerText.includes('you may not see them')")
            assert not await browser.run("document.getElementById('start')"), "there are no workflows for him"
            await browser.click("header button")
            await browser.until("document.getElementById('password')")
            assert await browser.run("sessionStorage.length") == 0

    asyncio.run(work())


def test_who_may_only_look_is_offered_no_change(server: Served) -> None:
    one = server("GET", "/machines/Name:web1")["Uuid"]
    change = [{"op": "replace", "path": "/Workflow", "value": "install"}]
    server("PATCH", f"/machines/{one}", [*change, {"op": "replace", "path": "/Runnable", "value": False}])
    claims = [{"scope": "machines,jobs,workflows", "action": "list,get", "specific": "*"}]
    server("POST", "/roles", {"Name": "looker", "Claims": claims})
    server("POST", "/users", {"Name": "joe", "Roles": ["looker"]})
    server("PUT", "/users/joe/password", {"Password": "correct horse"})

    async def offered(name: str, password: str) -> list[bool]:
        async with Chromium() as browser:
            await log_in(browser, server, name, password)
            await browser.click(f"#machine-{one}")
            await browser.until("document.querySelector('main ol')")
            return [await browser.run(f"Boolean(document.getElementById('{one}'))") for one in ("start", "runnable")]

    assert asyncio.run(offered("joe", "correct horse")) == [False, False]
    assert asyncio.run(offered("rocketskates", server.password)) == [True, True]


LOG = "document.querySelector('pre.log')"


def test_a_log_is_shown_from_its_end_and_stays_where_it_is_read(server: Served) -> None:
    uuid = server("GET", "/machines/Name:web1")["Uuid"]
    server("PATCH", f"/machines/{uuid}", [{"op": "replace", "path": "/Workflow", "value": "install"}])
    job = server("POST", "/jobs", {"Machine": uuid})["Uuid"]

    def say(text: str) -> None:
        secret = b64encode(f"rocketskates:{server.password}".encode()).decode()
        headers = {"Authorization": f"Basic {secret}", "Content-Type": "application/octet-stream"}
        address = f"{server.base}/api/v3/jobs/{job}/log"
        request = urllib.request.Request(address, f"{text}\n".encode(), headers, method="PUT")
        handler = urllib.request.HTTPSHandler(context=server.context())
        urllib.request.build_opener(urllib.request.ProxyHandler({}), handler).open(request).close()

    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.click(f"#machine-{uuid}")
            await browser.until("document.querySelector('details.run')")
            await browser.run("document.querySelector('details.run').open = true")
            await browser.until(f"{LOG}.textContent.includes('it goes on')")
            assert "it begins" not in await browser.run(f"{LOG}.textContent")
            say("more")
            await browser.until(f"{LOG}.textContent.includes('more')")
            at_end = f"{LOG}.scrollTop + {LOG}.clientHeight >= {LOG}.scrollHeight - 1"
            assert await browser.run(at_end), "it follows"
            await browser.run(f"{LOG}.scrollTop = 7")
            say("even more")
            await browser.until(f"{LOG}.textContent.includes('even more')")
            assert await browser.run(f"{LOG}.scrollTop") == 7, "somebody reads there"

    say("\n".join(("it begins", *["another line of output"] * 10_000, "it goes on")))
    asyncio.run(work())


def test_all_machines_are_read_at_once_and_then_after_pauses(server: Served) -> None:
    script = """(async () => {
        const { soon } = await import('./refresh.js'), waited = [];
        const later = window.setTimeout;
        window.setTimeout = (work, pause) => { waited.push(pause); return later(work, 0); };
        let read = 0, all;
        const ended = new Promise((resolve) => { all = resolve; });
        const refresh = soon(async () => { read += 1; if (read === 3) all(); else refresh.call(); }, () => {}, 3000);
        refresh.call();
        refresh.call();
        await ended;
        window.setTimeout = later;
        return waited;
    })()"""

    async def work() -> Any:
        async with Chromium() as browser:
            await browser.call("Security.setIgnoreCertificateErrors", ignore=True)
            await browser.open(f"{server.base}/ui/")
            await browser.until("document.getElementById('password')")
            return await browser.run(script)

    assert asyncio.run(work()) == [0, 3000, 3000]


@pytest.mark.parametrize("field", ["Workflow", "Stage", "State", "Task"])
def test_machines_are_found_and_shown_by_what_they_are_in(server: Served, field: str) -> None:
    uuid = server("GET", "/machines/Name:web1")["Uuid"]
    server("PATCH", f"/machines/{uuid}", [{"op": "replace", "path": "/Workflow", "value": "install"}])
    headings = {
        "Workflow": ["install", "no workflow"],
        "Stage": ["first", "none"],
        "State": ["idle", "waiting"],
        "Task": ["no task"],
    }

    async def work() -> Any:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            await enter(browser, group=field)
            named = "[...document.querySelectorAll('.group')].map((one) => one.firstChild.textContent)"
            found = await browser.run(named)
            await enter(browser, find="WEB2")
            await browser.until("document.querySelectorAll('td a').length === 1")
            await enter(browser, find="nowhere")
            await browser.until("document.querySelector('.empty')")
            assert browser.complaints == []
            return found

    assert sorted(asyncio.run(work())) == headings[field]


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: make axe")
def test_everybody_can_use_the_pages(server: Served, tmp_path: Path) -> None:
    server("PATCH", "/machines/Name:web1", [{"op": "replace", "path": "/Workflow", "value": "install"}])
    (tmp_path / "go-on").touch()
    agent = agent_of(server, "web1", tmp_path)

    async def look(browser: Chromium, page: str) -> list[str]:
        found = []
        for scheme, width in (("light", WIDTHS[-1]), ("dark", WIDTHS[0])):
            await browser.prefer(scheme)
            await browser.resize(width)
            found += [f"{page}, {scheme}: {one}" for one in await browser.hindrances()]
        return found

    async def work() -> list[str]:
        async with Chromium() as browser:
            await browser.call("Security.setIgnoreCertificateErrors", ignore=True)
            await browser.open(f"{server.base}/ui/")
            await browser.until("document.getElementById('password')")
            found = await look(browser, "login")
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelector('td .is-failed')")
            found += await look(browser, "machines")
            await browser.click("td a")
            await browser.until("document.querySelector('details')")
            await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            await browser.until("document.querySelector('main').innerText.includes('it broke')")
            return found + await look(browser, "machine")

    try:
        assert asyncio.run(work()) == []
    finally:
        agent.end()


def test_machines_on_paper(server: Served) -> None:
    async def work() -> None:
        async with Chromium() as browser:
            await browser.resize(PAPER)
            await print_out(browser)
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            await is_printed(browser, "the list of machines")
            await browser.click("td a")
            await browser.until("document.querySelector('table')?.innerText.includes('profile group')")
            await is_printed(browser, "a machine")

    asyncio.run(work())


def test_the_keyboard_keeps_its_place_while_machines_change(server: Served) -> None:
    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            await browser.run("document.getElementById('group').focus()")
            await browser.press("Tab", 9)
            assert await browser.run("document.activeElement.textContent") == "web1"
            server("PATCH", "/machines/Name:web2", [{"op": "replace", "path": "/Workflow", "value": "other"}])
            await browser.until("document.querySelector('main').innerText.includes('other')")
            assert await browser.run("document.activeElement.textContent") == "web1"
            await browser.press("Enter", 13)
            await browser.until("location.hash.startsWith('#/machine/')")
            await browser.until("document.getElementById('start')")
            await browser.run("window.held = document.getElementById('start'); held.focus()")
            server("PATCH", "/machines/Name:web1", [{"op": "replace", "path": "/Description", "value": "changed"}])
            await browser.until("!held.isConnected && document.querySelector('main').innerText.includes('changed')")
            assert await browser.run("document.activeElement.id") == "start"

    asyncio.run(work())


def test_a_server_that_is_started_anew_is_waited_for(server: Served, tmp_path: Path) -> None:
    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            await asyncio.to_thread(server.stop)
            await browser.until(f"{SILENT}.includes('The server does not answer')")
            assert await browser.run("document.querySelectorAll('td a').length") == 2
            again = await asyncio.to_thread(Served, tmp_path, "--port", server.base.rpartition(":")[2])
            again.password = server.password
            try:
                again("POST", "/machines", {"Name": "web3"})
                await browser.until("document.querySelectorAll('td a').length === 3")
                await browser.until(f"!{SILENT}")  # its events come again a moment later
            finally:
                await asyncio.to_thread(again.stop)

    asyncio.run(work())


def test_whose_token_ends_logs_in_again(server: Served) -> None:
    async def work() -> None:
        async with Chromium() as browser:
            await log_in(browser, server, "rocketskates", server.password)
            await browser.until("document.querySelectorAll('td a').length === 2")
            token = server("GET", "/users/rocketskates/token?ttl=1s")["Token"]
            await browser.run(f"sessionStorage.setItem('token', {json.dumps(token)})")
            while server.status("GET", "/info", token=token) == 0:
                await asyncio.sleep(0.05)
            await browser.run("location.hash = '#/machine/x'")
            await browser.until("document.getElementById('password')")

    asyncio.run(work())
