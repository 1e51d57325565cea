from __future__ import annotations

import pytest

from ansible_ensemble.core.hints import known_names, nearest, nearest_or_known, slip_of


@pytest.mark.parametrize(
    ("name", "known", "near", "or_known"),
    [
        ("prot", ["port", "host"], "did you mean port?", "did you mean port?"),
        ("x", ["port", "host"], None, "known are port, host"),
        (1, {"one": 1}, None, "known are one"),
        ("x", [], None, None),
    ],
)
def test_hints(name, known, near, or_known):
    assert nearest(name, known) == near
    assert nearest_or_known(name, known) == or_known


def test_many_names_are_not_all_told():
    names = [f"n{number}" for number in range(21)]
    assert known_names(names) == f"known are {', '.join(names[:20])}, ..."
    assert known_names({"b", "a"}) == "known are a, b"


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        *(("configur", "configure"), ("cretae", "create"), ("Create", "create"), ("delte", "delete")),
        *(("configu", "configure"), ("config", None), ("stopp", "stop"), ("stat", "start"), ("deIete", "delete")),
        *(("create", None), ("create2", None), ("reconfigure", None), ("create_db", None), ("restart", None)),
        *(("o", None), ("up", None), ("", None), ("xcreatey", None)),
    ],
)
def test_slips(name: str, slip: str | None) -> None:
    assert slip_of(name, ["create", "configure", "start", "stop", "delete", "go"]) == slip
