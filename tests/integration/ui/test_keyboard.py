"""The pages by the keyboard alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served
from tests.integration.ui.test_pages import at, go, in_browser

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed"),
]

#: More steps than a page of these tests has places.
PLACES = 60
FOCUS = "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)"
#: Whether somebody sees where the keyboard is.
SEEN = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"


async def step_to(browser: Chromium, name: str) -> None:
    """Go on by the tabulator until something has the focus."""
    for _place in range(PLACES):
        await browser.press("Tab", 9)
        if await browser.run(FOCUS) == name:
            assert await browser.run(SEEN), f"{name} has the focus, which nobody sees"
            return
    raise AssertionError(f"{name} is not reached\n{await browser.text()}")


async def press(browser: Chromium, name: str) -> None:
    """Press a button or follow a link."""
    await step_to(browser, name)
    await browser.press("Enter", 13)


async def headed(browser: Chromium, title: str) -> None:
    await browser.until(f"document.querySelector('h1')?.textContent === {json.dumps(title)}")


def test_a_plan_is_rejected_and_another_approved(served: Served) -> None:
    async def work(browser: Chromium) -> None:
        await press(browser, await browser.run("document.querySelector('td a').textContent"))
        await headed(browser, "Topology")
        await press(browser, "Plan")
        await headed(browser, "What deploy would do")
        await press(browser, "Plan deploy")
        await headed(browser, "Plan of deploy")
        await press(browser, "Reject")
        await headed(browser, "What deploy would do")
        await press(browser, "Plan deploy")
        await headed(browser, "Plan of deploy")
        await press(browser, "Approve and deploy")
        await browser.until("document.querySelector('.run .is-ok')")

    in_browser(served, work)


def test_a_job_is_cancelled_while_its_page_changes(
    served: Served, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAITS_FOR", str(project / "never"))

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "plan"))
        await press(browser, "Plan deploy")
        await headed(browser, "Plan of deploy")
        await press(browser, "Approve and deploy")
        await browser.until("document.querySelector('.run button')")
        await step_to(browser, "Cancel")
        await browser.run("window.drawn = document.querySelector('.run button')")
        await browser.until("!drawn.isConnected")
        assert await browser.run(FOCUS) == "Cancel", "a page that is drawn anew keeps the place of the keyboard"
        await browser.press("Enter", 13)
        await browser.until("document.querySelector('.run button')?.textContent !== 'Cancel'")
        await browser.press("Enter", 13)  # kills what runs, unless it has ended
        await browser.until("document.querySelector('.run .is-failed')")
        await browser.until("document.activeElement.id === 'content'")  # the button is gone

    in_browser(served, work)
