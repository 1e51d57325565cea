"""What a server of machines takes with many machines and a long history.

Run it with `python tests/bench/bench_provision_scale.py [MACHINES [AGENTS [HISTORY]]]`; by default with 10,000
machines, 1,000 agents at once and 200,000 jobs that have ended. With `--postgres` they are in a PostgreSQL of its own,
by default a tenth of each, and agents are spread over `--servers` (1). Each line is a figure:

- size: of the database that holds them.
- start: from the start of the process until it is ready, after a kill, and its memory then.
- next: POST /jobs, one after the other, while nobody else asks.
- jobs: the agents, which begin one after the other, run jobs that do nothing: jobs for each second of the server's
  processor, and how long POST /jobs takes, of which most is the wait for the requests of others. With PostgreSQL also
  what of its processor a job takes.
- list: the jobs of one machine.
- clean-up: of all but the latest jobs of each machine, as by `--job-count`, and what POST /jobs takes meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from ansible_ensemble.provision.objects.content import Stage, Task, Workflow
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.server.first_start import prepare
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Transaction
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.postgres import Cluster, programs
from tests.integration.provision.wire import Wire

SIZES = (10_000, 1000, 200_000)
TASKS, KEPT, BATCH, ALONE = 5, 5, 1000, 200
#: How many agents begin in a second: each makes a connection.
BEGIN = 50
LOG = b"a line of the log of a job\n" * 20


def uuid(kind: int, number: int) -> str:
    """The UUID of a machine (1) or a job (2)."""
    return f"{kind:08}-0000-4000-8000-{number:012}"


def history(machines: int, jobs: int) -> Iterator[Machine | Job]:
    """Machines that have a workflow before them, each after its share of the jobs."""
    each = jobs // machines
    fine = {"validated": True, "available": True}
    for number in range(machines):
        ran = [uuid(2, number * each + turn) for turn in range(each)]
        yield Machine(
            uuid=uuid(1, number), name=f"m{number}", secret="x", workflow="bench", stage="bench", boot_env="local",
            tasks=["stage:bench", *["bench"] * TASKS], current_task=-1, runnable=True, current_job=ran[-1],
            params={"site": "here", "rack": number}, **fine,
        )  # fmt: skip
        for turn, one in enumerate(ran):
            started = f"2026-01-{turn % 28 + 1:02}T00:00:00Z"
            yield Job(
                uuid=one, machine=uuid(1, number), task="bench", stage="bench", workflow="bench", boot_env="local",
                state="finished", exit_state="complete", start_time=started, end_time=started, current=one == ran[-1],
                previous=ran[turn - 1] if turn else uuid(0, 0), current_index=1, next_index=2, **fine,
            )  # fmt: skip


class Place:
    """Where objects are kept: a file of SQLite, or a database of a PostgreSQL server."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        (folder / "data").mkdir(mode=0o700)
        self.folder, self._cluster = folder, cluster
        self.database = cluster.database() if cluster else str(folder / "data" / "provision.sqlite")

    @property
    def size(self) -> int:
        """The bytes of it."""
        if self._cluster:
            ((size,),) = self._cluster.run(self.database, "SELECT pg_database_size(current_database())")
            return int(size)
        return sum(file.stat().st_size for file in (self.folder / "data").glob("provision.sqlite*"))

    @property
    def processor(self) -> float:
        """The seconds of a processor that PostgreSQL has used."""
        return self._cluster.processor if self._cluster else 0.0

    def server(self, number: int = 0, *options: str) -> Lasting:
        """A server on it."""
        return Lasting(self.folder / f"server{number}", "--database", self.database, *options)


async def filled(database: str, machines: int, jobs: int) -> None:
    """Make a database with them, as a server leaves it."""
    store = await open_store(database)
    await store.transact(lambda tx: prepare(tx, default_user=True), "bench")
    fine = {"validated": True, "available": True}
    script = TemplateInfo(name="do", contents="#!/bin/sh\ntrue\n")
    for one in (
        Task(name="bench", templates=[script], **fine),
        Stage(name="bench", tasks=["bench"] * TASKS, **fine),
        Workflow(name="bench", stages=["bench"], **fine),
    ):
        await store.transact(lambda tx, one=one: tx.create(one), "bench")
    wanted = history(machines, jobs)

    def create(tx: Transaction) -> int:
        made = list(islice(wanted, BATCH))
        for one in made:
            tx.create(one)
            if isinstance(one, Job):
                tx.append_log(one.uuid, LOG)
        return len(made)

    while await store.transact(create, "bench"):
        pass
    await store.close()


class Agent(Wire):
    """Requests of agents, which try again where the server is too busy for their handshakes."""

    waits = (1.0,) * 60


async def posted(wire: Wire, machine: str, taken: list[float]) -> dict[str, str] | None:
    """The next job of a machine; how long that took is noted."""
    begun = time.perf_counter()
    job: dict[str, str] | None = await wire.call("POST", "jobs", {"Machine": machine, "Context": ""})
    taken.append(time.perf_counter() - begun)
    return job


