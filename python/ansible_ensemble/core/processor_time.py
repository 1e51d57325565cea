"""Bounds on the processor time that something may take, as what waits takes none, and on memory."""

from __future__ import annotations

import gc
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible_ensemble.core.budget import Fault

#: Seconds after which it is said again: Python drops what is raised in a destructor or in a callback.
_AGAIN = 0.5
#: Seconds until the kernel ends the process: one long step of a C function hears nothing before it is done.
_GRACE = 10


def collect_rarely() -> None:
    """Look for garbage seldom from now on, and not in what is there: nearly all is freed by the count of its uses."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


class OutOfTime(BaseException):
    """The time is over; no handler of errors may swallow it."""


def _stop(*_arguments: Any) -> None:
    raise OutOfTime


def allow(seconds: float, memory: int = 0) -> None:
    """Let this process take so much from now on, as long as nothing else is said; 0 is without end.

    Elsewhere than in the main thread nothing is bounded.

    Args:
        seconds: of processor time.
        memory: bytes of data; what needs more raises MemoryError.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGVTALRM, _stop if seconds else signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        signal.setitimer(signal.ITIMER_PROF, seconds + _GRACE if seconds else 0)
        _soft, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (_within(memory, most), most))


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Let what is within take so much, and count it for what the process may take.

    Python looks for the signal between its own steps, and regular expressions do as they try: one long step of another
    C function is not cut off.

    Raises:
        Fault: the time is over, or this is not the main thread, where nothing could tell so.
    """
    if threading.current_thread() is not threading.main_thread():
        raise Fault("nothing bounds it but in the main thread")
    is_over = False

    def stop(*_arguments: Any) -> None:
        nonlocal is_over
        is_over = True
        raise OutOfTime

    handler = signal.signal(signal.SIGVTALRM, stop)
    left, _interval = signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    given, rest = min(seconds, left or seconds), 0.0
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, given, _AGAIN)
            yield
            if is_over:  # it was dropped, and what is within ended before it was said again
                raise OutOfTime
        finally:
            rest, _interval = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except OutOfTime:
        raise Fault(f"it takes more than {given:.3g} s of processor time") from None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(left - (given - rest), 0.001))


def _within(memory: int, most: int) -> int:
    return most if not memory or (most != resource.RLIM_INFINITY and memory > most) else memory
