from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.patch import apply_patch


@pytest.mark.parametrize("patch", [{"attributes": {"token": "new"}}, {"unset": ["token"]}])
def test_a_withheld_value_is_so_no_longer_once_it_is_set_or_taken_away(patch: dict[str, Any]) -> None:
    instances = Instances()
    instances.add(Instance("app", "app", withheld={"token", "other"}))
    apply_patch(instances, {"name": "app", **patch})
    assert instances.by_name["app"].withheld == {"other"}
