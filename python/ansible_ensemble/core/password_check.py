"""Whether a password is right, by who has to wait longer after each one that was wrong."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from ansible_ensemble.core.attempts import LONGEST_WAIT, Attempts
from ansible_ensemble.core.passwords import is_password


class TooManyAttempts(Exception):
    """So many passwords were wrong that this one is not looked at."""


class PasswordCheck:
    """Compares passwords with what is kept of them, off the event loop."""

    def __init__(self) -> None:
        self._attempts = Attempts(time.monotonic)
        self._hashing = ThreadPoolExecutor(2, "passwords")

    async def is_right(self, name: str, password: str, kept: str, address: str) -> bool:
        """Whether a user's password is right; of nothing kept, none is.

        Raises:
            TooManyAttempts: too many were wrong before, of this user or from this address.
        """
        if (wait := self._attempts.wait(name, address)) > LONGEST_WAIT:
            raise TooManyAttempts
        if wait > 0:
            await asyncio.sleep(wait)
        loop = asyncio.get_running_loop()
        right = await loop.run_in_executor(self._hashing, is_password, password, kept) and bool(kept)
        (self._attempts.right if right else self._attempts.wrong)(name, address)
        return right
