"""Pages and files on paper: all that they have, and nothing that is of use on a screen alone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served, ended
from tests.integration.ui.test_pages import PAGES, at, go, in_browser

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed"),
]

#: The width of a sheet of paper within its margins.
PAPER = 700
CUT = """[...document.querySelectorAll('pre, td, .frame, .graph, details > :not(summary)')].filter((one) =>
  !one.checkVisibility({contentVisibilityAuto: true}) || one.scrollHeight > one.clientHeight + 1
  && getComputedStyle(one).overflowY !== 'visible').map((one) => one.outerHTML.slice(0, 200))"""


async def print_out(browser: Chromium) -> None:
    """Have the page be as it is on paper, for somebody who likes it dark on the screen."""
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    await browser.call("Emulation.setEmulatedMedia", media="print", features=dark)


async def is_printed(browser: Chromium, page: str) -> None:
    assert await browser.run("document.documentElement.scrollWidth") <= PAPER, f"{page} is wider than paper"
    assert await browser.run(CUT) == [], f"{page} is cut"
    light = "getComputedStyle(document.documentElement).colorScheme"
    assert await browser.run(light) == "light", f"{page} is dark"


def test_pages_and_files_on_paper(served: Served, project: Path) -> None:
    files = {"plan": ended(project, "graph", "web", "--format", "html")[1]}
    assert ended(project, "deploy", "web", "--approve")[0] == 0

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "jobs"))
        job = await browser.run("document.querySelector('td a').textContent")
        show = ("show", job, "--ensemble", "web", "--output", "html")
        files["job"] = (await asyncio.to_thread(ended, project, *show))[1]
        await browser.resize(PAPER)
        await print_out(browser)
        for way in (*((page,) for page in PAGES), ("instance", "app"), ("job", job)):
            await go(browser, at(served, *way))
            await is_printed(browser, way[0])
            assert not await browser.run("document.querySelector('nav').checkVisibility()")
        for name, content in files.items():
            file = project / f"{name}.html"
            file.write_text(content)
            await browser.open(file.as_uri())
            await browser.until(f"location.pathname.endsWith('{name}.html') && document.querySelector('h1')")
            await is_printed(browser, f"the file of a {name}")

    in_browser(served, work)
