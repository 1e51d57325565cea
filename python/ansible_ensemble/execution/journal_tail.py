"""What is added to the journal of a job that runs in another process."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

#: How many bytes are read at a time.
_AT_ONCE = 1 << 24


class JournalTail:
    """The events of a journal that were not read yet.

    It stays with the file when that is renamed, and goes on in a longer copy that takes the file's place.

    Args:
        path: the journal, which need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._rest = b""
        self._place = 0

    def events(self) -> list[dict[str, Any]]:
        """The events of the lines that were completed since the last call."""
        if self._stream is None:
            try:
                self._stream = _opened(self._path)
            except OSError:
                return []
        read = self._stream.read(_AT_ONCE) or self._replaced()
        self._place += len(read)
        complete, newline, self._rest = (self._rest + read).rpartition(b"\n")
        return [event for line in (complete + newline).splitlines() for event in _event(line)]

    def _replaced(self) -> bytes:
        """What a copy that took the file's place has more than the file; nothing without one."""
        assert self._stream is not None
        try:
            if os.path.samestat(self._path.lstat(), os.fstat(self._stream.fileno())):
                return b""
            copy = _opened(self._path)
        except OSError:
            return b""
        self._stream.close()
        self._stream = copy
        copy.seek(self._place)
        return copy.read(_AT_ONCE)

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()


def _opened(path: Path) -> BinaryIO:
    """Open a regular file, and nothing that a read could wait for.

    Raises:
        OSError: it is none.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))
    return open(descriptor, "rb")  # noqa: PTH123 - a descriptor has no path


def _event(line: bytes) -> Iterator[dict[str, Any]]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(event, dict) and "event" in event:
        yield event
