"""What an agent knows after it ended, however that was: which boot it ran in, and what it did there."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

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
    """

    boot_time: str = ""
    machine: Machine = Machine()
    job: str = ""
    folder: str = ""


class SavedState:
    """The file of one machine's state in one context."""

    def __init__(self, folder: Path, machine: str, context: str) -> None:
        name = f"{machine}-{context}" if context else machine
        self._file = folder / f"{name.replace('/', '_')}.state"

    def load(self) -> Saved | None:
        """What was saved; None without a file that can be read as such."""
        try:
            return decode(Saved, gzip.decompress(self._file.read_bytes()))
        except (FileNotFoundError, EOFError, gzip.BadGzipFile, zlib.error, Undecodable):
            return None

    def save(self, state: Saved) -> None:
        """Write the file as a whole: who is killed meanwhile leaves the one before."""
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._file.with_suffix(".new")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(gzip.compress(encode(state), 1))
        draft.replace(self._file)

    def forget(self) -> None:
        """Remove the file."""
        self._file.unlink(missing_ok=True)
