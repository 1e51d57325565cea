"""Orders on the side of the worker: each is carried out once, and how it ended is kept until that is acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import time
from pathlib import Path
from typing import IO

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.lanes import outcomes
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.exchange import LEFT
from ansible_ensemble.mesh.executors import Executors
from ansible_ensemble.mesh.ledger import Entry, Known, Ledger
from ansible_ensemble.mesh.messages import Begin, Cancel
from ansible_ensemble.mesh.signing import seal
from ansible_ensemble.mesh.trees import Trees

#: Seconds that an ending is kept that nobody acknowledges.
_KEPT = 7 * 24 * 3600
#: Seconds between two searches for those.
_HOUR = 3600.0
#: Seconds in which what a worker that was killed has left is ended, and between two looks for that.
_LEAVING = 5.0
_PAUSE = 0.02
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class _Running(Struct):
    """An order that runs, how many wait for it, and when it is ended if nobody does."""

    task: asyncio.Task[str]
    waiting: int = 0
    timer: asyncio.TimerHandle | None = None

    async def ended(self) -> str:
        """How it ended, sealed."""
        if self.timer is not None:
            self.timer.cancel()
        self.waiting += 1
        try:
            return await asyncio.shield(self.task)
        finally:
            self.waiting -= 1
            if not self.waiting and not self.task.done():
                self.timer = asyncio.get_running_loop().call_later(LEFT, self.task.cancel)


class Orders:
    """What a worker was told to do.

    An order is a file of its name, as the ledger notes it; how it ended is sealed.

    Args:
        folder: where the files are, those that orders bring, and where commands run that name no folder.
        at_once: how many orders are carried out side by side; others wait.
    """

    def __init__(self, folder: Path, at_once: int) -> None:
        self._folder = folder
        self._turns = asyncio.Semaphore(at_once)
        self._running: dict[Path, _Running] = {}
        self._ledger = Ledger[Path](_Files())
        make_private(folder / "work")
        self._lock = _locked(folder)
        for left in (folder / "work").iterdir():
            shutil.rmtree(left, ignore_errors=True)
        self.trees = Trees(folder)
        self._executors = Executors(folder / "work", self.trees, at_once, self._lock.fileno())
        self._forget_old()

    async def ended(self, who: str, begin: Begin) -> str:
        """How an order ended, once it has; it is begun if it is new.

        Who awaits it may go away and ask again: the order goes on for as long as a lost connection may take to come
        back. Then its job is gone, and it is ended.
        """
        path = self._path(who, begin.name)
        entry = self._ledger.begin(path)
        if entry.known is Known.NEW:
            if time.monotonic() - self._searched > _HOUR:
                self._forget_old()
            running = self._running[path] = _Running(asyncio.create_task(self._carry_out(path, begin)))
            running.task.add_done_callback(lambda _task: self._gone(path))
            return await running.ended()
        return await self._running[path].ended() if entry.known is Known.RUNS else _told(entry, begin)

    async def cancelled(self, who: str, cancel: Cancel) -> str:
        """How an order ended, which is cancelled if it runs; one that is not known will not begin."""
        path = self._path(who, cancel.name)
        never = _sealed(cancel, "it was cancelled before it came", changed=False, cancelled=True)
        entry = self._ledger.cancel(path, never)
        if entry.known is not Known.RUNS:
            return _told(entry, cancel)
        running = self._running[path]
        asyncio.get_running_loop().call_soon(running.task.cancel)  # it may not have taken its first step
        return await running.ended()

    def acknowledge(self, who: str, name: str) -> None:
        """Forget how an order ended."""
        self._ledger.acknowledge(self._path(who, name))

    async def close(self) -> None:
        """End what runs."""
        tasks = [running.task for running in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._executors.close()
        self._lock.close()

    async def _carry_out(self, path: Path, begin: Begin) -> str:
        begun = False
        try:
            async with self._turns:
                begun = True
                ended = seal(begin.key, begin.name, await self._executors.run(begin))
        except asyncio.CancelledError:
            ended = _sealed(begin, "it was cancelled", changed=None if begun else False, cancelled=True)
        except MeshError as error:  # it is no order that can be carried out here
            ended = _sealed(begin, str(error), changed=False)
        except OSError as error:
            ended = _sealed(begin, f"it cannot be carried out: {error.strerror or error}")
        except Exception as error:  # whoever asks is answered all the same
            ended = _sealed(begin, f"its worker failed: {type(error).__name__}: {error}")
        with contextlib.suppress(EnsembleError):  # whoever asks now is told all the same
            self._ledger.end(path, ended)
        return ended

    def _gone(self, path: Path) -> None:
        del self._running[path]
        self._ledger.cut_off(path)

    def _forget_old(self) -> None:
        self._searched = time.monotonic()
        self.trees.forget_old()
        for old in self._folder.glob("orders/*/*"):
            if not self._ledger.runs(old) and old.stat().st_mtime < time.time() - _KEPT:
                old.unlink()

    def _path(self, who: str, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise MeshError("this is no name of an order")
        return self._folder / "orders" / who / name


def _locked(folder: Path) -> IO[str]:
    """The lock of a worker, once all is ended that one which was killed has left: it would go on after its check."""
    lock, deadline = (folder / "lock").open("w"), time.monotonic() + _LEAVING
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                lock.close()
                hint = "each worker has one of its own: name another by --folder"
                raise MeshError(f"another worker has the folder {folder}", hint=hint) from error
            time.sleep(_PAUSE)
        else:
            return lock


class _Files:
    """Notes of the ledger, each a file."""

    def read(self, path: Path) -> str | None:
        try:
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            problem = os.strerror(error.errno or 0) if isinstance(error, OSError) else "it is no text"
            raise MeshError(f"what is known of it cannot be read: {problem}") from error

    def write(self, path: Path, text: str) -> None:
        make_private(path.parent)
        write_atomically(path, text, mode=0o600)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)


def _told(entry: Entry, asked: Begin | Cancel) -> str:
    """How an order ended that does not run."""
    return entry.ended or _sealed(asked, "its worker ended before it did", cancelled=True)


def _sealed(asked: Begin | Cancel, error: str, *, changed: bool | None = None, cancelled: bool = False) -> str:
    """How an order ended that failed."""
    ended = Outcome(ok=False, changed=changed, cancelled=cancelled, error=error)
    return seal(asked.key, asked.name, outcomes.to_message(ended))
