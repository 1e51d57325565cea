"""What the stock lane costs beside core's `TaskExecutor` alone: cpu time per module call through AnsiballZ.

Run it with `python tests/bench/bench_lanes.py [CALLS]`. Both do the same calls, as many at a time, on the same session;
each process that is forked for it is counted. The rounds alternate, and the cheapest of each counts.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from ansible_ensemble.core.orders import ModuleCall
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
from ansible_ensemble.lanes.session import AnsibleSession, standalone_session
from tests.bench.bench_process import cpu

PROCESSES = 2
ROUNDS = 3
PING = ModuleCall("ansible.builtin.ping")


def task_executor_alone(session: AnsibleSession, count: int) -> None:
    """Forked processes that hand one task after the other to core's `TaskExecutor`."""
    children = []
    for number in range(PROCESSES):
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = run_calls(session, len(range(number, count, PROCESSES)))
            finally:
                os._exit(code)
        children.append(pid)
    for pid in children:
        assert os.waitpid(pid, 0)[1] == 0


def run_calls(session: AnsibleSession, count: int) -> int:
    """Run so many calls in this process; zero if all of them did their work."""
    from ansible.utils.display import Display

    shape = core.task_shape()
    assert shape is not None
    Display()._final_q = relay = core.Nobody()
    results = [core.run_task(session, PING, relay, shape).shown for _ in range(count)]
    return 0 if all(result["ping"] == "pong" for result in results) else 1


def stock_lane(session: AnsibleSession, count: int) -> None:
    """The lanes, with the fast one off."""

    async def main() -> None:
        lanes = AnsibleLanes(session, executors=PROCESSES, fast=False, on_display=lambda *_: None)
        outcomes = await asyncio.gather(*(lanes.run(PING) for _ in range(count)))
        assert all(outcome.ok and outcome.lane == "stock" for outcome in outcomes)
        await lanes.close()

    asyncio.run(main())


def ratio(count: int) -> tuple[float, float]:
    """Milliseconds per call of `TaskExecutor` alone and of the stock lane."""
    session = standalone_session()
    core.warm_up(session)
    ways: list[Callable[[AnsibleSession, int], None]] = [task_executor_alone, stock_lane]
    best = [float("inf")] * len(ways)
    for _ in range(ROUNDS):
        for number, way in enumerate(ways):
            before = cpu()
            way(session, count)
            best[number] = min(best[number], (cpu() - before) / count * 1000)
    return best[0], best[1]


if __name__ == "__main__":
    alone, stock = ratio(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    print(f"TaskExecutor alone {alone:.0f} ms, stock lane {stock:.0f} ms: {stock / alone:.2f} x")
