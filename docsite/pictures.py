"""Takes the pictures of the pages, in Chromium, of a guestbook that is deployed, changed and broken, and of machines.

pictures.py FOLDER takes those of the documentation; with --all, also dark, small and large ones, to look at.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from ansible_ensemble.projects.approval import APPROVED_BY  # noqa: E402
from ansible_ensemble.projects.trust import VARIABLE as TRUSTED  # noqa: E402
from tests.integration.provision.served import Served as Machines  # noqa: E402
from tests.integration.ui.chromium import PROGRAM as CHROMIUM  # noqa: E402
from tests.integration.ui.chromium import Chromium  # noqa: E402
from tests.integration.ui.conftest import PROGRAM, Served  # noqa: E402
from tests.integration.ui.test_machines import agent_of, log_in  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator


class Page(NamedTuple):
    """A page: its address, in which JOB is a job, what is there once it is whole, and what is done on it before."""

    way: str
    whole: str
    act: str = ""


COMPARE = "[...document.querySelectorAll('td input')].slice(-2).forEach((box) => box.click())"
PLAN = "document.getElementById('plan-deploy').click()"
PAGES = {  # none follows another one of its address
    "project": Page("", "td:nth-child(6) .badge"),
    "topology": Page("topology/ensemble.yaml", ".node"),
    "instance": Page("instance/ensemble.yaml/app", "td details"),
    "plan": Page("plan/ensemble.yaml", ".change"),
    "jobs": Page("jobs/ensemble.yaml", "td a"),
    "saved-plan": Page("plan/ensemble.yaml", "> div > .decide > .primary", PLAN),
    "compared": Page("jobs/ensemble.yaml", ".panel", COMPARE),
    "job": Page("job/ensemble.yaml/JOB", ".bar"),
    "drift": Page("drift/ensemble.yaml", ".panel"),
    "values": Page("values/ensemble.yaml", ".field"),
}
EMPTY = {"empty": Page("", ".empty")}
#: Width and height in pixels.
DOCUMENTED, OTHERS = (1100, 700), ((360, 740), (2560, 1200))


def command(folder: Path, *words: str) -> str:
    """What the command prints."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


@contextmanager
def guestbook() -> Iterator[Path]:
    """A guestbook that was deployed and changed, and whose proxy has ended, which a check has found."""
    project = Path(tempfile.gettempdir()) / "guestbook"  # the pictures show its name
    if project.exists():
        sys.exit(f"{project} is there already: remove it")
    copy = ("examples/copy.py", "examples/guestbook", str(project), "port=8780", "app_port=8781")
    subprocess.run([sys.executable, *copy], cwd=ROOT, check=True)
    os.environ |= {TRUSTED: str(project), APPROVED_BY: "ann@station"}  # by this process alone
    try:
        command(project, "deploy", "--approve")
        command(project, "deploy", "--approve", "--input", "title=Our guests")
        os.kill(int((project / "site" / "proxy" / "pid").read_text()), signal.SIGTERM)
        command(project, "check")
        yield project
    finally:
        command(project, "undeploy", "--approve")
        shutil.rmtree(project)


SCRIPT = """#!/bin/sh
case {{.Machine.Name}}-{{.Task.Name}} in
  web1-packages) echo 'Unpacking postgresql-client-16 ...'; sleep 600 ;;
  web2-partition) echo 'parted: /dev/vdb: no such disk' >&2; exit 1 ;;
esac
"""
STAGES = {"prepare": ["partition", "packages"], "configure": ["application"]}


