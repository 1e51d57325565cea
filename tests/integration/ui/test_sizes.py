"""The pages in windows of all sizes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served, ended
from tests.integration.ui.test_pages import PAGES, WIDTHS, at, go, in_browser

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed"),
]

LONG = "a_name_of_an_instance_that_somebody_thought_should_say_everything_there_is_to_know"


async def fits(browser: Chromium, page: str) -> None:
    """Open all that a page can open, and see that no window has to be scrolled sideways for it."""
    await browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in WIDTHS:
        await browser.resize(width)
        across = await browser.run("document.documentElement.scrollWidth")
        assert across <= width, f"{page} scrolls sideways at {width} pixels"


def test_no_page_scrolls_sideways(served: Served, project: Path) -> None:
    service = project / "web" / "service.yaml"
    service.write_text(service.read_text().replace("    app:\n", f"    {LONG}:\n"))
    for given in ((), ("--input", "port=8080")):
        code, printed = ended(project, "deploy", "web", "--approve", *given)
        assert code == 0, printed
    assert ended(project, "check", "web")[0] == 0

    async def work(browser: Chromium) -> None:
        await fits(browser, "project")
        await go(browser, at(served, "plan"))
        await browser.click(".decide .danger")
        await browser.until("document.querySelector('h1')?.textContent === 'Plan of undeploy'")
        await fits(browser, "the saved plan")
        await browser.click(".decide .primary")
        await browser.until("document.querySelector('.run .is-ok')")
        await fits(browser, "the run")
        await browser.run("document.querySelectorAll('td input').forEach((box) => box.click())")
        await browser.until("document.querySelector('.panel')")
        await fits(browser, "the comparison")
        job = await browser.run("document.querySelector('td a').textContent")
        for way in (*((page,) for page in PAGES), ("instance", LONG), ("job", job)):
            await go(browser, at(served, *way))
            await fits(browser, way[0])

    in_browser(served, work)


def test_the_timeline_is_as_wide_as_the_window(served: Served, project: Path) -> None:
    assert ended(project, "deploy", "web", "--approve")[0] == 0

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "jobs"))
        await browser.resize(2560)
        await browser.click("td a")
        frame = "document.querySelector('.timeline')?.parentElement"
        for width in reversed(WIDTHS):
            await browser.resize(width)
            await browser.until(f"{frame} && {frame}.scrollWidth <= {frame}.clientWidth")
        narrow = await browser.run("document.querySelector('.timeline').clientWidth")
        await browser.resize(2560)
        await browser.until(f"document.querySelector('.timeline').clientWidth > {3 * narrow}")

    in_browser(served, work)


def test_a_topology_is_read_on_a_small_screen(served: Served, project: Path) -> None:
    nodes = "".join(
        f"    n{number}: {{type: tosca.nodes.Root, requirements: [{{dependency: n{number - 1}}}]}}\n"
        for number in range(1, 12)
    )
    (project / "web" / "service.yaml").write_text(
        "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n"
        f"    n0: {{type: tosca.nodes.Root}}\n{nodes}"
    )

    async def work(browser: Chromium) -> None:
        await browser.resize(360)
        await go(browser, at(served, "topology"))
        within = json.dumps("[aria-label^='+ n0']")
        await browser.until(
            "(() => { const room = document.getElementById('topology').getBoundingClientRect(); "
            f"const box = document.querySelector({within}).getBoundingClientRect(); "
            "return box.height >= 30 && box.left >= room.left && box.top >= room.top && box.bottom <= room.bottom; })()"
        )
        await browser.run("[...document.querySelectorAll('.tools button')].at(-1).click()")
        await browser.until(
            "(() => { const room = document.getElementById('topology').getBoundingClientRect(); "
            "const boxes = [...document.querySelectorAll('.node')].map((one) => one.getBoundingClientRect()); "
            "return boxes.every((box) => box.left >= room.left && box.right <= room.right); })()"
        )

    in_browser(served, work)
