"""Watches the locks of a running job, so that a lost one is noticed before the job ends."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command
from ansible_ensemble.execution.process import run_command
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.lfs_lock import GlobalLock, lost_to, verification

#: Seconds between two looks at the local lock's file, which cost no more than a `stat`.
_PAUSE = 1.0
#: Seconds between two questions to the server of the global lock, each of which is a process and a request.
_SERVER_PAUSE = 60.0


class LockWatch:
    """Looks now and then whether the locks are still the job's: that of this copy, and that of all clones, if any.

    The pauses are the seconds between two looks at the local lock, and at the global one.
    """

    def __init__(
        self,
        local: locks.Lock,
        shared: GlobalLock | None = None,
        *,
        pause: float = _PAUSE,
        server_pause: float = _SERVER_PAUSE,
    ) -> None:
        self._local = local
        self._shared = shared
        self._file = locks.lock_path(local.path)
        self._seen: tuple[int, int] | None = None
        self._pause = pause
        self._server_pause = server_pause

    async def lost(self) -> str:
        """Watch until a lock is lost; say in words who has it."""
        asked = time.monotonic()
        while True:
            await asyncio.sleep(self._pause)
            reason = self._look()
            if reason is None and self._shared is not None and time.monotonic() - asked >= self._server_pause:
                reason = await self._ask(self._shared)
                asked = time.monotonic()
            if reason is not None:
                return reason

    def _look(self) -> str | None:
        """Whose the local lock is; its file is replaced when another takes it, and when one more process adopts it."""
        seen = _stamp(self._file)
        if seen is not None and seen == self._seen:
            return None
        try:
            reason = locks.lost(self._local)
        except EnsembleError:
            return None  # an unreadable file does not mean that the lock is lost
        self._seen = seen
        return reason

    @staticmethod
    async def _ask(lock: GlobalLock) -> str | None:
        """Whose the global lock is; a server that does not answer says nothing about it."""
        argv, environment = verification(lock)
        outcome = await run_command(Command(argv, cwd=str(lock.root), environment=environment, timeout=60.0))
        try:
            return lost_to(lock, outcome.stdout) if outcome.ok else None
        except EnsembleError:
            return None


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 - the cheapest look there is
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
