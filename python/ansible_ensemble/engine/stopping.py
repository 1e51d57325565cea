"""Stopping a job: by signals, and when the process that started it is gone."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable

from ansible_ensemble.execution.events import KillRequested, StopRequested

#: Signals that come within so many seconds are one request to stop.
_ONE_REQUEST = 1.0
#: Seconds between two looks at the process that started us.
_PAUSE = 1.0
_IS_GONE = "the process that started the job is gone"


class Stopping:
    """Turns signals, and the end of the process that started us, into events of the scheduler.

    The first SIGINT or SIGTERM lets end what runs, for the grace; the second ends it. The end of the process that
    started us counts as one too: as the second after a signal, else as the first, as when AWX cancels a job.

    Args:
        grace: seconds for running operations to end.
        feed: tells the scheduler.
        notice: called at the first signal, before the scheduler.

    Attributes:
        signal: number of the first signal that came, or None.
    """

    def __init__(
        self, grace: float, feed: Callable[[StopRequested | KillRequested], None], notice: Callable[[int], None]
    ) -> None:
        self.signal: int | None = None
        self._grace = grace
        self._feed = feed
        self._notice = notice
        self._asked = 0.0
        self._watch: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Catch signals from now on, until the running loop is closed, and watch the process that started us."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal, number)
        self._watch = loop.create_task(self._watch_parent(_parent()))

    def end(self) -> None:
        """Stop watching at the end of the job."""
        for pending in (self._watch, self._timer):
            if pending is not None:
                pending.cancel()

    def _on_signal(self, number: int) -> None:
        now = time.monotonic()
        if self.signal is None:
            self.signal = number
            self._notice(number)
        if self._timer is None:
            self._stop(StopRequested(), now)
        # Ansible forwards the signal that the terminal or its starter has sent us already: this is one request
        elif now - self._asked > _ONE_REQUEST:
            self._feed(KillRequested())

    def _stop(self, request: StopRequested, now: float) -> None:
        self._asked = now
        grace_is_over = KillRequested("the grace period is over")
        self._timer = asyncio.get_running_loop().call_later(self._grace, self._feed, grace_is_over)
        self._feed(request)

    async def _watch_parent(self, parent: int) -> None:
        """When the process that started us is gone, nobody reads the result: stop."""
        await _end_of(parent)
        if self._timer is not None:
            self._feed(KillRequested(_IS_GONE))
        else:
            self._stop(StopRequested(_IS_GONE), time.monotonic())


async def _end_of(parent: int) -> None:
    """Wait until our parent is gone: at once where the kernel tells, else by looking."""
    try:
        handle = os.pidfd_open(parent)
    except (AttributeError, OSError):
        while os.getppid() == parent:
            await asyncio.sleep(_PAUSE)
        return
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(handle, ended.set)
    try:
        if os.getppid() == parent:  # else it went before, and this is another of its id
            await ended.wait()
    finally:
        loop.remove_reader(handle)
        os.close(handle)


def _parent() -> int:
    """The process that started us, even if it is gone already."""
    starter = multiprocessing.parent_process()
    return os.getppid() if starter is None or starter.pid is None else starter.pid
