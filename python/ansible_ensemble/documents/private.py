"""Folders that their owner alone may look into, for what may hold values."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_MODE = 0o700


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner only, regardless of the umask.

    Raises:
        OSError: the file system refuses.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_MODE, exist_ok=True)
    if not folder.is_dir():
        folder.mkdir(mode=_MODE)


@contextmanager
def private_folder(environment: Mapping[str, str]) -> Iterator[Path]:
    """A folder for secrets, which is there while it is open: in memory, where the system has a place for that."""
    from tempfile import TemporaryDirectory  # here, for it costs every start

    memory = environment.get("XDG_RUNTIME_DIR", "")
    place = memory if Path(memory).is_dir() and os.access(memory, os.W_OK) else None
    with TemporaryDirectory(prefix="ansible-ensemble-", dir=place) as folder:
        yield Path(folder)


def write_private(path: Path, content: bytes) -> Path:
    """Write a new file that its owner alone may read; returns its path.

    Raises:
        FileExistsError: there is one.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    return path


def take_from_others(path: Path) -> None:
    """Leave a file, or a folder and all in it, to the owner alone; what is executable stays so, and links as they are.

    Raises:
        OSError: the file system refuses.
    """
    for one in (path, *path.rglob("*")):
        if not one.is_symlink():
            one.chmod(stat.S_IMODE(one.stat().st_mode) & _MODE)
