"""The program of `journal_upload`. It reads lines: the order, `upload`s, each answered in JSON, and `end`."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import Unreachable

#: Seconds between two looks whether the journal has grown.
_LOOK = 1.0
#: Seconds between two tries of an unreachable location.
_PAUSE = 2.0


def main(parent: int) -> None:
    """Upload when the job's process asks for it, until that has ended; then once more."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    lines = _lines(parent)
    order: dict[str, Any] = json.loads(next(lines))
    journal = _Journal(order)
    for line in lines:
        if line == b"end":
            break
        if line:
            _answer(journal.upload(order["patience"]))
        elif (result := journal.upload(0.0))["lost"]:
            _answer(result)
    journal.upload(0.0)


class _Journal:
    """The journal, and its store."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        self._path = Path(order["journal"])
        self._store: Any = None
        self._size = -1

    def upload(self, patience: float) -> dict[str, Any]:
        """Upload the journal if it has grown; an unreachable location is tried again for some seconds."""
        end = time.monotonic() + patience
        while True:
            try:
                self._write()
                return {"error": "", "lost": False}
            except Unreachable as error:
                if time.monotonic() >= end:
                    return {"error": f"the journal cannot be uploaded to the state: {error}", "lost": False}
                time.sleep(_PAUSE)
            except (EnsembleError, OSError) as error:
                return {"error": str(error), "lost": isinstance(error, Locked)}

    def _write(self) -> None:
        if self._store is None:
            self._store = open_store(self._order["kind"], self._order["values"])
        try:
            journal = self._path.read_bytes()
        except FileNotFoundError:  # it is recorded, or its folder is gone
            return
        if len(journal) != self._size:
            self._store.write_journal(self._order["name"], journal, self._order["lock"])
            self._size = len(journal)


def _answer(result: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, f"{json.dumps(result)}\n".encode())


def _lines(parent: int) -> Iterator[bytes]:
    """The lines of standard input, with an empty one each second without input."""
    heard, rest = [0], b""
    with contextlib.suppress(AttributeError, OSError):  # else the end of standard input has to do
        heard.append(os.pidfd_open(parent))
    while True:
        readable, _writable, _failed = select.select(heard, [], [], _LOOK)
        if not readable:
            yield b""
        elif 0 not in readable:
            return
        else:
            chunk = os.read(0, 65536)
            *lines, rest = (rest + chunk).split(b"\n")
            yield from filter(None, lines)
            if not chunk:
                return


if __name__ == "__main__":
    main(int(sys.argv[1]))
