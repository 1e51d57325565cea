"""What the server of machines takes, beside the least that its work could take.

Run it with `python tests/bench/bench_provision.py [NAME ...]`. Each line is a figure; where there is a floor, it is
measured in the same run:

- jobs: POST /jobs by one client, durable, against a bare handler that commits one row to SQLite.
- list: all of 10,000 machines, as JSON; and the same without params and Meta, with some params, with the secure one of
  each open: for the first time, and again.
- sockets: 500 events each second to 1,000 websockets, each of which hears of its own machine alone.
- render: the actions of a task of five templates, in a server that has 200 others.
- agents: 1,000 at once, each of which runs ten jobs that do nothing: asks, says that it runs, fetches what the job
  consists of, sends a log, says that it finished.
- start: an agent that finds nothing to do, and a list of machines, each beside the start of Python alone.
- fleet: the 10,000 jobs by our agents, in ten processes of 100, whose hosts do nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from tests.integration.machines.idle import run_idle
from tests.integration.provision.drpcli import Drpcli
from tests.integration.provision.lasting import Lasting, free_port
from tests.integration.provision.wire import Wire

REQUESTS, ROUNDS = 150, 3
MACHINES = 10_000
TEMPLATES = 200
SOCKETS, EVENTS, SECONDS = 1000, 500, 6
AGENTS, TASKS = 1000, 10
#: Our agents in a process.
IN_ONE = 100

#: A handler that commits one row, over the same TLS, in a process of its own.
_FLOOR = """
import sqlite3, ssl, sys
from aiohttp import web
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE jobs (body)")

async def post(request):
    body = await request.read()
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO jobs VALUES (?)", (body,))
    database.execute("COMMIT")
    return web.Response(body=body, status=201, content_type="application/json")

