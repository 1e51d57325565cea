"""What a durable change costs beside a commit of one row by `sqlite3`, the floor; and how fast a long list is read.

Run it with `python tests/bench/bench_provision_store.py [CHANGES]`. The rounds alternate, and the fastest of each
counts. With `--postgres URL` the same is done on an empty PostgreSQL database.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from ansible_ensemble.provision.objects import Machine
from ansible_ensemble.provision.objects.codec import encode
from ansible_ensemble.provision.store.opening import open_store
from ansible_ensemble.provision.store.transaction import Store, Transaction

ROUNDS = 5
CLIENTS = 50
MACHINES = 10_000

#: Bounds: times the floor of one client's change; seconds of a list.
CHANGE_BOUND, LIST_BOUND = 3.0, 0.5


def machine(number: int) -> Machine:
    """A machine as a workflow leaves it."""
    tasks = ["stage:install", *(f"task-{step}" for step in range(20))]
    return Machine(uuid=f"{number:08}-0000-4000-8000-000000000000", name=f"m{number}", tasks=tasks, runnable=True)


def change(number: int, turn: int) -> Callable[[Transaction], None]:
    """What an agent's patch does: read, lock and replace one machine."""

    def function(transaction: Transaction) -> None:
        held = transaction.locked(Machine, machine(number).uuid)
        assert held
        transaction.update(held.replaced(current_task=turn))

    return function


def floor(connection: sqlite3.Connection, changes: int) -> float:
    """Milliseconds of a commit that replaces one row."""
    bodies = [encode(machine(number)) for number in range(changes)]  # one that stays as it is would cost nothing
    begun = time.perf_counter()
    for body in bodies:
        connection.execute("UPDATE rows SET body = ? WHERE key = 1", (body,))
    return (time.perf_counter() - begun) / changes * 1000


async def one_client(store: Store, changes: int) -> float:
    """Milliseconds of a change, one after the other."""
    begun = time.perf_counter()
    for turn in range(changes):
        await store.transact(change(0, turn), "user:bench")
    return (time.perf_counter() - begun) / changes * 1000


async def many_clients(store: Store, changes: int) -> float:
    """Milliseconds of a change, where clients have one machine each."""

    async def work(number: int) -> None:
        for turn in range(changes // CLIENTS):
            await store.transact(change(number, turn), "user:bench")

    begun = time.perf_counter()
    await asyncio.gather(*(work(number) for number in range(CLIENTS)))
    return (time.perf_counter() - begun) / (changes // CLIENTS * CLIENTS) * 1000


async def long_list(store: Store) -> float:
    """Seconds until the bodies of all machines are read."""
    begun = time.perf_counter()
    bodies = await store.read(lambda reader: list(reader.bodies(Machine)))
    assert len(bodies) == MACHINES
    return time.perf_counter() - begun


async def fill(store: Store) -> None:
    """Keep all machines."""
    for first in range(0, MACHINES, 1000):
        made = [machine(number) for number in range(first, first + 1000)]
        await store.transact(lambda transaction, made=made: [transaction.create(one) for one in made], "user:bench")


async def measure(where: str, beside: Path, changes: int) -> tuple[float, float, float, float]:
    """The floor, a change of one client and of many in milliseconds; a list in seconds."""
    connection = sqlite3.connect(beside, isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE rows (key, body)"):
        connection.execute(statement)
    connection.execute("INSERT INTO rows VALUES (1, '')")
    store = await open_store(where)
    await fill(store)
    best = [float("inf")] * 4
    for _ in range(ROUNDS):
        found = (
            floor(connection, changes),
            await one_client(store, changes),
            await many_clients(store, changes * 5),
            await long_list(store),
        )
        best = [min(pair) for pair in zip(best, found)]
    await store.close()
    connection.close()
    return best[0], best[1], best[2], best[3]


def main() -> int:
    """Measure, and say whether the bounds are kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("changes", nargs="?", type=int, default=200)
    parser.add_argument("--postgres", metavar="URL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        where = given.postgres or str(Path(folder) / "store.db")
        least, one, many, listed = asyncio.run(measure(where, Path(folder) / "floor.db", given.changes))
    print(f"commit of a row by sqlite3 {least:.2f} ms")
    print(f"change, one client {one:.2f} ms: {one / least:.2f} x (at most {CHANGE_BOUND:.1f} by SQLite)")
    print(f"change, {CLIENTS} clients {many:.2f} ms: {1000 / many:.0f} a second, {many / least:.2f} x")
    print(f"list of {MACHINES} machines {listed:.3f} s (at most {LIST_BOUND})")
    return 0 if (given.postgres or one <= CHANGE_BOUND * least) and listed <= LIST_BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