async def run(wire: Wire, number: int, taken: list[float]) -> int:
    """Run all jobs of a machine as its agent does; how many there were."""
    machine, count = uuid(1, number), 0
    await asyncio.sleep(number / BEGIN)
    while job := await posted(wire, machine, taken):
        path = f"jobs/{job['Uuid']}"
        if job["State"] == "finished":
            continue  # an entry that is no task
        await wire.call("PATCH", path, [{"op": "replace", "path": "/State", "value": "running"}])
        await wire.call("GET", f"{path}/actions")
        await wire.exchange("PUT", f"{path}/log", LOG, {"Content-Type": "application/octet-stream"})
        await wire.call("PATCH", path, [{"op": "replace", "path": "/State", "value": "finished"}])
        count += 1
    return count


def told(taken: list[float]) -> str:
    """The median of times, and what 99 % do not exceed."""
    taken = sorted(taken)
    return f"median {statistics.median(taken) * 1000:.0f} ms, 99 % {taken[int(len(taken) * 0.99)] * 1000:.0f} ms"


async def jobs_of_agents(place: Place, servers: Sequence[Lasting], agents: int) -> None:
    """The figures while agents run jobs."""
    async with AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(Agent(server.endpoint)) for server in servers]
        alone: list[float] = []
        used = servers[0].processor
        for number in range(ALONE):
            await posted(wires[0], uuid(1, agents + number), alone)
        print(f"next: {told(alone)}, {(servers[0].processor - used) / ALONE * 1000:.1f} ms of the processor")
        together: list[float] = []
        used, kept, begun = sum(server.processor for server in servers), place.processor, time.perf_counter()
        running = (run(wires[number % len(wires)], number, together) for number in range(agents))
        counts = await asyncio.gather(*running)
        taken = time.perf_counter() - begun
        used, kept = sum(server.processor for server in servers) - used, place.processor - kept
        assert set(counts) == {TASKS}
        jobs, memory = sum(counts), max(server.memory for server in servers)
        rates = f"{jobs / used:.0f} for each second of the servers' processor, {jobs / taken:.0f}/s in all"
        print(f"jobs: {rates}; POST /jobs {told(together)}; {memory / 2**20:.0f} MiB")
        if kept:
            print(f"PostgreSQL: {kept / jobs * 1000:.1f} ms of the processor for a job")
        begun = time.perf_counter()
        listed = await wires[0].call("GET", f"jobs?Machine={uuid(1, 0)}")
        print(f"list: {len(listed)} jobs of a machine in {(time.perf_counter() - begun) * 1000:.0f} ms")


async def cleaned_up(place: Place, expected: int) -> None:
    """The figures of the removal of old jobs."""
    begun = time.perf_counter()
    server = place.server(0, "--job-count", str(KEPT))
    try:
        async with Wire(server.endpoint) as wire:
            taken: list[float] = []
            machine = uuid(1, 0)
            while int((await wire.headers("HEAD", "jobs"))[1]["X-DRP-LIST-TOTAL-COUNT"]) > expected:
                await posted(wire, machine, taken)
                await asyncio.sleep(0.2)
            print(
                f"clean-up: {time.perf_counter() - begun:.0f} s, {server.processor:.0f} s of the processor; "
                f"POST /jobs {told(taken)}; {server.memory / 2**20:.0f} MiB"
            )
    finally:
        server.stop()


async def measured(place: Place, count: int, machines: int, agents: int, jobs: int) -> None:
    """Print the figures of some servers."""
    begun = time.perf_counter()
    await filled(place.database, machines, jobs)
    print(f"{machines} machines, {agents} agents, {jobs} jobs; made in {time.perf_counter() - begun:.0f} s")
    print(f"size: {place.size / 2**20:.0f} MiB")
    server = place.server()
    server.kill()
    begun = time.perf_counter()
    server.start()
    taken = time.perf_counter() - begun
    print(f"start: {taken:.1f} s, {server.processor:.1f} s of the processor, {server.memory / 2**20:.0f} MiB")
    servers = [server, *(place.server(number) for number in range(1, count))]
    try:
        await jobs_of_agents(place, servers, agents)
    finally:
        for one in servers:
            one.stop()
    await cleaned_up(place, machines * (KEPT + 1))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", type=int, metavar="MACHINES [AGENTS [HISTORY]]")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--servers", type=int, default=1)
    given = parser.parse_args()
    sizes = [size // 10 for size in SIZES] if given.postgres else SIZES
    found = programs()
    if given.postgres and found is None:
        print("PostgreSQL is not installed")
        return
    cluster = Cluster(found) if given.postgres and found else None
    with tempfile.TemporaryDirectory() as made:
        try:
            place = Place(Path(made), cluster)
            asyncio.run(measured(place, given.servers, *given.sizes, *sizes[len(given.sizes) :]))
        finally:
            if cluster:
                cluster.remove()


if __name__ == "__main__":
    main()
