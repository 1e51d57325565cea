"""Processes that write a store until they are killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from ansible_ensemble.provision.objects import Stage
from tests.unit.provision.store.opened import opener

WRITES_ON = """
import asyncio, sys
from ansible_ensemble.provision.objects import Stage
from ansible_ensemble.provision.store.opening import open_store

async def write(store, writer):
    for number in range(10**9):
        names = [f"{sys.argv[2]}-{writer}-{number}-{part}" for part in range(2)]
        await store.transact(lambda transaction: [transaction.create(Stage(name=name)) for name in names], "system")
        print(*names, flush=True)

async def main():
    store = await open_store(sys.argv[1])
    await asyncio.gather(*(write(store, writer) for writer in range(5)))

asyncio.run(main())
"""


def check_kills(where: str | Path, turns: int = 3) -> None:
    """Whatever was answered is there after the process was killed, and nothing is there by half."""
    answered: set[str] = set()
    for turn in range(turns):
        answered |= _killed(where, turn)
        names = _names(where)
        assert answered <= names
        assert {name[:-1] + part for name in names for part in "01"} == names
    assert len(answered) >= turns * 80


def _killed(where: str | Path, turn: int) -> set[str]:
    """What one process said that it has written."""
    command = [sys.executable, "-c", WRITES_ON, str(where), str(turn)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(40)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout
    return {name for line in lines if line.endswith("\n") for name in line.split()}


def _names(where: str | Path) -> set[str]:
    async def main() -> set[str]:
        async with opener(where)() as store:
            return await store.read(lambda reader: {stage.name for stage in reader.all(Stage)})

    return asyncio.run(main())