app = web.Application()
app.router.add_post("/api/v3/jobs", post)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[2], sys.argv[3])
web.run_app(app, host="127.0.0.1", port=int(sys.argv[4]), ssl_context=context, access_log=None, print=None)
"""


async def jobs(server: Lasting, wire: Wire) -> None:
    """One job after the other, each of a machine of its own, against the floor; the rounds alternate."""
    cli = Drpcli(wire)
    await _workflow(cli, [])
    bodies = []
    for number in range(REQUESTS * ROUNDS):
        machine = await cli.create("machines", {"Name": f"jobs-{number}", "Workflow": "bench"})
        bodies.append({"Machine": machine["Uuid"], "Context": ""})
    floor, process = _start_floor(server)
    try:
        async with Wire(floor, token="none") as bare:
            await _answers(bare)
            ours, theirs = [], []
            for number in range(ROUNDS):
                share = bodies[number * REQUESTS : (number + 1) * REQUESTS]
                theirs += await _posted(bare, share)
                ours += await _posted(wire, share)
    finally:
        process.terminate()
        process.wait()
    mine, least = statistics.median(ours), statistics.median(theirs)
    print(f"jobs: {mine * 1000:.2f} ms each; a bare commit {least * 1000:.2f} ms; ratio {mine / least:.2f}")


def _start_floor(server: Lasting) -> tuple[str, subprocess.Popen[bytes]]:
    port, tls = free_port(), server.folder / "data" / "tls"
    arguments = [str(server.folder / "floor.sqlite"), str(tls / "server.crt"), str(tls / "server.key"), str(port)]
    return f"https://127.0.0.1:{port}", subprocess.Popen([sys.executable, "-c", _FLOOR, *arguments])


async def _answers(wire: Wire) -> None:
    """Wait until it does."""
    await wire.exchange("POST", "jobs", b"{}", {})


async def _posted(wire: Wire, bodies: list[dict[str, str]]) -> list[float]:
    """The seconds of each request."""
    taken = []
    for body in bodies:
        begun = time.perf_counter()
        assert await wire.call("POST", "jobs", body)
        taken.append(time.perf_counter() - begun)
    return taken


async def listing(server: Lasting, wire: Wire) -> None:
    """All machines at once, the best of some."""
    await _machines(wire, MACHINES)
    queries = ("", "slim=Params,Meta", "params=color")
    for query, rounds in (*((query, ROUNDS) for query in queries), ("decode=true", 1), ("decode=true", ROUNDS)):
        taken, used = [], server.processor
        for _ in range(rounds):
            begun = time.perf_counter()
            status, _, text = await wire.exchange("GET", f"machines?{query}", None, {})
            taken.append(time.perf_counter() - begun)
            assert status == 200
        used, count, size = (server.processor - used) / rounds, len(json.loads(text)), len(text) / 2**20
        cost = f"{min(taken):.2f} s, {used * 1000:.0f} ms of the processor"
        print(f"list {query or 'whole'}: {count} machines, {size:.1f} MiB, in {cost}; server has {_mib(server)} MiB")


async def sockets(server: Lasting, wire: Wire) -> None:
    """Machines change at a rate, and the seconds until the websocket of each hears of it."""
    machines = (await _machines(wire, max(SOCKETS, MACHINES)))[:SOCKETS]
    sent: dict[str, float] = {}
    heard: list[float] = []
    watches = []
    for key in machines:
        watch = await wire.watch()
        await watch.register(f"machines.update.{key}")
        watches.append((key, watch))

    async def listen(key: str, watch: Any) -> None:
        async for event in watch.all(3600):
            assert event["Key"] == key
            heard.append(time.perf_counter() - sent[key])

    listeners = [asyncio.create_task(listen(*pair)) for pair in watches]
    wanted = EVENTS * SECONDS
    begun = time.perf_counter()
    changes = []
    for number in range(wanted):
        await asyncio.sleep(begun + number / EVENTS - time.perf_counter())
        key = machines[number % SOCKETS]
        sent[key] = time.perf_counter()
        patch = [{"op": "replace", "path": "/Description", "value": str(number)}]
        changes.append(asyncio.create_task(wire.call("PATCH", f"machines/{key}", patch)))
    await asyncio.gather(*changes)
    rate = wanted / (time.perf_counter() - begun)
    while len(heard) < wanted:
        await asyncio.sleep(0.05)
    for task in listeners:
        task.cancel()
    heard.sort()
    shown = ", ".join(f"{name} {heard[int(len(heard) * part)] * 1000:.0f} ms" for name, part in _PARTS.items())
    print(f"sockets: {SOCKETS}, {rate:.0f} events/s, from request to event {shown}; {server.memory / 2**20:.0f} MiB")


_PARTS = {"median": 0.5, "95 %": 0.95, "99 %": 0.99}


async def render(server: Lasting, wire: Wire) -> None:
    """The actions of a job, by requests, and without them."""
    cli = Drpcli(wire)
    for number in range(TEMPLATES):
        await cli.create("templates", {"ID": f"other-{number}.tmpl", "Contents": _TEMPLATE})
    await _workflow(cli, [_TEMPLATE] * 5)
    machine = await cli.create("machines", {"Name": "render", "Workflow": "bench", "Params": {"color": "red"}})
    job = await cli.create_job(machine["Uuid"])
    assert job
    used = server.processor
    for _ in range(REQUESTS):
        await cli.job_actions(job["Uuid"])
    used = (server.processor - used) / REQUESTS * 1000
    taken, least = [], []
    for _ in range(REQUESTS):
        begun = time.perf_counter()
        actions = await cli.job_actions(job["Uuid"])
        taken.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await cli.job_actions(job["Uuid"], "none")  # the same without what is rendered
        least.append(time.perf_counter() - begun)
    assert len(actions) == 5
    whole, rest = statistics.median(taken) * 1000, statistics.median(least) * 1000
    print(
        f"render: five templates {whole - rest:.2f} ms, of a request of {whole:.2f} ms; {used:.1f} ms of the processor"
    )


async def agents(server: Lasting, wire: Wire) -> None:
    """Jobs each second, all requests of an agent counted; each job runs once, and all lists are complete."""
    cli = Drpcli(wire)
    await _workflow(cli, ["#!/bin/sh\ntrue\n"], TASKS)
    machines = await _machines(wire, AGENTS)
    for key in machines:
        await wire.call("PATCH", f"machines/{key}", [{"op": "replace", "path": "/Workflow", "value": "bench"}])

    async def run(machine: str) -> int:
        count = 0
        while job := await wire.call("POST", "jobs", {"Machine": machine, "Context": ""}):
            path = f"jobs/{job['Uuid']}"
            await wire.call("PATCH", path, [_to("State", "running")])
            assert len(await wire.call("GET", f"{path}/actions")) == 1
            await wire.exchange("PUT", f"{path}/log", b"done\n", {"Content-Type": "application/octet-stream"})
            await wire.call("PATCH", path, [_to("State", "finished"), _to("ExitState", "complete")])
            count += 1
        return count

    begun = time.perf_counter()
    counts = await asyncio.gather(*map(run, machines))
    taken = time.perf_counter() - begun
    assert set(counts) == {TASKS}
    kept = await cli.list("jobs", "State=finished", "slim=Meta")
    ended = await cli.list("machines", "WorkflowComplete=true", "slim=Params,Meta")
    assert (len(kept), len(ended)) == (AGENTS * TASKS, AGENTS)
    print(f"agents: {AGENTS * TASKS / taken:.0f} jobs/s; server has {server.memory / 2**20:.0f} MiB")


async def start(server: Lasting, wire: Wire) -> None:
    """What commands take of the processor, the least of some."""
    await _machines(wire, 1)
    variables = {
        "HOME": str(server.folder),
        "RS_ENDPOINT": wire.endpoint,
        "RS_TOKEN": wire.token,
        "RS_INSECURE": "true",
    }
    command = [str(Path(sys.executable).with_name("ansible-ensemble")), "provision"]
    for words in (
        [sys.executable, "-c", "pass"],
        [*command, "machines", "list"],
        [*command, "agent", "many-0", "--oneshot"],
    ):
        taken = []
        for _ in range(ROUNDS * 2):
            before = _used_by_children()
            await asyncio.to_thread(
                subprocess.run, words, env={**os.environ, **variables}, check=True, capture_output=True
            )
            taken.append(_used_by_children() - before)
        print(f"start: {' '.join(words[-3:])}: {min(taken) * 1000:.0f} ms of the processor")


def _used_by_children() -> float:
    """The seconds of a processor that processes which have ended used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def fleet(server: Lasting, wire: Wire) -> None:
    """Jobs each second; each runs once, and all lists are complete."""
    cli = Drpcli(wire)
    await _workflow(cli, ["#!/bin/sh\ntrue\n"], TASKS)
    machines = await _machines(wire, AGENTS)
    for key in machines:
        await wire.call("PATCH", f"machines/{key}", [{"op": "replace", "path": "/Workflow", "value": "bench"}])
    begun, parts = time.perf_counter(), range(0, AGENTS, IN_ONE)
    with ProcessPoolExecutor(len(parts), get_context("spawn")) as pool:
        working = (
            pool.submit(_part, wire.endpoint, wire.token, machines[first : first + IN_ONE], server.folder / f"{first}")
            for first in parts
        )
        done = await asyncio.gather(*map(asyncio.wrap_future, working))
    ended = sorted(moment for moments, _used in done for moment in moments)
    used = sum(used for _moments, used in done)
    kept = await cli.list("jobs", "State=finished", "slim=Meta")
    complete = await cli.list("machines", "WorkflowComplete=true", "slim=Params,Meta")
    assert (len(kept), len(ended), len(complete)) == (AGENTS * TASKS, AGENTS * TASKS, AGENTS)
    rate, each = AGENTS * TASKS / (ended[-1] - begun), used / len(ended) * 1000
    print(f"fleet: {rate:.0f} jobs/s; {each:.1f} ms of the agents' processor each; server has {_mib(server)} MiB")


