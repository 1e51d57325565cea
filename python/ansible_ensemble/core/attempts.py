"""How long somebody waits who gave a wrong password before: longer each time, and nobody else for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from msgspec import Struct

#: Wrong ones without any wait: for one user from one address, and from one address altogether.
OF_USER: Final = 3
OF_ADDRESS: Final = 20

#: Who would have to wait longer, in seconds, is sent away.
LONGEST_WAIT = 30.0

#: After this many seconds without another one, wrong ones are forgotten.
_MEMORY = 900.0

#: How many are remembered; then the oldest are forgotten.
_MOST = 10_000


class _Record(Struct):
    wrong: int = 0
    last: float = 0.0
    free: float = 0.0


class Attempts:
    """Attempts to log in."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._records: OrderedDict[tuple[str, str], _Record] = OrderedDict()

    def wait(self, user: str, address: str) -> float:
        """How many seconds an attempt has to wait now; more than `LONGEST_WAIT` means that it is sent away."""
        now = self._clock()
        records = [(self._record(key), allowed) for key, allowed in _keys(user, address)]
        start = max([now, *(record.free for record, _other in records)])
        if start - now <= LONGEST_WAIT:
            for record, allowed in records:
                record.free = start + _pause(record.wrong - allowed)
        return start - now

    def wrong(self, user: str, address: str) -> None:
        """Note that the password was wrong."""
        for key, allowed in _keys(user, address):
            record = self._record(key)
            record.wrong, record.last = record.wrong + 1, self._clock()
            record.free = max(record.free, record.last + _pause(record.wrong - allowed))

    def right(self, user: str, address: str) -> None:
        """Forget what was wrong before of the user; those of others from the same address stay."""
        self._records.pop((user, address), None)

    def _record(self, key: tuple[str, str]) -> _Record:
        record = self._records.pop(key, None)
        if record is None or self._clock() - record.last > _MEMORY:
            record = _Record(last=self._clock())
        self._records[key] = record
        while len(self._records) > _MOST:
            self._records.popitem(last=False)
        return record


def _keys(user: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    return ((user, address), OF_USER), (("", address), OF_ADDRESS)


def _pause(too_many: int) -> float:
    return 0.0 if too_many < 0 else min(2.0**too_many / 2, LONGEST_WAIT)
