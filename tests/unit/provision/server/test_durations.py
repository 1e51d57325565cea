"""How long something lasts, as requests say it."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.durations import seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("600", 600), ("90s", 90), ("1h30m", 5400), ("1.5h", 5400), ("250ms", 0.25), ("2d", 172800),
     ("3y", 3 * 365 * 86400), ("1mo", 30 * 86400), ("1w", 604800)],
)  # fmt: skip
def test_means(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "x", "-1", "1x", "1h x", "h", "1.5", "101y", "9" * 13, "9" * 5000, "1e9", "٣s"])
def test_refuses(text):
    with pytest.raises(Refused) as refused:
        seconds(text)
    assert refused.value.error.code == 400