def _part(endpoint: str, token: str, machines: list[str], folder: Path) -> tuple[list[float], float]:
    """Run agents in this process: when each of their jobs ended, and what they used of the processor."""
    ended: list[float] = []

    def say(_: str, line: str) -> None:
        if line.startswith("Updated job") and line.endswith("finished"):
            ended.append(time.perf_counter())

    used = time.process_time()
    hosts = asyncio.run(run_idle(endpoint, token, machines, folder, say))
    used = time.process_time() - used
    assert {host.ran for host in hosts.values()} == {TASKS}
    return ended, used


def _mib(server: Lasting) -> int:
    return round(server.memory / 2**20)


def _to(field: str, value: str) -> dict[str, str]:
    return {"op": "replace", "path": f"/{field}", "value": value}


_TEMPLATE = """#!/usr/bin/env bash
# {{ .Machine.Name }} in {{ .Env.Name }}
{{ range $number := list 1 2 3 -}}
echo {{ $number }} {{ $.Param "color" | upper | quote }}
{{ end -}}
{{ if .ParamExists "color" }}echo {{ .ParamAsJSON "color" }}{{ else }}exit 1{{ end }}
"""


async def _workflow(cli: Drpcli, texts: list[str], tasks: int = 1) -> None:
    if await cli.exists("workflows", "bench"):
        await cli.destroy("workflows", "bench")
        await cli.destroy("stages", "bench")
        await cli.destroy("tasks", "bench")
    rendered = [
        {"Name": f"t{number}", "Contents": text, "Path": "", "ID": "", "Meta": {"OS": "linux"}}
        for number, text in enumerate(texts)
    ]
    await cli.create("tasks", {"Name": "bench", "Templates": rendered})
    await cli.create("stages", {"Name": "bench", "Tasks": ["bench"] * tasks})
    await cli.create("workflows", {"Name": "bench", "Stages": ["bench"]})


async def _machines(wire: Wire, count: int) -> list[str]:
    """The keys of so many machines, created as far as they are not there."""
    cli = Drpcli(wire)
    there = [machine["Uuid"] for machine in await cli.list("machines", "Name=Re(^many-)", "slim=Params,Meta")]
    limit = asyncio.Semaphore(50)

    async def create(number: int) -> str:
        async with limit:
            given = {"Name": f"many-{number}", "Params": {"many/secret": f"secret-{number}"}}
            return (await wire.call("POST", "machines", given))["Uuid"]

    if not there:
        await cli.create("params", {"Name": "many/secret", "Secure": True, "Schema": {"type": "string"}})
    return there + await asyncio.gather(*map(create, range(len(there), count)))


FIGURES: dict[str, Callable[[Lasting, Wire], Awaitable[None]]] = {
    "jobs": jobs,
    "render": render,
    "list": listing,
    "sockets": sockets,
    "agents": agents,
    "start": start,
    "fleet": fleet,
}


async def measured(names: list[str]) -> None:
    """Print the figures of these names, each of a server of its own."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            server = Lasting(Path(folder))
            try:
                async with Wire(server.endpoint) as wire:
                    await FIGURES[name](server, wire)
            finally:
                server.stop()


if __name__ == "__main__":
    asyncio.run(measured(sys.argv[1:] or list(FIGURES)))
