"""Leases: the lock of a state lasts for some seconds, unless its holder renews it.

A process of its own renews it, from the moment it is taken until the local lock is released or all processes of the job
are gone: a job may wait for approval, or be several tasks of a playbook. Whoever finds a lock that is not renewed for
the length of its lease may take it over. That is seen by watching, for clocks of two hosts may differ.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.projects.lock import Lock, is_at_work, is_visible
from ansible_ensemble.state.helper import start_helper
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import Unreachable

_MODULE = "ansible_ensemble.state.lease"
#: How often a lease is renewed while it lasts.
_RENEWALS = 3
#: Seconds between two looks whether the job is still at work.
_LOOK = 1.0


class LeaseWatch:
    """Watches a lock that another holds, to see whether its lease is renewed."""

    def __init__(self) -> None:
        self._seen = ("", "")
        self._since = 0.0
        self._renewed = False

    def look(self, holder: Lock) -> None:
        """Note the lock as it is now."""
        seen = (holder.id, holder.renewed)
        if seen == self._seen:
            return
        self._renewed = holder.id == self._seen[0]
        self._seen, self._since = seen, time.monotonic()

    def has_run_out(self, holder: Lock) -> bool:
        """Whether the lock was not renewed for the length of its lease."""
        return holder.lease > 0 and not is_visible(holder) and time.monotonic() - self._since > holder.lease

    def is_undecided(self, holder: Lock) -> bool:
        """Whether it is not known yet if the holder is alive."""
        return holder.lease > 0 and not is_visible(holder) and not self._renewed


def start_renewal(kind: str, values: Mapping[str, str], held: str, lock: Lock) -> subprocess.Popen[bytes]:
    """Start the process that renews a lease.

    Args:
        kind: of the location.
        values: what the store is opened by.
        held: id of the lock there.
        lock: the local lock, under which the job is at work.
    """
    process = start_helper(_MODULE)
    order: dict[str, Any] = {"kind": kind, "values": {**values, "repository": "lease.git"}, "held": held}
    order |= {"ensemble": lock.path, "lock": lock.id, "lease": lock.lease}
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(f"{json.dumps(order)}\n".encode())
    return process


def _renew(order: Mapping[str, Any]) -> None:
    """Renew a lease until its job is over, or it is lost."""
    store = open_store(order["kind"], order["values"])
    pause = order["lease"] / _RENEWALS
    due = time.monotonic() + pause
    while is_at_work(Path(order["ensemble"]), order["lock"]):
        if time.monotonic() >= due:
            due = time.monotonic() + pause
            with contextlib.suppress(Unreachable):
                store.renew(order["held"])
        time.sleep(min(_LOOK, pause / 2))


def _main() -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(EnsembleError):
        _renew(json.loads(sys.stdin.readline()))


if __name__ == "__main__":
    _main()
