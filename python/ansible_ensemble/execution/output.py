"""Output of a subprocess, kept within bounds whatever it prints."""

from __future__ import annotations

import codecs

#: Bytes kept of each output stream by default.
OUTPUT_LIMIT = 1_000_000


class BoundedOutput:
    """The head and the tail of a stream of bytes; what lies between is counted and dropped.

    Args:
        limit: bytes kept in all, half of them for the head.
    """

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Take in what was read."""
        self.total += len(chunk)
        room = self._half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail += chunk
            if len(self._tail) > 2 * self._half:
                del self._tail[: -self._half]

    @property
    def cut(self) -> int:
        """Number of bytes between head and tail that were dropped."""
        return max(self.total - 2 * self._half, 0)

    def content(self) -> bytes:
        """The bytes kept; those of an output that was cut are those of its `text`."""
        return self.text().encode() if self.cut else b"".join(self.ends())

    def ends(self) -> tuple[bytes, bytes]:
        """The head and the tail as they came."""
        return bytes(self._head), bytes(self._tail[-self._half :])

    def text(self) -> str:
        """The text kept; invalid UTF-8 shows as U+FFFD, and a line says how much is missing."""
        head_bytes, tail = self.ends()
        if not self.cut:
            return (head_bytes + tail).decode("utf-8", "replace")
        # a character may be cut in two at either side of the gap; its halves are dropped with the rest
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(head_bytes)
        while tail and 0x80 <= tail[0] < 0xC0 and self._half - len(tail) < 3:
            tail = tail[1:]
        return f"{head}\n[... {self.cut} bytes cut ...]\n{tail.decode('utf-8', 'replace')}"
