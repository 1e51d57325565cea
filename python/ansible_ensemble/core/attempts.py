"""How long somebody waits who gave a wrong password before: longer each time, and nobody else for it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from msgspec import Struct

#: Wrong ones without any wait: for one user from one address, and from one address altogether.
OF_USER: Final = 3
OF_ADDRESS: Final = 20

#: Who has to wait longer, in seconds, is sent away.
LONGEST_WAIT = 30.0

#: After this many seconds without another one, wrong ones are forgotten.
_MEMORY = 900.0

#: How many are remembered; then the oldest are forgotten.
_MOST = 10_000

#: A name's digest, if it is about one, and the address.
_Key = tuple[bytes, str]


class _Record(Struct):
    wrong: int = 0
    last: float = 0.0
    free: float = 0.0


class Attempts:
    """Attempts to log in."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._records: OrderedDict[_Key, _Record] = OrderedDict()

    def wait(self, user: str, address: str) -> float:
        """How many seconds the next attempt has to wait."""
        now = self._clock()
        records = (self._known(key) for key, _allowed in _keys(user, address))
        return max(0.0, *(record.free - now for record in records))

    def wrong(self, user: str, address: str) -> None:
        """Note that the password was wrong."""
        now = self._clock()
        for key, allowed in _keys(user, address):
            self._records[key] = record = self._known(key)
            self._records.move_to_end(key)
            record.wrong, record.last = record.wrong + 1, now
            record.free = now + _pause(record.wrong - allowed)
        while len(self._records) > _MOST:
            self._records.popitem(last=False)

    def right(self, user: str, address: str) -> None:
        """Forget what was wrong before of the user; those of others from the same address stay."""
        (key, _allowed), _of_address = _keys(user, address)
        self._records.pop(key, None)

    def _known(self, key: _Key) -> _Record:
        record = self._records.get(key)
        return record if record and self._clock() - record.last <= _MEMORY else _Record()


def _keys(user: str, address: str) -> tuple[tuple[_Key, int], tuple[_Key, int]]:
    """What an attempt counts for, with how many cost nothing there; names may be long, and are kept as digests."""
    name = hashlib.blake2b(user.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return ((name, address), OF_USER), ((b"", address), OF_ADDRESS)


def _pause(too_many: int) -> float:
    return 0.0 if too_many < 0 else min(2.0**too_many / 2, LONGEST_WAIT)
