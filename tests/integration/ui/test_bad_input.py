"""What is wrong, as a browser shows it: what is so, and what to do."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from ansible_ensemble.ui.users import Users
from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served, begun, ended
from tests.integration.ui.test_pages import PAGES, at, go
from tests.integration.ui.test_watch import kill_all

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed"),
]

#: How a browser notes a request that failed.
FAILED_REQUEST = "Failed to load resource: "


def in_browser(address: str, work: Callable[[Chromium], Awaitable[None]]) -> None:
    """Work in a browser, whose console shows nothing beyond the requests that failed."""

    async def run() -> None:
        async with Chromium() as browser:
            await browser.open(address)
            await work(browser)
            assert [one for one in browser.complaints if not one.startswith(FAILED_REQUEST)] == []

    asyncio.run(run())


async def says(browser: Chromium, *texts: str) -> None:
    """Wait until the page says all of this."""
    for text in texts:
        await browser.until(f"document.body.innerText.includes({json.dumps(text)})")


async def is_left(browser: Chromium, text: str) -> None:
    """Wait until the page says this no more, and shows something."""
    await browser.until(f"!document.body.innerText.includes({json.dumps(text)}) && document.querySelector('h1')")


def deployed(project: Path) -> str:
    """The job that deployed the ensemble."""
    assert ended(project, "deploy", "web", "--approve")[0] == 0
    return str(json.loads(ended(project, "history", "web", "--output", "json")[1])["jobs"][0]["change_id"])


def test_a_project_that_is_gone_while_it_is_shown(served: Served, project: Path) -> None:
    job, elsewhere = deployed(project), project.with_name("elsewhere")
    gone = f"{project}: the project's folder is gone (put it back"

    async def work(browser: Chromium) -> None:
        await browser.until("document.querySelector('table .badge')")
        ways = ["#/", *(at(served, *way) for way in (*((page,) for page in PAGES), ("instance", "app"), ("job", job)))]
        for way in ways:
            await go(browser, way)
            project.rename(elsewhere)
            await says(browser, gone)
            elsewhere.rename(project)
            await is_left(browser, gone)

    in_browser(served.address(), work)


@pytest.mark.parametrize(("name", "text"), [("service.yaml", "topology_template: [\n"), ("ensemble.yaml", "spec: [\n")])
def test_the_error_of_an_ensemble_that_does_not_parse_is_its_page(
    served: Served, project: Path, name: str, text: str
) -> None:
    async def work(browser: Chromium) -> None:
        await browser.until("document.querySelector('table .badge')")
        file = project / "web" / name
        whole = file.read_text()
        for page in ("topology", "plan", "values", "instance"):
            await go(browser, at(served, page, *(["app"] if page == "instance" else [])))
            file.write_text(text)
            os.utime(project / "web" / "ensemble.yaml")
            await browser.until("document.querySelector('[role=alert]')")
            await says(browser, f"web/{name}:2")
            assert not await browser.run("Boolean(document.querySelector('h1'))"), "nothing else is its page"
            file.write_text(whole)
            await browser.click("main button")
            await browser.until("document.querySelector('h1')")
        await browser.run("location.hash = '#/'")
        await browser.until("document.querySelector('td .is-not-deployed')")
        file.write_text(text)
        os.utime(project / "web" / "ensemble.yaml")
        await browser.until("document.querySelector('td .is-invalid')")
        await says(browser, f"web/{name}:2")

    in_browser(served.address(), work)


def test_a_journal_that_was_cut_in_the_middle(served: Served, project: Path) -> None:
    job = deployed(project)
    (journal,) = (project / "web" / "jobs").glob("*.events.jsonl")
    content = journal.read_bytes()
    journal.write_bytes(content[: len(content) // 2])
    cut = content[: len(content) // 2].count(b"\n") + 1

    async def work(browser: Chromium) -> None:
        await browser.until("document.querySelector('table .badge')")
        await go(browser, at(served, "job", job))
        await says(browser, f"the journal is damaged (line {cut}: the line is cut off)", f"ansible-ensemble show {job}")
        assert await browser.run("document.querySelectorAll('.bar').length") == 1, "what can be read is shown"

    in_browser(served.address(), work)


def test_a_job_that_was_killed_while_it_is_shown(served: Served, project: Path) -> None:
    never = project / "never"
    job = begun(project, "deploy", "--approve", "web/ensemble.yaml", WAITS_FOR=str(never))
    assert job.stdout is not None
    assert any("db: create ..." in line for line in job.stdout)
    (journal,) = (project / "web" / "jobs").glob("job*.journal")
    name = f"{journal.name.partition('.')[0][-8:]}0000"

    async def work(browser: Chromium) -> None:
        await browser.until("document.querySelector('table .badge')")
        await go(browser, at(served, "job", name))
        await browser.until("document.querySelector('.summary .is-running')")
        kill_all(f"WAITS_FOR={never}")
        await asyncio.to_thread(job.communicate)
        await browser.until("document.querySelector('.summary .is-interrupted')")
        await says(browser, "This job was killed: the next job records what it did, or ansible-ensemble recover.")
        assert (await asyncio.to_thread(ended, project, "recover", "web"))[0] == 0
        await is_left(browser, "This job was killed")

    in_browser(served.address(), work)


def test_a_wrong_and_an_old_address(served: Served, project: Path) -> None:
    used, port = served.address(), int(served.url.rpartition(":")[2])

    async def work(browser: Chromium) -> None:
        await says(browser, "This address opens no pages", "Press Enter where `ansible-ensemble ui` runs")
        await browser.open(used)
        await browser.until("document.querySelector('table .badge')")
        await go(browser, at(served, "topology"))
        old = served.address()
        served.close()
        await says(browser, "The server does not answer. This page goes on by itself once it does.")
        again = Served(project, port=port)
        try:
            await says(browser, "the server was started anew", "Press Enter where `ansible-ensemble ui` runs")
            await browser.open(old)
            await says(browser, "is of a server that ended", "Press Enter where `ansible-ensemble ui` runs")
            await browser.open(again.address())
            await browser.until("document.querySelector('table .badge')")
        finally:
            again.close()

    in_browser(f"{served.url}/?token=wrong", work)


def test_a_server_that_is_gone_is_waited_for(project: Path) -> None:
    job, file = deployed(project), project / "users.yaml"
    file.touch(mode=0o600)
    file.write_text("users:\n  ann: {roles: [operate]}\nproxy: {header: X-User, addresses: [127.0.0.1]}\n")
    served = Served(project, Users(file))
    port, silent = int(served.url.rpartition(":")[2]), "The server does not answer."

    async def work(browser: Chromium) -> None:
        nonlocal served
        await browser.call("Network.enable")
        await browser.call("Network.setExtraHTTPHeaders", headers={"X-User": "ann"})
        await browser.open(served.url)
        await browser.until("document.querySelector('table .badge')")
        ways = ["#/", *(at(served, *way) for way in (*((page,) for page in PAGES), ("instance", "app"), ("job", job)))]
        for way in ways:
            await go(browser, way)
            await asyncio.to_thread(served.close)
            await says(browser, silent)
            assert await browser.run("Boolean(document.querySelector('h1'))"), f"{way}\n{await browser.text()}"
            served = Served(project, Users(file), port)
            await is_left(browser, silent)

    try:
        in_browser("about:blank", work)
    finally:
        served.close()
