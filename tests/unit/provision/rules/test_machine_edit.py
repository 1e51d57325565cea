"""Changes of machines: each case is a sentence of docs/provision.md, "Changes of a machine"."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.codec import from_plain, plain
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.machine_edit import edited_machine, refuse_locked
from tests.unit.provision.rules.world import assert_has, assert_refused, machine_of, shelf, table

CONTENT, CASES = table("machine_edit")


@pytest.mark.parametrize("case", CASES)
def test_edited_machine(case):
    before = machine_of(case["machine"])
    asked = from_plain(Machine, {**plain(before), **case["asked"]})
    force = case.get("force", False)
    after = assert_refused(case.get("refused"), lambda: edited_machine(before, asked, shelf(CONTENT), force))
    if after is not None:
        assert_has(after, case["after"])


def test_a_locked_machine_is_not_deleted():
    expected = {"Code": 403, "Type": "DELETE", "Messages": ["Locked"]}
    assert_refused(expected, lambda: refuse_locked(machine_of({"Locked": True}), "DELETE"))


def test_a_machine_that_is_not_locked_can_be_deleted():
    refuse_locked(machine_of({}), "DELETE")
