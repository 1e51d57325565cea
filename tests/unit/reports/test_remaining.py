from __future__ import annotations

import pytest

from ansible_ensemble.reports.remaining import Remaining, in_words


def plan(**waits_for: list[str]) -> dict:
    """A plan of operations by their keys, with what each waits for; those in capital letters run nothing."""
    return {
        "operations": [
            {"key": key, "implementation": "" if key.isupper() else "x", "waits_for": keys}
            for key, keys in waits_for.items()
        ]
    }


CHAIN = plan(a=[], B=["a"], c=["B"])
BESIDE = plan(a=[], b=[], c=[], d=[])
CIRCLE = plan(a=["b"], b=["a"])
USUAL = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0}


@pytest.mark.parametrize(
    ("document", "usual", "slots", "state", "seconds"),
    [
        (CHAIN, USUAL, 9, ((), {}), 40.0),
        (CHAIN, USUAL, 9, ((), {"a": 4.0}), 36.0),
        (CHAIN, USUAL, 9, ((), {"a": 99.0}), 30.0),
        (CHAIN, USUAL, 9, (("a",), {"c": 5.0}), 25.0),
        (CHAIN, USUAL, 9, (("a", "c"), {}), 0.0),
        (BESIDE, USUAL, 1, ((), {}), 100.0),
        (BESIDE, USUAL, 2, ((), {}), 50.0),
        (BESIDE, USUAL, 4, ((), {}), 40.0),
        (BESIDE, {"a": 10.0, "d": 30.0}, 1, ((), {}), 80.0),
        (BESIDE, {"a": 10.0}, 1, ((), {}), None),
        (BESIDE, {}, 1, ((), {}), None),
        (plan(), USUAL, 1, ((), {}), None),
        (CIRCLE, USUAL, 9, ((), {}), 20.0),
    ],
)
def test_the_time_to_go(document, usual, slots, state, seconds):
    """The state: what ended, and for how long what runs has run."""
    assert Remaining(document, usual, slots).seconds(*state) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "about 5 s left"),
        (6, "about 10 s left"),
        (59, "about 60 s left"),
        (60, "about 1 min left"),
        (61, "about 2 min left"),
        (3600, "about 1 h 0 min left"),
        (4790, "about 1 h 20 min left"),
    ],
)
def test_words(seconds, words):
    assert in_words(seconds) == words
