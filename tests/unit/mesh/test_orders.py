"""An order is carried out once, whatever happens, and how it ended is kept until that is acknowledged."""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.lanes import outcomes
from ansible_ensemble.mesh import orders
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.messages import Begin, Cancel
from ansible_ensemble.mesh.orders import Orders
from ansible_ensemble.mesh.signing import unseal
from tests.integration.jobs.processes import read, wait_for

ME = "0f1e"
KEY = base64.b64encode(b"k" * 32).decode()


class Kept:
    """Orders of whose endings the seals are opened."""

    def __init__(self, orders: Orders) -> None:
        self.orders = orders
        self.acknowledge = orders.acknowledge

    async def ended(self, who: str, name: str, command: Command) -> Outcome:
        begin = Begin.of(name, KEY, command)
        return outcomes.from_message(unseal(KEY, name, await self.orders.ended(who, begin)))

    async def cancelled(self, who: str, name: str) -> Outcome:
        return outcomes.from_message(unseal(KEY, name, await self.orders.cancelled(who, Cancel(name, KEY))))


def shell(line: str) -> Command:
    return Command((line,), shell="/bin/sh")


@pytest.fixture
def during(tmp_path: Path):
    """What comes of working with orders, of which so many run at once; another call is another worker."""

    def run(work: Callable[[Kept], Awaitable[Any]], at_once: int = 2) -> Any:
        async def main() -> Any:
            kept = Orders(tmp_path / "kept", at_once)
            try:
                return await work(Kept(kept))
            finally:
                await kept.close()

        return asyncio.run(main())

    return run


def test_an_order_is_carried_out_once_until_it_is_acknowledged(during, tmp_path: Path) -> None:
    command = shell(f"echo out; echo err >&2; echo x >> {tmp_path}/ran; exit 3")

    async def thrice(kept: Kept) -> list[Outcome]:
        both = await asyncio.gather(kept.ended(ME, "one", command), kept.ended(ME, "one", command))
        return [*both, await kept.ended(ME, "one", command)]

    found = during(thrice)
    found.append(during(lambda kept: kept.ended(ME, "one", command)))  # the next worker knows it as well
    assert {(one.ok, one.rc, one.stdout, one.stderr) for one in found} == {(False, 3, "out\n", "err\n")}
    assert (tmp_path / "ran").read_text() == "x\n"

    async def late(kept: Kept) -> Outcome:
        kept.acknowledge(ME, "one")
        return await kept.ended(ME, "one", command)

    assert during(late).cancelled
    assert (tmp_path / "ran").read_text() == "x\n"


def test_what_is_kept_is_sealed(during, tmp_path: Path) -> None:
    ended = during(lambda kept: kept.ended(ME, "one", shell("echo s3cret")))
    assert ended.stdout == "s3cret\n"
    [file] = (tmp_path / "kept" / "orders").glob("*/one")
    assert "s3cret" not in base64.b64decode(file.read_text()).decode(errors="replace")


def test_orders_of_others_are_their_own(during, tmp_path: Path) -> None:
    async def both(kept: Kept) -> list[str]:
        mine = await kept.ended(ME, "one", shell("echo mine"))
        yours = await kept.ended("beef", "one", shell("echo yours"))
        kept.acknowledge("beef", "one")
        await kept.cancelled("beef", "two")
        return [mine.stdout, yours.stdout, (await kept.ended(ME, "one", shell("echo again"))).stdout]

    assert during(both) == ["mine\n", "yours\n", "mine\n"]


def test_who_goes_away_finds_it_done(during, tmp_path: Path) -> None:
    command = shell(f"while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo done")

    async def leave(kept: Kept) -> Outcome:
        asking = asyncio.create_task(kept.ended(ME, "one", command))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        again = asyncio.create_task(kept.ended(ME, "one", command))
        await asyncio.sleep(0)
        assert [one.timer.cancelled() for one in kept.orders._running.values()] == [True]
        (tmp_path / "go").touch()
        return await again

    assert during(leave).stdout == "done\n"


