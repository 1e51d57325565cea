"""What stops a job, and how hard."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.engine import stopping
from ansible_ensemble.engine.stopping import Stopping
from ansible_ensemble.execution.events import KillRequested, StopRequested

Told = list[StopRequested | KillRequested | int]


def stopped(grace: float, *steps: Callable[[Stopping], None], until: int) -> tuple[Told, Stopping]:
    """What a job is told when these steps are taken, one in each turn of the loop, until it was told so much."""

    async def run() -> tuple[Told, Stopping]:
        told: Told = []
        enough = asyncio.Event()

        def tell(what: StopRequested | KillRequested | int) -> None:
            told.append(what)
            if len(told) >= until:
                enough.set()

        one = Stopping(grace, tell, tell)
        one.begin()
        for step in steps:
            step(one)
            # a signal comes to the loop by a pipe
            for _ in range(5):
                await asyncio.sleep(0)
        await asyncio.wait_for(enough.wait(), 30)
        one.end()
        return told, one

    return asyncio.run(run())


def send(number: int) -> Callable[[Stopping], None]:
    return lambda _: os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_end_what_runs(number: int) -> None:
    told, one = stopped(1000, send(number), until=2)
    assert told == [number, StopRequested()]
    assert one.signal == number


def test_signals_that_come_together_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.5, 11.5])
    monkeypatch.setattr(stopping.time, "monotonic", lambda: next(clock))
    # the loop has a clock of its own, which is the same function
    monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda _: 0.0)
    told, one = stopped(1000, send(signal.SIGINT), send(signal.SIGTERM), send(signal.SIGTERM), until=3)
    assert told == [signal.SIGINT, StopRequested(), KillRequested()]
    assert one.signal == signal.SIGINT


def test_when_the_grace_is_over_what_runs_is_ended() -> None:
    told, _ = stopped(0.0, send(signal.SIGTERM), until=3)
    assert told == [signal.SIGTERM, StopRequested(), KillRequested("the grace period is over")]


GONE = "the process that started the job is gone"


def test_when_its_starter_is_gone_what_runs_may_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "_parent", lambda: -1)
    told, one = stopped(0.0, until=2)
    assert told == [StopRequested(GONE), KillRequested("the grace period is over")]
    assert one.signal is None


def test_a_signal_after_its_starter_is_gone_is_the_second_request(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([10.0, 10.5, 11.5])
    monkeypatch.setattr(stopping, "_parent", lambda: -1)
    monkeypatch.setattr(stopping.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda _: 0.0)
    told, one = stopped(1000, lambda _: None, send(signal.SIGTERM), send(signal.SIGTERM), until=3)
    assert told == [StopRequested(GONE), signal.SIGTERM, KillRequested()]
    assert one.signal == signal.SIGTERM


def test_when_its_starter_ends_after_a_signal_what_runs_is_ended(tmp_path: Path) -> None:
    file, between = tmp_path / "told", os.fork()
    if between == 0:  # the starter, which ends once the job has had its signal
        try:
            reads, writes = os.pipe()
            if os.fork() == 0:
                told = asyncio.run(_told_until_killed(lambda: os.write(writes, b".")))
                (tmp_path / "new").write_text(repr(told))
                (tmp_path / "new").rename(file)
            else:
                os.read(reads, 1)
        finally:
            os._exit(0)
    os.waitpid(between, 0)
    while not file.exists():
        time.sleep(0.01)
    assert file.read_text() == repr([StopRequested(), KillRequested(GONE)])


async def _told_until_killed(let_go: Callable[[], object]) -> Told:
    told: Told = []
    killed = asyncio.Event()

    def feed(what: StopRequested | KillRequested) -> None:
        told.append(what)
        let_go()
        if isinstance(what, KillRequested):
            killed.set()

    one = Stopping(1000, feed, lambda _number: None)
    one.begin()
    os.kill(os.getpid(), signal.SIGTERM)
    await killed.wait()
    one.end()
    return told
