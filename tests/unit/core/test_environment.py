from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.environment import apply_rules, is_rule, with_changes
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive

HERE = {"HOME": "/home/me", "PATH": "/bin", "A_1": "1", "A_2": "2", "LANG": "C"}

#: rules -> what they change in HERE
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "set": ({"NEW": "x", "HOME": "/there"}, {"NEW": "x", "HOME": "/there"}),
    "null": ({"NEW": None, "HOME": None}, {}),
    "booleans": ({"ON": True, "OFF": False}, {"ON": "true", "OFF": ""}),
    "a number": ({"N": 5}, {"N": "5"}),
    "copied": ({"+HOME": None}, {"HOME": "/home/me"}),
    "copied, or a value": ({"+HOME": "x", "+NEW": "x", "+NO": None}, {"HOME": "/home/me", "NEW": "x"}),
    "copied by a pattern": ({"+A_*": None}, {"A_1": "1", "A_2": "2"}),
    "all but some are copied": ({"+![AHP]*": None}, {"LANG": "C"}),
    "removed": ({"-HOME": None, "-NO": None}, {"HOME": None}),
    "removed by a pattern": ({"-A_*": None}, {"A_1": None, "A_2": None}),
    "all that can be": ({"-*": None}, {"HOME": None, "A_1": None, "A_2": None}),
    "what is needed, by its name": ({"-PATH": None}, {"PATH": None}),
    "all but one are removed": ({"-!A_1": None}, {"HOME": None, "A_2": None}),
    "all but what is copied": ({"-*": None, "+HOME": None}, {"HOME": "/home/me", "A_1": None, "A_2": None}),
    "set, and removed again": ({"NEW": "x", "-NEW": None}, {"NEW": None}),
    "put before": ({"^PATH": "/opt", "^NEW": "/opt"}, {"PATH": "/opt:/bin", "NEW": "/opt"}),
    "put before what was put before": ({"PATH": "/own", "^PATH": "/opt"}, {"PATH": "/opt:/own"}),
    "nothing put before": ({"^PATH": None, "^NEW": None}, {"PATH": "/bin"}),
    "references": (
        {"A": "${HOME}/x", "B": "${NO:dflt}${NO}", "C": "${NO|HOME}", "D": r"\${HOME}", "E": "$HOME {x}"},
        {"A": "/home/me/x", "B": "dflt", "C": "/home/me", "D": "${HOME}", "E": "$HOME {x}"},
    ),
    "a reference to what is set": ({"A": "x", "B": "${A}y"}, {"A": "x", "B": "xy"}),
    "a reference to what is removed": ({"-HOME": None, "A": "${HOME:gone}"}, {"HOME": None, "A": "gone"}),
    "a reference in what is put before": ({"^PATH": "${HOME}/bin"}, {"PATH": "/home/me/bin:/bin"}),
}


@pytest.mark.parametrize("rules,changes", CASES.values(), ids=CASES)
def test_apply_rules(rules: dict[str, Any], changes: dict[str, Any]) -> None:
    assert apply_rules(rules, HERE, str) == changes


def test_what_holds_a_secret_is_sensitive() -> None:
    rules = {"A": mark_sensitive("s3cret"), "B": "${A}/x", "^PATH": mark_sensitive("/s3cret"), "C": "x"}
    found = apply_rules(rules, HERE, str)
    assert [name for name, value in found.items() if is_sensitive(value)] == ["A", "B", "PATH"]


def test_with_changes() -> None:
    assert with_changes({"A": "1", "B": "2"}, {"A": None, "C": "3", "D": None}) == {"B": "2", "C": "3"}


@pytest.mark.parametrize(
    "name,expected",
    [
        *((name, True) for name in ("A", "-*", "+!A*", "^A", "a.b")),
        *((name, False) for name in ("", "-", "*", "1x", "A=B", "-A=B", "--A")),
    ],
)
def test_is_rule(name: str, expected: bool) -> None:
    assert is_rule(name) is expected
