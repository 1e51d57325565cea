"""Passwords that are compared at the same time."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from ansible_ensemble.core import password_check
from ansible_ensemble.core.attempts import OF_ADDRESS, OF_USER
from ansible_ensemble.core.password_check import PasswordCheck, TooManyAttempts
from ansible_ensemble.core.passwords import hashed

KEPT = hashed("right")


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password_check, "LONGEST_WAIT", 0.0)


def outcomes(*attempts: tuple[str, str]) -> Counter[object]:
    """What becomes of attempts from one address that come at once, in no time."""

    async def ask() -> list[object]:
        check = PasswordCheck(lambda: 1000.0)
        asked = (check.is_right(name, password, KEPT, "here") for name, password in attempts)
        return await asyncio.gather(*asked, return_exceptions=True)

    return Counter(type(one) if isinstance(one, Exception) else one for one in asyncio.run(ask()))


def test_guesses_at_the_same_time_count_one_by_one() -> None:
    assert outcomes(*[("ann", "wrong")] * 50) == {False: OF_USER, TooManyAttempts: 50 - OF_USER}


def test_guesses_of_many_names_at_the_same_time_count_for_their_address() -> None:
    found = outcomes(*((f"user{number}", "wrong") for number in range(50)))
    assert found == {False: OF_ADDRESS, TooManyAttempts: 50 - OF_ADDRESS}


def test_right_ones_at_the_same_time_do_not_wait() -> None:
    assert outcomes(*[("ann", "right")] * 30) == {True: 30}
