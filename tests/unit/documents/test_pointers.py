"""JSON pointers within documents."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.pointers import part_of

DATA = {"a": {"b/c": [{"d": 1}, 2], "~": 3, "none": None}, "": 4}


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        ("", DATA),
        ("/a/b~1c/0/d", 1),
        ("/a/b~1c/1", 2),
        ("/a/~0", 3),
        ("/", 4),
        ("/a/b~1c/2", None),
        ("/a/b~1c/x", None),
        ("/a/gone/d", None),
    ],
)
def test_what_stands_at_a_pointer(pointer: str, expected: Any) -> None:
    assert part_of(DATA, pointer, None) == expected


@pytest.mark.parametrize("pointer", ["a/b", "/~2", "/a~"])
def test_what_is_no_pointer(pointer: str) -> None:
    with pytest.raises(InvalidInput):
        part_of(DATA, pointer, None)
