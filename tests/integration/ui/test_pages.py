"""The pages in a real browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from getpass import getuser
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.integration.jobs.records.repositories import git
from tests.integration.ui.chromium import AXE, PROGRAM, Chromium
from tests.integration.ui.conftest import HOSTILE, SECRET, Served, ended

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed"),
]

PAGES = ("topology", "plan", "jobs", "drift", "values")
ROWS = "[...document.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))"
WIDTHS = (360, 768, 1280, 2560)


def at(served: Served, page: str, *name: str) -> str:
    return "#/" + "/".join(quote(part, safe="") for part in (page, served.ensemble, *name))


async def go(browser: Chromium, address: str) -> None:
    await browser.run(f"document.querySelector('h1')?.remove(); location.hash = {json.dumps(address)}")
    await browser.until("document.querySelector('h1') && !document.querySelector('.loading')")


async def deploy(browser: Chromium, served: Served) -> None:
    """Make a plan and approve it by the buttons of the pages, and wait for the job's end."""
    await go(browser, at(served, "plan"))
    await browser.click("button.primary")
    await browser.until("document.querySelector('h1')?.textContent.startsWith('Plan of')")
    await browser.click(".decide .primary")
    await browser.until("document.querySelector('.run .is-ok')")


def in_browser(served: Served, work: Callable[[Chromium], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Chromium() as browser:
            await browser.open(served.address())
            await browser.until("document.querySelector('table .badge')")
            await work(browser)
            assert browser.complaints == []

    asyncio.run(run())


def test_a_deploy_by_the_pages_and_every_page_after_it(served: Served) -> None:
    async def work(browser: Chromium) -> None:
        seen = await browser.text()
        await deploy(browser, served)
        for page in PAGES:
            await go(browser, at(served, page))
            seen += await browser.text()
        await go(browser, at(served, "instance", "app"))
        seen += await browser.text()
        await go(browser, at(served, "jobs"))
        await browser.click("table a")
        await browser.until("document.querySelectorAll('.timeline .bar').length === 2")
        await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        seen += await browser.text()
        assert f"Approved by {getuser()}@" in seen, "whoever opened the printed address"
        assert SECRET not in seen
        assert HOSTILE in seen, "a value is shown as it is"
        assert not await browser.run("Boolean(document.querySelector('main img'))"), "and is no markup"

    in_browser(served, work)


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: make axe")
def test_everybody_can_use_the_pages_and_files(served: Served, project: Path) -> None:
    async def work(browser: Chromium) -> None:
        found = [f"project: {one}" for one in await browser.hindrances()]
        await deploy(browser, served)
        ways = [await browser.run("location.hash")]
        job = await browser.run("document.querySelector('td a').textContent")
        await go(browser, at(served, "plan"))
        await browser.click(".decide .danger")
        await browser.until("document.querySelector('h1')?.textContent === 'Plan of undeploy'")
        ways.append(await browser.run("location.hash"))
        ways += [at(served, page) for page in PAGES] + [at(served, "instance", "app"), at(served, "job", job)]
        for scheme, width in (("light", WIDTHS[-1]), ("dark", WIDTHS[0])):
            await browser.prefer(scheme)
            await browser.resize(width)
            for way in ways:
                await go(browser, way)
                await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
                found += [f"{scheme} {way}: {one}" for one in await browser.hindrances()]
            for words in (("show", job, "--ensemble", "web", "--output", "html"), ("graph", "web", "--format", "html")):
                file = project / "page.html"
                file.write_text((await asyncio.to_thread(ended, project, *words))[1])
                await browser.open(file.as_uri())
                await browser.until("location.protocol === 'file:' && document.querySelector('h1')")
                found += [f"{scheme} {words}: {one}" for one in await browser.hindrances()]
            await browser.open(served.address())
            await browser.until("document.querySelector('table .badge')")
        assert not found, "\n".join(found)

    in_browser(served, work)


def test_a_job_that_runs_is_seen_live_and_cancelled(
    served: Served, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAITS_FOR", str(project / "never"))

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "plan"))
        await browser.click("button.primary")
        await browser.until("document.querySelector('h1')?.textContent.startsWith('Plan of')")
        await browser.click(".decide .primary")
        await browser.until("document.querySelector('.run button')")
        (journal,) = await _journal(project)
        job = f"{journal.name.partition('.')[0][-8:]}0000"
        await go(browser, at(served, "topology"))
        await browser.until("document.querySelector('.node.at-work') || document.body.innerText.includes('creating')")
        await go(browser, at(served, "job", job))
        await browser.until("document.querySelector('.bar.running')")
        rows = await browser.run(ROWS)
        assert [row[:2] for row in rows] == [["db create", "localhost"], ["app:Standard.create", "db:Standard.create"]]
        await go(browser, at(served, "jobs"))
        await browser.click(".run button")
        await browser.until("document.querySelector('.run button')?.textContent === 'Kill what runs'")
        await browser.click(".run button")
        await browser.until("document.querySelector('.run .is-failed')")

    in_browser(served, work)


def test_a_job_is_gone_back_to_by_a_plan_to_approve(served: Served, project: Path) -> None:
    for words in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "Begin")):
        git(project, *words)
    for given in ((), ("--input", "port=8080")):
        code, printed = ended(project, "deploy", "web", "--approve", *given)
        assert code == 0, printed

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "values"))
        assert await browser.run("document.getElementById('input-port').value") == "8080"
        await go(browser, at(served, "jobs"))
        first = await browser.run("[...document.querySelectorAll('td a')].at(-1).textContent")
        await browser.run("document.querySelectorAll('td input').forEach((box) => box.click())")
        await browser.until("document.querySelector('.panel')")
        rows = "[...document.querySelectorAll('.panel tr')].map((row) => [...row.cells].map((one) => one.innerText))"
        assert ["app create PORT", "80", "8080"] in await browser.run(rows)
        assert SECRET not in await browser.text()
        await go(browser, at(served, "job", first))
        await browser.click("main p button")
        await browser.until("document.querySelector('h1')?.textContent === 'Plan of deploy'")
        await browser.click(".decide .primary")
        await browser.until("document.querySelector('.run .is-ok')")
        await go(browser, at(served, "values"))
        assert await browser.run("document.getElementById('input-port').value") == "80"

    in_browser(served, work)


