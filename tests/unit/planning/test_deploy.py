from __future__ import annotations

import pytest

from ansible_ensemble.instances.status import NodeState
from tests.unit.planning.topologies import deployed, keys, node, plan, topology


def test_a_replacement_says_so_if_nothing_deletes_what_is_there():
    some, other = node("some"), node("other", ("create",))
    made = plan(topology(some, other), deployed("some", "other"), replace=["some", "other"])
    assert [change.reason_text for change in made.instances] == [
        "asked for by --replace",
        "asked for by --replace; it has no delete operation: it is forgotten, and created again",
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
