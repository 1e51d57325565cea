"""New machines."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.codec import from_plain
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.machine_create import created_machine
from tests.unit.provision.rules.world import MACHINE, assert_has, assert_refused, shelf, table

CONTENT, CASES = table("machine_create")


@pytest.mark.parametrize("case", CASES)
def test_created_machine(case):
    asked = from_plain(Machine, {"Name": "m1", **case["asked"]})
    known, preferences, force = shelf(CONTENT), case.get("preferences", {}), case.get("force", False)
    made = assert_refused(
        case.get("refused"),
        lambda: created_machine(asked, known, preferences, uuid=MACHINE, secret="made", force=force),
    )
    if made is not None:
        assert_has(made, case["after"])
