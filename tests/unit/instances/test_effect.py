from __future__ import annotations

import pytest

from ansible_ensemble.core.actions import Kind, Reason
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.lifecycle import DEPLOY_OPERATIONS, effect, makes
from ansible_ensemble.instances.status import NodeState, Status

#: Reasons whose operations may meet an instance that is not there, and make it.
MAKING = {Reason.ADD, Reason.MISSING, Reason.REPLACE, Reason.FORCE, Reason.RUN, Reason.START}


def instance(status: Status, state: NodeState | None = None, created: str | None = None) -> Instance:
    return Instance("web", "web", local=status, state=state, created=created)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("operation", DEPLOY_OPERATIONS)
def test_what_brings_up_an_instance_that_is_not_there_makes_it(reason: Reason, status: Status, operation: str) -> None:
    missing = status in (Status.PENDING, Status.ABSENT, Status.UNKNOWN)
    made = (missing and reason in MAKING) or reason is Reason.REPLACE
    expected = Kind.USES if reason is Reason.USE else Kind.MAKES if made else Kind.CHANGES
    assert effect(reason, operation, instance(status)) is expected
    assert makes(reason, operation, instance(status)) is (expected is not Kind.CHANGES)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("status", Status)
def test_other_operations_make_nothing(reason: Reason, status: Status) -> None:
    effects = [effect(reason, name, instance(status)) for name in ("stop", "delete", "check", "discover", "restart")]
    assert effects == [Kind.CHANGES, Kind.REMOVES, Kind(0), Kind(0), Kind.CHANGES]


@pytest.mark.parametrize("reason", [Reason.ADD, Reason.FORCE, Reason.RUN, Reason.REPAIR])
def test_what_was_found_half_way_stays_that_of_others(reason: Reason) -> None:
    assert not makes(reason, "configure", instance(Status.PENDING, NodeState.CREATED))


@pytest.mark.parametrize("reason", [Reason.FORCE, Reason.RUN, Reason.REPAIR])
def test_what_was_found_stays_that_of_others_where_its_status_is_unknown(reason: Reason) -> None:
    assert not makes(reason, "configure", instance(Status.UNKNOWN, NodeState.STARTED))


def test_an_operation_that_failed_before_it_changed_anything_left_nothing() -> None:
    assert makes(Reason.FORCE, "configure", instance(Status.PENDING, NodeState.CONFIGURING))
