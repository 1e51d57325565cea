"""Logging in by a browser."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ansible_ensemble.core.passwords import hashed
from ansible_ensemble.ui.users import Users
from tests.integration.ui.chromium import PROGRAM, Chromium
from tests.integration.ui.conftest import Served

pytestmark = [pytest.mark.matrix, pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")]

PASSWORD = "correct horse"
#: By role, the buttons of the page of plans.
BUTTONS = {"read": 0, "approve": 0, "operate": 4}


async def log_in(browser: Chromium, name: str, password: str) -> None:
    await browser.until("document.getElementById('password')")
    for field, value in (("name", name), ("password", password)):
        await browser.run(f"document.getElementById('{field}').value = {json.dumps(value)}")
    await browser.run("document.getElementById('password').focus()")
    await browser.press("Enter", 13)


def test_each_role_sees_what_it_may_do(project: Path) -> None:
    file = project / "users.yaml"
    file.touch(mode=0o600)
    kept = hashed(PASSWORD)
    file.write_text("users:\n" + "".join(f"  {role}: {{roles: [{role}], password: {kept}}}\n" for role in BUTTONS))
    served = Served(project, Users(file))

    async def work() -> None:
        async with Chromium() as browser:
            await browser.open(f"{served.url}/#/plan/{served.ensemble.replace('/', '%2F')}")
            await log_in(browser, "read", "wrong")
            await browser.until("document.querySelector('.problem')")
            browser.complaints.clear()  # the browser notes each answer that is an error
            for role, count in BUTTONS.items():
                await log_in(browser, role, PASSWORD)
                await browser.until("document.querySelector('h1')?.textContent === 'What deploy would do'")
                assert await browser.run("document.querySelectorAll('main button').length") == count
                assert await browser.run("document.cookie") == "", "no script reads the session"
                await browser.click("header button")
            await log_in(browser, "operate", PASSWORD)
            await browser.until("document.querySelector('fieldset')")
            file.write_text("users: {}\n")
            await browser.run("location.hash = '#/'")
            await browser.until("document.getElementById('password')")
            assert all("401" in one for one in browser.complaints), browser.complaints

    try:
        asyncio.run(work())
    finally:
        served.close()
