"""The pages: what viewers cost a job, and a graph of 1,000 instances in Chromium.

    python tests/bench/bench_ui.py [VIEWERS] [OPERATIONS]

The cost of a job is its processor time, with that of all its processes: on a busy machine its duration says little.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import aiohttp

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.integration.ui.chromium import PROGRAM, Chromium  # noqa: E402
from tests.integration.ui.conftest import Served  # noqa: E402

COMMAND = "import sys; from ansible_ensemble.cli.main import main; sys.exit(main())"
#: How often a job is measured with and without viewers, in turn.
ROUNDS = 6
#: Frames over which a graph is moved.
FRAMES = 90
MOVE = f"""(async () => {{
  const svg = document.getElementById("topology");
  const at = (name, x) => svg.dispatchEvent(
    new PointerEvent(name, {{ pointerId: 1, clientX: x, clientY: 400, bubbles: true }}));
  const frame = () => new Promise(requestAnimationFrame);
  svg.setPointerCapture = () => {{}};
  at("pointerdown", 400);
  await frame();
  const begin = performance.now();
  for (let turn = 0; turn < {FRAMES}; turn += 1) {{ at("pointermove", 400 + 8 * (turn % 40)); await frame(); }}
  at("pointerup", 400);
  return {FRAMES} / (performance.now() - begin) * 1000;
}})()"""
OPEN = """(async () => {
  document.querySelector("h1").remove();
  const begin = performance.now();
  location.hash = "#/topology/web%2Fensemble.yaml";
  while (document.querySelectorAll(".node").length < COUNT) await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  return (performance.now() - begin) / 1000;
})()"""


def project(folder: Path, count: int, create: str) -> Path:
    """A project with so many instances, of which each needs another one."""
    nodes = "".join(
        f"    n{number}:\n      type: tosca.nodes.Root\n{create}"
        + (f"      requirements: [{{dependency: n{number // 4}}}]\n" if number else "")
        for number in range(count)
    )
    web = folder / "web"
    web.mkdir()
    (folder / "ensemble-project.yaml").write_text("environments: {}\n")
    (web / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    (web / "service.yaml").write_text(
        f"tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n{nodes}"
    )
    return folder


def seconds_of_deploy(operations: int, viewers: int) -> float:
    """The processor time of a job that viewers follow."""
    create = "      interfaces: {Standard: {operations: {create: 'echo made'}}}\n"
    with tempfile.TemporaryDirectory() as folder:
        root = project(Path(folder), operations, create)
        served = Served(root)
        try:
            return asyncio.run(_followed(served, viewers))
        finally:
            served.close()


async def _followed(served: Served, viewers: int) -> float:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(None)) as session:
        async with session.get(served.address()):
            pass
        ready = asyncio.Semaphore(0)
        watching = [asyncio.create_task(_watch(session, served.url, ready)) for _viewer in range(viewers)]
        for _viewer in watching:
            await ready.acquire()
        job = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "deploy", "--approve", "web/ensemble.yaml"],
            cwd=served.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        _pid, status, used = await asyncio.to_thread(os.wait4, job.pid, 0)
        assert status == 0, status
        for one in watching:
            one.cancel()
        seen = await asyncio.gather(*watching, return_exceptions=True)
        assert len(seen) == viewers
    return used.ru_utime + used.ru_stime


async def _watch(session: aiohttp.ClientSession, url: str, ready: asyncio.Semaphore) -> None:
    async with session.get(f"{url}/api/1/events?ensemble=web/ensemble.yaml") as events:
        async for _chunk in events.content.iter_any():
            ready.release()


def compare(viewers: int, operations: int) -> None:
    """Measure a job with and without viewers, in turn, and tell the median of each."""
    found: dict[int, list[float]] = {0: [], viewers: []}
    for turn in range(ROUNDS):
        for count in sorted(found, reverse=turn % 2 == 0):
            found[count].append(seconds_of_deploy(operations, count))
    alone, followed = median(found[0]), median(found[viewers])
    cost = (followed / alone - 1) * 100
    print(
        f"job of {operations} operations, processor time: {alone:.2f} s alone, {followed:.2f} s with {viewers} viewers"
    )
    print(f"the viewers cost the job {cost:+.1f} %")


async def _graph(served: Served, count: int) -> None:
    async with Chromium() as browser:
        await browser.resize(1280)
        await browser.open(served.address())
        await browser.until("document.querySelector('table .badge')")
        for told in ("first", "again"):
            begin = time.process_time()
            seconds = await browser.run(OPEN.replace("COUNT", str(count)))
            here = time.process_time() - begin
            print(f"graph of {count} instances, {told}: {seconds:.2f} s until it is drawn ({here:.2f} s of them here)")
            frames = await browser.run(MOVE)
            print(f"  it moves at {frames:.0f} frames a second")
            await browser.run("location.hash = '#/'")
            await browser.until("document.querySelector('h1')?.textContent === 'Ensembles'")


def graph(count: int) -> None:
    """Open a graph in a browser, and move it."""
    with tempfile.TemporaryDirectory() as folder:
        served = Served(project(Path(folder), count, ""))
        try:
            asyncio.run(_graph(served, count))
        finally:
            served.close()


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    if PROGRAM is not None:
        graph(1000)
    compare(*(given + [200, 1000][len(given) :]))
