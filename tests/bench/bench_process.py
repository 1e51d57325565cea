"""What a command costs beside `xargs -P`, the floor: cpu and wall time per `true`.

Run it with `python tests/bench/bench_process.py [COMMANDS]`.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from ansible_ensemble.core.orders import Command
from ansible_ensemble.execution.events import OperationsAdded, Run, ScheduledOperation, Started, Succeeded
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.execution.readyqueue import Limits
from ansible_ensemble.execution.scheduler import Scheduler
from ansible_ensemble.execution.watchdog import Watchdog

JOBS = 4
TRUE = Command(("true",))


def cpu() -> float:
    """Seconds of cpu used by this process and the children it has waited for."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def xargs(count: int) -> None:
    """The floor."""
    lines = "".join(f"{number}\n" for number in range(count))
    subprocess.run(["xargs", "-P", str(JOBS), "-n", "1", "true"], input=lines, text=True, check=True)


async def commands(count: int, watchdog: Watchdog | None) -> None:
    """The worker alone."""
    left = iter(range(count))

    async def work() -> None:
        for _ in left:
            outcome = await run_command(TRUE, watchdog=watchdog)
            assert outcome.ok

    await asyncio.gather(*(work() for _ in range(JOBS)))


def worker(count: int) -> None:
    """The worker alone."""
    asyncio.run(commands(count, None))


def watched(count: int) -> None:
    """The worker with its watchdog."""
    watchdog = Watchdog()
    asyncio.run(commands(count, watchdog))
    watchdog.close()


def big(count: int) -> None:
    """The worker in a process of 300 MB."""
    ballast = bytearray(300_000_000)
    ballast[::4096] = b"x" * len(range(0, len(ballast), 4096))
    asyncio.run(commands(count, None))


def scheduled(count: int) -> None:
    """The worker with its watchdog, told what to run by the scheduler."""
    watchdog = Watchdog()

    async def main() -> None:
        scheduler = Scheduler(Limits(jobs=JOBS))
        running: set[asyncio.Task[str]] = set()

        async def operate(key: str) -> str:
            await run_command(TRUE, watchdog=watchdog)
            return key

        operations = tuple(ScheduledOperation(str(number)) for number in range(count))
        instructions = scheduler.handle(OperationsAdded(operations))
        while True:
            running |= {asyncio.ensure_future(operate(item.key)) for item in instructions if isinstance(item, Run)}
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            instructions = scheduler.handle(
                *(e for task in done for e in (Started(task.result()), Succeeded(task.result())))
            )

    asyncio.run(main())
    watchdog.close()


def main(count: int) -> None:
    """Print a table."""
    ways: list[Callable[[int], None]] = [xargs, worker, watched, scheduled, big]
    print(f"{count} times `true`, {JOBS} at a time; per command, in ms")
    floor = 0.0
    for way in ways:
        before, begin = cpu(), time.perf_counter()
        way(count)
        used, wall = (cpu() - before) / count * 1000, (time.perf_counter() - begin) / count * 1000
        floor = floor or used
        print(f"{way.__name__:10} cpu {used:6.2f}  above the floor {used - floor:6.2f}  wall {wall:6.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