def define(served: Machines) -> None:
    """Have a server know what its machines are to do."""
    served("POST", "/params", {"Name": "token", "Secure": True})
    served("POST", "/params", {"Name": "disk", "Schema": {"type": "string", "default": "/dev/vda"}})
    params = {"mirror": "https://mirror.example.com", "token": "-"}
    served("POST", "/profiles", {"Name": "site-north", "Params": params})
    for stage, tasks in STAGES.items():
        for task in tasks:
            served("POST", "/tasks", {"Name": task, "Templates": [{"Name": "run", "Path": "", "Contents": SCRIPT}]})
        served("POST", "/stages", {"Name": stage, "Tasks": tasks})
    served("POST", "/workflows", {"Name": "install", "Stages": [*STAGES]})


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    """A server of machines, of which one works, one failed, one is done, and one waits."""
    served, agents = Machines(folder), []
    try:
        define(served)
        for name in ("web1", "web2", "db1", "db2"):
            params = {"disk": "/dev/vdb", "role": name[:-1]}
            about = {"Name": name, "Workflow": "install", "Profiles": ["site-north"], "Params": params}
            served("POST", "/machines", about)
            if name != "db2":
                agents.append(agent_of(served, name, folder / name))
        yield served
    finally:
        for agent in agents:
            agent.end()
        served.stop()


async def take_machines(served: Machines, pictures: Path) -> None:
    """Open the list of machines and one that failed, and keep what they look like."""
    async with Chromium() as browser:
        await browser.resize(*DOCUMENTED)
        await browser.prefer("light")
        await log_in(browser, served, "rocketskates", served.password)
        for state in ("running", "failed", "complete", "waiting"):
            await browser.until(f"document.querySelector('td .is-{state}')")
        (pictures / "ui-machines.webp").write_bytes(await browser.picture())
        await browser.run("[...document.querySelectorAll('td a')].find((one) => one.textContent === 'web2').click()")
        await browser.until("document.querySelector('details')")
        await browser.resize(DOCUMENTED[0], 1000)
        (pictures / "ui-machine.webp").write_bytes(await browser.picture())


async def take(served: Served, pages: dict[str, Page], pictures: Path, *, job: str = "", everything: bool) -> None:
    """Open pages, and keep what they look like."""
    looks = list(product(("light", "dark"), (DOCUMENTED, *OTHERS))) if everything else [("light", DOCUMENTED)]
    async with Chromium() as browser:
        await browser.open(served.address())
        for name, page in pages.items():
            await browser.until("document.querySelector('h1')")
            way = page.way.replace("JOB", job)
            await browser.run(f"document.querySelector('h1').remove(); location.hash = '#/{way}'")
            await browser.until("document.querySelector('h1') && !document.querySelector('.loading')")
            await browser.run(page.act)
            await browser.until(f"document.querySelector('h1') && document.querySelector('main {page.whole}')")
            for scheme, size in looks:
                await browser.resize(*size)
                await browser.prefer(scheme)
                look = f"-{scheme}-{size[0]}" if everything else ""
                (pictures / f"ui-{name}{look}.webp").write_bytes(await browser.picture())
        assert not browser.complaints, browser.complaints


def take_project(project: Path, pages: dict[str, Page], pictures: Path, *, job: str = "", everything: bool) -> None:
    """Serve a project, and take its pages."""
    served = Served(project)
    try:
        asyncio.run(take(served, pages, pictures, job=job, everything=everything))
    finally:
        served.close()


def main(pictures: Path, *, everything: bool) -> None:
    """Take the pictures; without Chromium, those that are there stay."""
    if CHROMIUM is None:
        print("Chromium is not installed: the pictures stay as they are")
        return
    pictures.mkdir(parents=True, exist_ok=True)
    with guestbook() as project:
        first = json.loads(command(project, "history", "--output", "json"))["jobs"][-1]["change_id"]
        take_project(project, PAGES, pictures, job=first, everything=everything)
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "web"
        empty.mkdir()
        take_project(empty, EMPTY, pictures, everything=everything)
    with tempfile.TemporaryDirectory() as folder, machines(Path(folder)) as server:
        asyncio.run(take_machines(server, pictures))


if __name__ == "__main__":
    main(Path(sys.argv[1]), everything="--all" in sys.argv)
