from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.planning.plan import Plan


@pytest.mark.parametrize(
    ("name", "value"),
    [("options", []), ("base", "x"), ("warnings", {}), ("output_changes", []), ("operations", [1]), ("workflow", 5)],
)
def test_a_plan_of_the_wrong_kinds_is_damaged(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match="the plan is damaged"):
        Plan.from_json({**Plan("deploy", "e").to_json(), name: value})
