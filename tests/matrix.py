"""Cases of which `make test` has a sample, and `make test-all` each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest


def sampled(cases: Iterable[Any], every: int) -> list[Any]:
    """Parameters of a test: `make test` has the first, and each that is so many after one that it has."""
    found = []
    for number, case in enumerate(cases):
        values = case if isinstance(case, tuple) else (case,)
        found.append(pytest.param(*values, marks=[pytest.mark.matrix] if number % every else []))
    return found


def others_than(share: str, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Tests marked `matrix` that are not in a share of them.

    A share is `all`, `none`, or as `2/4`: the second of four, one of which each of these tests is in.

    Raises:
        pytest.UsageError: the share is none of these.
    """
    of_matrix = [item for item in items if item.get_closest_marker("matrix")]
    if share in ("all", "none"):
        return [] if share == "all" else of_matrix
    number, _, shares = share.partition("/")
    if not (number.isdecimal() and shares.isdecimal() and 1 <= int(number) <= int(shares)):
        raise pytest.UsageError(f"--matrix {share}: all, none or a share as 2/4, the second of four")
    return [item for place, item in enumerate(of_matrix) if place % int(shares) != int(number) - 1]
