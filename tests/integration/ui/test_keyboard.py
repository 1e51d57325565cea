"""The pages by the keyboard alone."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served, ended
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


def deployed(project: Path) -> str:
    """The job that deployed the ensemble, which a check found as it was."""
    for words in (("deploy", "web", "--approve"), ("check", "web")):
        assert ended(project, *words)[0] == 0
    return str(json.loads(ended(project, "history", "web", "--output", "json")[1])["jobs"][-1]["change_id"])


def change(project: Path) -> None:
    """Have pages of the ensemble be drawn anew."""
    now = time.time_ns()
    os.utime(project / "web" / "ensemble.yaml", ns=(now, now))


#: On each page something that takes the keyboard and is drawn anew.
HELD = {
    "project": "td:nth-child(6) a",
    "topology": ".node",
    "plan": "summary",
    "jobs": "td a",
    "drift": "main a",
    "values": "button",
    "instance": "dd a",
    "job": "summary",
}


@pytest.mark.parametrize("page", HELD)
def test_a_page_that_is_drawn_anew_keeps_the_place_of_the_keyboard(served: Served, project: Path, page: str) -> None:
    job = deployed(project) if page != "plan" else ""  # which shows what is to be deployed
    name = {"instance": ("app",), "job": (job,)}.get(page, ())

    async def work(browser: Chromium) -> None:
        await go(browser, "#/" if page == "project" else at(served, page, *name))
        found = f"document.querySelectorAll({json.dumps(HELD[page])})"
        await browser.until(f"{found}.length")
        await browser.run(f"[...{found}].at(-1).focus()")
        place = await browser.run(FOCUS)
        for _time in range(2):  # also what was drawn anew
            await browser.run("window.held = document.activeElement; null")
            change(project)
            await browser.until("!held.isConnected")
            assert await browser.run("document.activeElement.localName + document.activeElement.id") != "body"
            assert await browser.run(FOCUS) == place

    in_browser(served, work)


def test_what_was_opened_and_typed_stays_while_the_page_is_drawn_anew(served: Served, project: Path) -> None:
    deployed(project)

    async def anew(browser: Chromium) -> None:
        await browser.run("window.drawn = document.querySelector('h1'); null")
        change(project)
        await browser.until("!drawn.isConnected && document.querySelector('h1')")

    async def work(browser: Chromium) -> None:
        await go(browser, at(served, "instance", "app"))
        await browser.until("document.querySelector('td summary')")
        await browser.run("document.querySelector('td summary').focus()")
        await browser.press("Enter", 13)
        await browser.until("document.querySelector('td details[open]')")
        await anew(browser)
        assert await browser.run("document.activeElement === document.querySelector('td details[open] summary')")
        await go(browser, at(served, "topology"))
        await browser.run(
            "window.field = document.getElementById('find'); field.focus(); field.value = 'ap'; "
            "field.dispatchEvent(new Event('input', {bubbles: true})); field.setSelectionRange(1, 1)"
        )
        await anew(browser)
        assert await browser.run("[document.activeElement.value, document.activeElement.selectionStart]") == ["ap", 1]

    in_browser(served, work)
