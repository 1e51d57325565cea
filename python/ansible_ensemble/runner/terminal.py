"""The terminal that ansible-runner starts a playbook on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def closed_at_once() -> Iterator[None]:
    """While it is entered, the terminal of a process that has ended is closed without a pause.

    pexpect waits a tenth of a second there for the process to end, also where it has seen that it did.
    """
    import pexpect

    class Terminal(pexpect.spawn):  # type: ignore[misc]
        def close(self, force: bool = True) -> None:
            process: Any = getattr(self, "ptyproc", None)
            if process is not None and not self.isalive():
                process.delayafterclose = 0
            super().close(force)

    before, pexpect.spawn = pexpect.spawn, Terminal
    try:
        yield
    finally:
        pexpect.spawn = before
