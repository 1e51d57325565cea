from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.matrix import others_than

#: Tests, each third of which is in `make test`.
ITEMS: list[Any] = [
    SimpleNamespace(name=number, get_closest_marker=lambda _name, number=number: number % 3 or None)
    for number in range(30)
]


def kept(share: str) -> list[int]:
    others = others_than(share, ITEMS)
    return [item.name for item in ITEMS if item not in others]


def test_each_test_is_in_one_of_the_shares() -> None:
    always = kept("none")
    assert always == list(range(0, 30, 3))
    assert kept("all") == list(range(30))
    shares = [set(kept(f"{number}/4")) - set(always) for number in range(1, 5)]
    assert sorted(number for share in shares for number in share) == [n for n in range(30) if n % 3]
    assert {len(share) for share in shares} == {5}


@pytest.mark.parametrize("share", ["", "some", "0/4", "5/4", "1/0", "-1/4", "1/4/2"])
def test_another_share_is_refused(share: str) -> None:
    with pytest.raises(pytest.UsageError, match="none or a share as 2/4"):
        others_than(share, ITEMS)
