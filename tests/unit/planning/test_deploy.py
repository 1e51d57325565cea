from __future__ import annotations

import pytest

from ansible_ensemble.core.actions import Reason
from ansible_ensemble.instances.status import NodeState, Status
from tests.unit.planning.topologies import deployed, keys, node, plan, topology


def test_a_replacement_says_so_if_nothing_deletes_what_is_there():
    some, other = node("some"), node("other", ("create",))
    made = plan(topology(some, other), deployed("some", "other"), replace=["some", "other"])
    assert [change.reason_text for change in made.instances] == [
        "asked for by --replace",
        "asked for by --replace; it has no delete operation",
    ]
    assert [change.action.fate for change in made.instances] == [
        "must be replaced",
        "will be forgotten and created again",
    ]
    assert (made.summary["destroy"], made.summary["forget"]) == (1, 1)


@pytest.mark.parametrize(
    ("operations", "state", "left"),
    [
        (("create",), NodeState.CREATED, []),
        (("create", "configure"), NodeState.CREATED, ["configure"]),
        (("create", "configure"), NodeState.CONFIGURED, []),
        (("create", "configure", "start"), NodeState.CONFIGURED, ["start"]),
    ],
)
def test_an_instance_is_taken_as_far_as_its_operations_lead(operations, state, left):
    made = plan(topology(node("app", operations)), deployed("app", state=state))
    assert keys(made) == [f"app:Standard.{name}" for name in left]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (NodeState.CONFIGURED, Reason.REPAIR),  # somebody else made it, and it was found
        (NodeState.CONFIGURING, Reason.MISSING),  # its first operation failed, before it changed anything
        (NodeState.STARTING, Reason.MISSING),
    ],
)
def test_what_no_operation_of_ours_came_through_is_found_or_yet_to_be_made(state, reason):
    some = topology(node("app", ("configure", "start")))
    made = plan(some, deployed("app", local=Status.PENDING, state=state, created=None))
    assert {change.reason for change in made.instances} == {reason}
