"""The watchdog: what is left of a process that was killed with SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_ensemble.execution import watchdog_main
from ansible_ensemble.execution.watchdog import Watchdog

PACKAGE = Path(watchdog_main.__file__).parents[2]

WORKER = """
import asyncio, sys
from ansible_ensemble.core.orders import Command
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.execution.watchdog import Watchdog
async def main():
    watchdog = Watchdog()
    await run_command(Command(("sleep 60 & echo $! >> " + sys.argv[1],), shell="/bin/sh"), watchdog=watchdog)
    script = "sleep 60 & echo $$ $! >> " + sys.argv[1] + "; wait"
    await asyncio.gather(*(run_command(Command((script,), shell="/bin/sh"), watchdog=watchdog) for _ in range(3)))
asyncio.run(main())
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition: object, *args: object) -> None:
    """Wait until a condition holds; the suite's timeout is what ends it otherwise."""
    while not condition(*args):  # type: ignore[operator]
        time.sleep(0.01)


def group() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.PIPE)


def test_a_killed_worker_leaves_nothing_but_what_was_left_on_purpose(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    worker = subprocess.Popen([sys.executable, "-c", WORKER, str(pids)], env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    until(lambda: len(pids.read_text().split()) == 7)
    left, *running = map(int, pids.read_text().split())
    worker.kill()
    worker.wait()
    for pid in running:
        until(lambda pid=pid: not alive(pid))
    assert alive(left), "it stayed behind when its command had ended, as it may"
    os.kill(left, signal.SIGKILL)


def start_main(parent: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-I", "-S", watchdog_main.__file__, str(parent)], stdin=subprocess.PIPE)


def test_a_process_that_began_right_before_the_end_is_found() -> None:
    """The worker announced it, and was killed before it could say its id."""
    worker = subprocess.Popen(["sleep", "60"])
    command = group()
    assert command.stdout is not None
    watchdog = start_main(worker.pid)
    assert watchdog.stdin is not None
    watchdog.stdin.write(b"?%d\n" % os.fstat(command.stdout.fileno()).st_ino)
    watchdog.stdin.flush()
    command.stdout.close()
    worker.kill()
    worker.wait()
    assert command.wait() == -signal.SIGTERM
    assert watchdog.wait() == 0
    watchdog.stdin.close()


def test_what_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    command = subprocess.Popen(
        ["/bin/sh", "-c", f"trap '' TERM; echo > {tmp_path}/ready; while :; do sleep 1; done"], start_new_session=True
    )
    until((tmp_path / "ready").exists)
    watchdog = start_main(os.getpid())
    watchdog.communicate(b"+%d\n" % command.pid)
    assert command.wait() == -signal.SIGKILL


def test_closing_ends_the_watchdog() -> None:
    watchdog = Watchdog()
    watchdog.close()
    command = group()
    watchdog.watch(command.pid)
    assert watchdog._process is not None
    pid = watchdog._process.pid
    watchdog.release(command.pid)
    watchdog.close()
    assert not alive(pid)
    assert command.poll() is None
    command.kill()
    command.wait()
    assert command.stdout is not None
    command.stdout.close()


def test_a_watchdog_that_was_killed_is_replaced() -> None:
    watchdog = Watchdog()
    first, second = group(), group()
    watchdog.watch(first.pid)
    assert watchdog._process is not None
    watchdog._process.kill()
    watchdog._process.wait()
    watchdog.watch(second.pid)
    watchdog.close()
    for command in (first, second):
        assert command.wait() == -signal.SIGTERM, "the new one knows of both"
        assert command.stdout is not None
        command.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_it_outlives_the_signals_of_its_worker(number: signal.Signals) -> None:
    command = group()
    watchdog = start_main(os.getpid())
    assert watchdog.stdin is not None
    watchdog.stdin.write(b"+%d\n" % command.pid)
    watchdog.stdin.flush()
    until(lambda: int(_ignored(watchdog.pid), 16) & 1 << (number - 1))
    watchdog.send_signal(number)
    watchdog.stdin.close()
    assert command.wait() == -signal.SIGTERM
    assert watchdog.wait() == 0
    assert command.stdout is not None
    command.stdout.close()


def _ignored(pid: int) -> str:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
