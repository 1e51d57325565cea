"""Writing the logs of jobs, in parts of bounded size."""

from __future__ import annotations

from itertools import accumulate

from ansible_ensemble.provision.store.connection import Connection
from ansible_ensemble.provision.store.lookups import as_bytes

#: How many bytes the log of a job may have, unless a setting says otherwise.
LOG_LIMIT = 32 * 2**20

#: How many bytes a part has at most, so that reading a little of a log loads little.
PART = 64 * 2**10

_LAST = "SELECT start, length(data) FROM logs WHERE job = ? ORDER BY start DESC LIMIT 1"
_PART = "SELECT data FROM logs WHERE job = ? AND start = ?"
_APPEND = "INSERT INTO logs (job, start, data) VALUES (?, ?, ?)"
_REMOVE = "DELETE FROM logs WHERE job = ?"
_CUT = b"\nThe log is cut here"


class LogWriter:
    """Appends to logs until they reach a limit."""

    def __init__(self, connection: Connection, limit: int) -> None:
        self._connection = connection
        self._limit = limit

    def append(self, job: str, data: bytes) -> None:
        """Append to the log of a job; what exceeds the limit is left out, and a last line says so."""
        owner = as_bytes(job)
        found = self._connection.rows(_LAST, owner)
        start, length = found[0] if found else (0, 0)
        left = self._limit - start - length
        if left < 0 and self._connection.rows(_PART, owner, start)[0][0].startswith(_CUT):
            return
        parts = _parts(data[: max(left, 0)])
        if len(data) > left:
            parts.append(_CUT + f": it has reached its limit of {self._limit} bytes.\n".encode())
        self._add(owner, start + length, parts)

    def _add(self, owner: bytes, end: int, parts: list[bytes]) -> None:
        starts = accumulate(map(len, parts), initial=end)
        self._connection.run_many(_APPEND, [(owner, start, part) for start, part in zip(starts, parts)])

    def remove(self, job: str) -> None:
        """Remove the log of a job."""
        self._connection.run(_REMOVE, as_bytes(job))


def _parts(data: bytes) -> list[bytes]:
    return [data[start : start + PART] for start in range(0, len(data), PART)]
