"""What is added to the journal of a job that runs in another process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO


class JournalTail:
    """The events of a journal that were not read yet. It stays with the file when that is renamed.

    Args:
        path: the journal, which need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._rest = b""

    def events(self) -> list[dict[str, Any]]:
        """The events of the lines that were completed since the last call."""
        if self._stream is None:
            try:
                self._stream = self._path.open("rb")
            except OSError:
                return []
        complete, newline, self._rest = (self._rest + self._stream.read()).rpartition(b"\n")
        return [event for line in (complete + newline).splitlines() for event in _event(line)]

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()


def _event(line: bytes) -> Iterator[dict[str, Any]]:
    try:
        event = json.loads(line)
    except ValueError:
        return
    if isinstance(event, dict) and "event" in event:
        yield event