def test_what_nobody_waits_for_any_more_is_ended(during, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "LEFT", 0.01)

    async def leave(kept: Kept) -> Outcome:
        asking = asyncio.create_task(kept.ended(ME, "one", shell(f"touch {tmp_path}/begun; sleep 600")))
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        while kept.orders._running:
            await asyncio.sleep(0.01)
        return await kept.ended(ME, "one", shell(":"))

    assert during(leave).cancelled


def test_an_order_that_runs_is_ended_by_a_cancellation(during, tmp_path: Path) -> None:
    async def cancel(kept: Kept) -> tuple[Outcome, Outcome]:
        running = asyncio.create_task(kept.ended(ME, "one", shell(f"touch {tmp_path}/begun; sleep 600")))
        waiting = asyncio.create_task(kept.ended(ME, "two", shell(f"touch {tmp_path}/two")))
        while not (tmp_path / "begun").exists():
            await asyncio.sleep(0.01)
        await kept.cancelled(ME, "two")
        kept.acknowledge(ME, "one")  # not yet
        assert await kept.cancelled(ME, "one") == await running
        return await running, await waiting

    running, waiting = during(cancel, at_once=1)
    assert (running.cancelled, running.changed) == (True, None)
    assert (waiting.cancelled, waiting.changed) == (True, False)
    assert not (tmp_path / "two").exists()


def test_what_is_cancelled_first_does_not_begin(during, tmp_path: Path) -> None:
    async def before(kept: Kept) -> list[Outcome]:
        return [await kept.cancelled(ME, "one"), await kept.ended(ME, "one", shell(f"touch {tmp_path}/ran"))]

    async def at_once(kept: Kept) -> list[Outcome]:
        running = asyncio.create_task(kept.ended(ME, "two", shell("sleep 600")))
        cancelling = asyncio.create_task(kept.cancelled(ME, "two"))
        return [await running, await cancelling]

    for ended in [*during(before), *during(at_once, at_once=1)]:
        assert (ended.ok, ended.cancelled) == (False, True)
    assert during(before)[0].changed is False
    assert not (tmp_path / "ran").exists()


def test_what_was_cut_off_with_its_worker_is_unknown(during, tmp_path: Path) -> None:
    folder = tmp_path / "kept" / "orders" / ME
    folder.mkdir(parents=True)
    (folder / "one").touch()
    ended = during(lambda kept: kept.ended(ME, "one", shell(f"touch {tmp_path}/ran")))
    assert (ended.ok, ended.cancelled, ended.changed) == (False, True, None)
    assert not (tmp_path / "ran").exists()


def test_what_nobody_acknowledges_is_forgotten_at_last(during, tmp_path: Path) -> None:
    for name in ("old", "new"):
        during(lambda kept, name=name: kept.ended(ME, name, shell(":")))
    folder = tmp_path / "kept" / "orders" / ME
    before = (folder / "old").stat().st_mtime - orders._KEPT - 1
    os.utime(folder / "old", (before, before))
    during(lambda kept: asyncio.sleep(0))
    assert [file.name for file in folder.iterdir()] == ["new"]


def test_a_worker_that_lives_on_forgets_what_nobody_acknowledges(
    during, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def live_on(kept: Kept) -> list[str]:
        await kept.ended(ME, "old", shell(":"))
        folder = tmp_path / "kept" / "orders" / ME
        before = (folder / "old").stat().st_mtime - orders._KEPT - 1
        os.utime(folder / "old", (before, before))
        monkeypatch.setattr(orders, "_HOUR", 0.0)
        await kept.ended(ME, "new", shell(":"))
        return [file.name for file in folder.iterdir()]

    assert during(live_on) == ["new"]


def test_a_command_runs_in_an_empty_folder_that_is_gone_after_it(during, tmp_path: Path) -> None:
    ended = during(lambda kept: kept.ended(ME, "one", shell("ls -A; pwd; touch left")))
    folder = Path(ended.stdout.strip())
    assert folder.parent == tmp_path / "kept" / "work"
    assert not folder.exists()
    ended = during(lambda kept: kept.ended(ME, "two", Command(("pwd",), cwd=str(tmp_path))))
    assert ended.stdout == f"{tmp_path}\n"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../one", "/etc/passwd", "a/b", "a\n", "a\0", "é", ".hidden", "a" * 101]
)
def test_a_name_that_leads_elsewhere_is_none(during, name: str) -> None:
    async def try_all(kept: Kept) -> None:
        with pytest.raises(MeshError, match="no name of an order"):
            await kept.ended(ME, name, shell(":"))
        with pytest.raises(MeshError, match="no name of an order"):
            await kept.cancelled(ME, name)
        with pytest.raises(MeshError, match="no name of an order"):
            kept.acknowledge(ME, name)

    during(try_all)


