"""That one process alone writes a file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError


class Ownership:
    """A lock beside a file, held until it is released or the process ends, however it ends.

    Raises:
        OSError: the lock cannot be made.
    """

    def __init__(self, owned: Path) -> None:
        self._handle = os.open(owned.with_name(owned.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._refuse(owned)
        os.truncate(self._handle, 0)
        os.pwrite(self._handle, str(os.getpid()).encode(), 0)

    def _refuse(self, owned: Path) -> None:
        holder = os.pread(self._handle, 20, 0).decode(errors="replace")
        os.close(self._handle)
        raise EnsembleError(
            f"{owned} is in use by another process{f' ({holder})' if holder else ''}",
            hint="end that one first; several servers share a PostgreSQL database",
        )

    def release(self) -> None:
        """Let others have the file."""
        os.close(self._handle)
