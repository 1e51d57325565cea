"""Pages and files on paper: all that they have, and nothing that is of use on a screen alone."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unicodedata import normalize

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served, ended
from tests.integration.ui.paper import read
from tests.integration.ui.test_keyboard import headed
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

TEXT = "(document.querySelector('main') ?? document.body).innerText"


async def print_out(browser: Chromium) -> None:
    """Have the page be as it is on paper, for somebody who likes it dark on the screen."""
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    await browser.call("Emulation.setEmulatedMedia", media="print", features=dark)


async def is_printed(browser: Chromium, page: str) -> None:
    assert await browser.run("document.documentElement.scrollWidth") <= PAPER, f"{page} is wider than paper"
    assert await browser.run(CUT) == [], f"{page} is cut"
    light = "getComputedStyle(document.documentElement).colorScheme"
    assert await browser.run(light) == "light", f"{page} is dark"
    paper = read(await browser.pdf())
    words = normalize("NFKC", await browser.run(TEXT)).split()
    assert words, page
    assert [word for word in words if word not in paper.text] == [], f"{page} is not printed in full"
    assert paper.scale > 0.99, f"{page} is wider than paper, and was made smaller"
    assert all(sum(ink) < 1.8 for ink in paper.inks), f"{page} has texts of light colours: {paper.inks}"


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
        await go(browser, at(served, "plan"))
        await browser.click(".decide .danger")
        await headed(browser, "Plan of undeploy")
        saved = await browser.run("decodeURIComponent(location.hash.split('/').at(-1))")
        for way in (*((page,) for page in PAGES), ("plan", saved), ("instance", "app"), ("job", job)):
            await go(browser, at(served, *way))
            await is_printed(browser, " ".join(way))
            assert not await browser.run("document.querySelector('nav').checkVisibility()")
        for name, content in files.items():
            file = project / f"{name}.html"
            file.write_text(content)
            await browser.open(file.as_uri())
            await browser.until(f"location.pathname.endsWith('{name}.html') && document.querySelector('h1')")
            await is_printed(browser, f"the file of a {name}")

    in_browser(served, work)
