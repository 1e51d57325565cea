"""What is wanted of machines, and how they differ from it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.configurators.machine_wanted import differences, shaped, wanted_of
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.objects.machine import Machine

LIVE = Machine(
    name="m", workflow="w", profiles=["a"], params={"x": 1, "old": 2, "own": 3, "key": "k"}, address="1.2.3.4"
)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"workflow": "w", "profiles": ["a"], "params": {"x": 1}}, []),
        ({}, []),
        ({"workflow": "v"}, ["workflow is w, not v"]),
        ({"profiles": []}, ["profiles is ['a'], not []"]),
        ({"params": {"x": True}}, ["params.x is 1, not True"]),
        ({"params": {"y": 1}}, ["params.y is not set, not 1"]),
        ({"params": {"key": "other"}}, ["params.key is another one"]),
        ({"context": "c"}, ["context is not set, not c"]),
        ({"address": "5.6.7.8"}, ["address is 1.2.3.4, not 5.6.7.8"]),
        ({"hardware_addresses": ["aa"]}, ["hardware_addresses is [], not ['aa']"]),
    ],
)  # fmt: skip
def test_differences(wanted: dict[str, Any], found: list[str]) -> None:
    assert [str(one) for one in differences(LIVE, wanted_of({"name": "m", **wanted}), (), {"key"})] == found


def test_what_is_not_wanted_any_more_goes_and_what_others_set_stays() -> None:
    wanted = wanted_of({"name": "m", "params": {"x": 5}})
    assert shaped(LIVE, wanted, {"old"}).params == {"x": 5, "own": 3, "key": "k"}
    assert [str(one) for one in differences(LIVE, wanted, {"old"}, ())] == [
        "params.old is 2, and is not wanted any more", "params.x is 1, not 5",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "missing required field `name`"),
        ({"name": "m", "colour": "red"}, "unknown field `colour`"),
        ({"name": "m", "server": {"host": "h"}}, "unknown field `host` - at `$.server`"),
        ({"name": "m", "existing": "maybe"}, "Invalid enum value 'maybe' - at `$.existing`"),
        ({"name": "m", "profiles": "a"}, "got `str` - at `$.profiles`"),
    ],
)
def test_inputs_that_want_nothing_that_can_be(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        wanted_of(inputs)
    assert message in str(refused.value)
