"""Frames between executors, the hub of kept connections and the programs on hosts: a JSON header, and bytes.

Hosts get this module as well: it runs on each Python that Ansible supports there.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

_LENGTHS = struct.Struct("!II")
#: Bytes that a header has at most.
_LONGEST = 1 << 24


def pack(header: dict[str, Any], body: bytes = b"") -> bytes:
    """A header and bytes as a frame."""
    text = json.dumps(header).encode()
    return _LENGTHS.pack(len(text), len(body)) + text + body


class Unpacker:
    """Takes bytes as they come, and gives the frames that are complete."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, data: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Take in what was read.

        Raises:
            ValueError: these are no frames.
        """
        self._data += data
        while len(self._data) >= _LENGTHS.size:
            head, body = _LENGTHS.unpack_from(self._data)
            start, end = _LENGTHS.size + head, _LENGTHS.size + head + body
            if head > _LONGEST:
                raise ValueError("this is no frame")
            if len(self._data) < end:
                return
            frame = json.loads(self._data[_LENGTHS.size : start]), bytes(self._data[start:end])
            del self._data[:end]
            yield frame
