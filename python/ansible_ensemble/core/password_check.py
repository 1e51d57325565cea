"""Whether a password is right, by who has to wait longer after each one that was wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakValueDictionary

from ansible_ensemble.core.attempts import LONGEST_WAIT, Attempts
from ansible_ensemble.core.passwords import is_password


class TooManyAttempts(Exception):
    """So many passwords were wrong that this one is not looked at."""


class PasswordCheck:
    """Compares passwords with what is kept of them, off the event loop.

    Args:
        clock: the seconds that pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._attempts = Attempts(clock)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._hashing = ThreadPoolExecutor(2, "passwords")

    async def is_right(self, name: str, password: str, kept: str, address: str) -> bool:
        """Whether a user's password is right; of nothing kept, none is.

        Those from one address are compared one after the other, so that each one counts before the next.

        Raises:
            TooManyAttempts: too many were wrong before, of this user or from this address.
        """
        turn, waited = self._turns.setdefault(address, asyncio.Lock()), 0.0
        while True:
            async with turn:
                if not (wait := self._attempts.wait(name, address)):
                    return await self._compare(name, password, kept, address)
            if (waited := waited + wait) > LONGEST_WAIT:
                raise TooManyAttempts
            await asyncio.sleep(wait)

    async def _compare(self, name: str, password: str, kept: str, address: str) -> bool:
        loop = asyncio.get_running_loop()
        right = await loop.run_in_executor(self._hashing, is_password, password, kept)
        (self._attempts.right if right else self._attempts.wrong)(name, address)
        return right
