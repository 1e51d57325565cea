"""Interruption of a playbook: gently the first time, for good the second."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Passes signals on to the process group of a playbook while it is entered.

    The playbook runs in a session of its own, so that a Ctrl-C at the terminal reaches this process alone. Outside
    the main thread, where signals cannot be handled, it does nothing; a signal that is ignored (`nohup`) stays so.

    Attributes:
        received: number of the first signal that came in, or None.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self.received: int | None = None
        self._show = show
        self._count = 0
        self._pid: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
            self._before = {number: signal.signal(number, self._on_signal) for number in heeded}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def target(self, pid: int) -> None:
        """Name the playbook's process; a signal that came before reaches it now."""
        if self._pid is None:
            self._pid = pid
            if self.received is not None:
                self._pass_on(signal.SIGINT)

    def kill(self) -> bool:
        """Kill the playbook; False if it is not known to run."""
        self._pass_on(signal.SIGKILL)
        return self._pid is not None

    def is_final(self) -> bool:
        """Whether the playbook is to be killed."""
        return self._count > 1

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._count += 1
        if self.received is None:
            self.received = number
            # the one signal that ansible-playbook ends on in order, whichever came to us
            self._pass_on(signal.SIGINT)
            # the signal may have come in the middle of another line, or because the terminal is gone
            with contextlib.suppress(OSError, RuntimeError):
                self._show("Interrupted: waiting for running operations to end. Interrupt again to kill them.")
        else:
            self._pass_on(signal.SIGKILL)

    def _pass_on(self, number: int) -> None:
        if self._pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(os.getpgid(self._pid), number)
