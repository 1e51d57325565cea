from __future__ import annotations

import pytest

from ansible_ensemble.planning.conditions import unmet

VALUES = {"size": 4, "state": "started", "version": "1.2"}


@pytest.mark.parametrize(
    "condition",
    [
        [],
        [{"size": [{"equal": 4}]}],
        {"size": {"in_range": [1, 5]}},
        [{"size": 4}, {"state": "started"}],
        [{"assert": [{"state": [{"valid_values": ["started", "stopped"]}]}]}],
        [{"and": [{"size": [{"greater_than": 3}]}, {"size": [{"less_than": 5}]}]}],
        [{"or": [{"size": [{"greater_than": 5}]}, {"state": [{"equal": "started"}]}]}],
        [{"or": []}],
        [{"not": [{"size": [{"greater_than": 5}]}]}],
        [{"not": [{"and": [{"size": [{"greater_than": 3}]}, {"state": [{"equal": "stopped"}]}]}]}],
    ],
)
def test_met(condition):
    assert unmet(condition, VALUES.get) is None


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ([{"size": [{"greater_than": 5}]}], "its size 4 violates greater_than: 5"),
        ([{"nothing": [{"equal": 1}]}], "its nothing is unknown"),
        ([{"size": 4}, {"state": "stopped"}], "its state 'started' violates equal: stopped"),
        (
            [{"or": [{"size": [{"greater_than": 5}]}, {"state": [{"equal": "stopped"}]}]}],
            "its size 4 violates greater_than: 5 and its state 'started' violates equal: stopped",
        ),
        ([{"not": [{"size": [{"equal": 4}]}]}], "negated condition holds"),
        ([{"size": [{"greatr_than": 3}]}], "its size cannot be compared: there is no operator 'greatr_than'"),
        (
            [{"size": [{"less_than": {"get_input": "x"}}]}],
            "its size is compared with {'get_input': 'x'}, which is not evaluated here",
        ),
        ("size > 4", "'size > 4' is not a condition"),
    ],
)
def test_not_met(condition, reason):
    assert unmet(condition, VALUES.get) == reason
