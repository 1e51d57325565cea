"""How long somebody waits who gave a wrong password before."""

from __future__ import annotations

from ansible_ensemble.core.attempts import OF_ADDRESS, OF_USER, Attempts


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_first_wrong_ones_cost_nothing():
    attempts = Attempts(Clock())
    for _ in range(OF_USER):
        assert attempts.wait("a", "here") == 0
        attempts.wrong("a", "here")


def test_each_further_one_waits_longer_than_the_last():
    clock = Clock()
    attempts, waits = Attempts(clock), []
    for _ in range(OF_USER + 5):
        waits.append(wait := attempts.wait("a", "here"))
        clock.now += wait
        attempts.wrong("a", "here")
    assert waits[OF_USER:] == sorted(waits[OF_USER:])
    assert waits[-1] > waits[OF_USER] > 0


def test_who_only_asks_how_long_to_wait_is_not_kept():
    attempts = Attempts(Clock())
    for number in range(OF_ADDRESS + 1):
        attempts.wrong(f"user{number}", "here")
    before = len(attempts._records)
    for number in range(1000):
        assert attempts.wait(f"junk{number}", "here") > 0
    assert len(attempts._records) == before


def test_a_name_is_kept_as_a_digest():
    attempts = Attempts(Clock())
    attempts.wrong("x" * 2**20 + "\udcff", "here")
    assert len(repr(attempts._records)) < 1000


def test_who_has_no_name_is_not_the_whole_address():
    attempts = Attempts(Clock())
    for _ in range(OF_USER):
        attempts.wrong("", "here")
    assert attempts.wait("", "here") > 0
    assert attempts.wait("a", "here") == 0


def test_others_do_not_wait():
    attempts = Attempts(Clock())
    for _ in range(OF_ADDRESS - 1):
        attempts.wrong("a", "here")
    assert attempts.wait("b", "here") == 0
    assert attempts.wait("a", "there") == 0


def test_an_address_that_tries_many_users_waits_with_each():
    attempts = Attempts(Clock())
    for number in range(OF_ADDRESS + 1):
        attempts.wrong(f"user{number}", "here")
    assert attempts.wait("another", "here") > 0
    assert attempts.wait("another", "there") == 0


def test_the_right_one_forgets_the_wrong_ones():
    attempts = Attempts(Clock())
    for _ in range(OF_USER + 2):
        attempts.wrong("a", "here")
    attempts.right("a", "here")
    assert attempts.wait("a", "here") == 0


def test_wrong_ones_are_forgotten_with_time():
    clock = Clock()
    attempts = Attempts(clock)
    for _ in range(OF_USER + 9):
        attempts.wrong("a", "here")
    clock.now += 3600
    assert attempts.wait("a", "here") == 0
