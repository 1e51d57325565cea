"""What an agent knows after it ended, however that was: which boot it ran in, and what it did there."""

from __future__ import annotations

import fcntl
import gzip
import os
import zlib
from pathlib import Path
from typing import BinaryIO

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.provision.agent.host import HostFailed
from ansible_ensemble.provision.objects.base import Record
from ansible_ensemble.provision.objects.codec import Undecodable, decode, encode
from ansible_ensemble.provision.objects.machine import Machine


class Saved(Record, frozen=True, kw_only=True):
    """The state of an agent, kept for as long as its machine is not booted.

    Attributes:
        boot_time: what tells the boot from others.
        machine: as it was known; its bootenv is the one that runs.
        job: the UUID of the latest job that was run in this boot.
        folder: where the agent has its files on the machine.
        stopping: whether the agent itself makes the machine not runnable, because of how the job ended.
    """

    boot_time: str = ""
    machine: Machine = Machine()
    job: str = ""
    folder: str = ""
    stopping: bool = False


class SavedState:
    """The file of one machine's state in one context; one agent has it at a time."""

    def __init__(self, folder: Path, machine: str, context: str) -> None:
        name = f"{machine}-{context}" if context else machine
        self._file = folder / f"{name.replace('/', '_')}.state"
        self._lock: BinaryIO | None = None

    def hold(self) -> None:
        """Have it alone, until `release`."""
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = self._file.with_suffix(".lock").open("wb")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EnsembleError("another agent runs for this machine", Place(str(self._file))) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise EnsembleError(f"the agent's state cannot be kept: {reason}", Place(str(self._file))) from None

    def release(self) -> None:
        """Let others have it."""
        if self._lock:
            self._lock.close()

    def load(self) -> Saved | None:
        """What was saved; None without a file that can be read as such."""
        try:
            return decode(Saved, gzip.decompress(self._file.read_bytes()))
        except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error, Undecodable):
            return None

    def save(self, state: Saved) -> None:
        """Write the file as a whole: who is killed meanwhile leaves the one before."""
        draft = self._file.with_suffix(".new")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(gzip.compress(encode(state), 1))
            draft.replace(self._file)
        except OSError as error:
            raise HostFailed(f"{self._file}: the agent's state cannot be kept: {error.strerror}") from None

    def forget(self) -> None:
        """Remove the file."""
        self._file.unlink(missing_ok=True)