CHECKED = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: {url: {type: string}, built: {type: string}}
topology_template:
  node_templates:
    app:
      type: App
      interfaces:
        Standard:
          create:
            implementation: 'echo "{\\"url\\": \\"http://old\\", \\"built\\": \\"today\\"}"'
            outputs: {url: [SELF, url], built: [SELF, built]}
          delete: echo gone
        Install:
          check:
            implementation: ./check.sh
            outputs: {url: [SELF, url]}
"""


def test_what_a_check_found_stands_beside_what_is_recorded(served: Served, project: Path) -> None:
    (project / "web" / "service.yaml").write_text(CHECKED)
    check = project / "web" / "check.sh"
    check.touch(mode=0o755)
    assert ended(project, "deploy", "web", "--approve")[0] == 0

    async def shown(browser: Chromium, url: str) -> list[list[str]]:
        check.write_text(f'#!/bin/sh\necho \'{{"url": "{url}"}}\'\n')
        code, printed = await asyncio.to_thread(ended, project, "check", "web")
        assert code == 0, printed
        await go(browser, "#/")
        await go(browser, at(served, "instance", "app"))
        rows = await browser.run(f"{ROWS}.slice(0, 2)")
        return [[" ".join(cell.split()) for cell in row] for row in rows]

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "instance", "app"))
        assert "none of it" in await browser.text()
        built = ["built", "", "today", ""]
        assert await shown(browser, "http://old") == [built, ["url", "", "http://old", "http://old"]]
        assert ": as it was recorded" in await browser.text()
        found = ["url", "", "http://new", "http://new drifted from http://old"]
        assert await shown(browser, "http://new") == [built, found]
        assert ": not as it was recorded" in await browser.text()
        check.write_text("#!/bin/sh\necho '<b>broken' >&2; exit 1\n")
        assert (await asyncio.to_thread(ended, project, "check", "web"))[0] == 0
        await go(browser, at(served, "plan"))
        assert "check found: exit code 1: <b>broken" in await browser.text()
        page = (await asyncio.to_thread(ended, project, "graph", "web", "--format", "html"))[1]
        assert "check found: exit code 1: &lt;b&gt;broken" in page

    in_browser(served, work)


def test_values_that_read_alike_are_told_apart_by_their_types(served: Served, project: Path) -> None:
    service = project / "web" / "service.yaml"
    text = service.read_text()
    for port in ("80", '"80"'):
        service.write_text(text.replace("PORT: {get_input: port}", f"PORT: {port}"))
        code, printed = ended(project, "deploy", "web", "--approve")
        assert code == 0, printed

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "jobs"))
        await browser.run("document.querySelectorAll('td input').forEach((box) => box.click())")
        await browser.until("document.querySelector('.panel')")
        assert ["app create PORT", "80 number", "80 text"] in await browser.run(ROWS)

    in_browser(served, work)


async def _journal(project: Path) -> list[Path]:
    while not (found := list((project / "web" / "jobs").glob("job*.journal"))):
        await asyncio.sleep(0.05)
    return found


def test_the_form_of_inputs_makes_a_plan_of_them(served: Served) -> None:
    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "values"))
        kinds = await browser.run("[...document.querySelectorAll('form [id]')].map((one) => `${one.id} ${one.type}`)")
        assert kinds == ["input-port number", "input-names textarea", "input-pin textarea"]
        shown = "getComputedStyle(document.getElementById('input-pin')).webkitTextSecurity"
        assert await browser.run(shown) == "disc", "a key of several lines is hidden, and keeps their ends"
        await browser.run(
            "(() => { const field = document.getElementById('input-port'); field.value = '8080'; "
            "field.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        await browser.click("form .primary")
        await browser.until("document.querySelector('h1')?.textContent.startsWith('Plan of')")
        assert "8080" in await browser.text()

    in_browser(served, work)


def test_the_keyboard_alone_gets_everywhere(served: Served) -> None:
    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "topology"))
        reached = []
        for _turn in range(30):
            await browser.press("Tab", 9)
            reached.append(
                await browser.run(
                    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
                )
            )
        for wanted in ("Skip to the content", "Topology", "Plan", "Jobs", "Drift", "Inputs and outputs", "Zoom in"):
            assert wanted in reached
        nodes = [one for one in reached if one and one.startswith("+ ")]
        assert len(nodes) >= 2, "each instance is reached"
        await browser.run("document.querySelector('.node').focus()")
        await browser.press("Enter", 13)
        await browser.until("location.hash.startsWith('#/instance/')")

    in_browser(served, work)


def test_a_thousand_instances(served: Served, project: Path) -> None:
    nodes = "    n0: {type: tosca.nodes.Root}\n" + "".join(
        f"    n{number}: {{type: tosca.nodes.Root, requirements: [{{dependency: n{number // 4}}}]}}\n"
        for number in range(1, 1000)
    )
    (project / "web" / "service.yaml").write_text(
        f"tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n{nodes}"
    )

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "topology"))
        await browser.until("document.querySelectorAll('.node').length === 1000")
        before = await browser.run("document.querySelector('.topology > g').getAttribute('transform')")
        await browser.run(
            "(() => { const field = document.getElementById('find'); field.value = 'n999'; "
            "field.dispatchEvent(new Event('input', {bubbles: true})); })()"
        )
        await browser.run("document.getElementById('topology').focus()")
        await browser.press("+")
        assert await browser.run("document.querySelector('.topology > g').getAttribute('transform')") != before
        assert await browser.run("document.querySelectorAll('.node:not(.dim)').length") == 1
        await browser.run(
            "(() => { const field = document.getElementById('group'); field.value = 'type'; "
            "field.dispatchEvent(new Event('change')); })()"
        )
        await browser.until("document.querySelectorAll('.node').length === 1")

    in_browser(served, work)
