"""Folders that their owner alone may look into, for what may hold values."""

from __future__ import annotations

from pathlib import Path

_MODE = 0o700


def make_private(folder: Path) -> None:
    """Make a folder and those above it that are missing, for their owner alone whatever the umask says.

    Raises:
        OSError: the file system refuses.
    """
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=_MODE, exist_ok=True)
    if not folder.is_dir():
        folder.mkdir(mode=_MODE)
