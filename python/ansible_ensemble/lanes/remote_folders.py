"""The temporary folders that core has made on a host for a module's files, without a process for each step.

Hosts get this module: it runs on each Python that Ansible supports there.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable

#: So many files of a folder are removed here; more would hold up others.
_FEW = 20


class Folders:
    """Makes and removes folders, and writes files into them.

    What it cannot do has still to be done by its command, whose messages are the ones to show.
    """

    def __init__(self) -> None:
        self._made: set[str] = set()

    def carry_out(self, name: str, *arguments: str) -> bytes | None:
        """What a chore prints; None if its command has to do it."""
        chores: dict[str, Callable[..., bytes]] = {
            "home": self._home,
            "make": self._make,
            "open": self._open,
            "remove": self._remove,
        }
        try:
            return chores[name](*arguments)
        except OSError:
            return None

    def put(self, path: str, start: int, content: bytes, mode: int) -> bool:
        """Write a part of a file into a folder that was made here; False if it is another one, or that fails."""
        if os.path.dirname(path) not in self._made:
            return False
        try:
            write(path, start, content, mode)
        except OSError:
            return False
        return True

    def end(self) -> None:
        """Remove what is left."""
        for path in self._made:
            shutil.rmtree(path, ignore_errors=True)

    def _home(self, user: str) -> bytes:
        return os.fsencode(os.path.expanduser(user)) + b"\n"

    def _make(self, parent: str, name: str) -> bytes:
        before = os.umask(0o077)
        try:
            os.makedirs(parent, exist_ok=True)
            path = os.path.join(parent, name)
            os.mkdir(path)
        finally:
            os.umask(before)
        self._made.add(path)
        return os.fsencode(f"{name}={path}\n")

    def _open(self, *paths: str) -> bytes:
        for path in paths:
            os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | stat.S_IRWXU)
        return b""

    def _remove(self, path: str) -> bytes:
        path = path.rstrip("/")
        if path not in self._made:
            raise FileNotFoundError(path)
        with os.scandir(path) as found:
            entries = list(found)
        if len(entries) > _FEW or any(entry.is_dir(follow_symlinks=False) for entry in entries):
            raise IsADirectoryError(path)
        for entry in entries:
            os.unlink(entry.path)
        os.rmdir(path)
        self._made.remove(path)
        return b""


def write(path: str, start: int, content: bytes, mode: int) -> None:
    """Write a part of a file, of which nothing is left from its start on; the first one makes it.

    Raises:
        OSError: it cannot be written.
    """
    flags = os.O_WRONLY if start else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(os.open(path, flags, mode), "wb") as file:
        file.seek(start)
        if start:
            file.truncate()
        file.write(content)