def test_nothing_runs_where_it_cannot_be_kept(during, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def refused(kept: Kept) -> None:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(EnsembleError, match=r"No space left .*free some space"):
            await kept.ended(ME, "one", shell(f"touch {tmp_path}/ran"))

    during(refused)
    assert not (tmp_path / "ran").exists()


def test_what_cannot_be_kept_any_more_is_told_all_the_same(
    during, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def fill(kept: Kept) -> Outcome:
        line = f"touch {tmp_path}/ran; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo done"
        running = asyncio.create_task(kept.ended(ME, "one", shell(line)))
        while not (tmp_path / "ran").exists():
            await asyncio.sleep(0.01)
        monkeypatch.setattr(os, "fsync", full)
        (tmp_path / "go").touch()
        return await running

    assert during(fill).stdout == "done\n"
    monkeypatch.undo()
    assert during(lambda kept: kept.ended(ME, "one", shell(":"))).cancelled


def test_a_command_without_a_folder_has_done_nothing(during, tmp_path: Path) -> None:
    async def remove(kept: Kept) -> Outcome:
        (tmp_path / "kept" / "work").rmdir()
        return await kept.ended(ME, "one", shell(f"touch {tmp_path}/ran"))

    ended = during(remove)
    assert (ended.ok, ended.cancelled, ended.changed) == (False, False, False)
    assert "cannot be carried out: No such file" in str(ended.error)
    assert not (tmp_path / "ran").exists()


def test_what_a_worker_left_that_was_killed_is_removed(during, tmp_path: Path) -> None:
    left = tmp_path / "kept" / "work" / "tmp1"
    left.mkdir(parents=True)
    (left / "file").touch()
    during(lambda kept: asyncio.sleep(0))
    assert not left.exists()


def test_a_folder_is_of_one_worker(during, tmp_path: Path) -> None:
    async def second(kept: Kept) -> None:
        with pytest.raises(MeshError, match="another worker has the folder"):
            Orders(tmp_path / "kept", 1)

    during(second)


#: A worker that is killed while it carries out an order, which goes on as long as it may.
KILLED = """
import asyncio, base64, sys
from pathlib import Path
from ansible_ensemble.core.orders import Command
from ansible_ensemble.mesh.messages import Begin
from ansible_ensemble.mesh.orders import Orders

line = "trap '' TERM; echo $$ > %(pid)s; echo; while :; do date > %(beat)s; sleep 0.01; done" % {
    "pid": sys.argv[2], "beat": sys.argv[3]
}
order = Begin.of("one", base64.b64encode(b"k" * 32).decode(), Command((line,), shell="/bin/sh"))
asyncio.run(Orders(Path(sys.argv[1]), 2).ended("0f1e", order))
"""


def test_a_worker_begins_once_what_one_that_was_killed_has_left_is_ended(during, tmp_path: Path) -> None:
    pid, beat = tmp_path / "pid", tmp_path / "beat"
    killed = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "kept"), str(pid), str(beat)])
    wait_for(beat.exists, "the order to begin")
    killed.kill()
    killed.wait()

    async def again(kept: Kept) -> Outcome:
        assert read(int(pid.read_text())) is None
        return await kept.ended(ME, "one", shell("true"))

    assert during(again).cancelled
