from __future__ import annotations

from tests.unit.planning.topologies import deployed, node, plan, topology


def test_a_replacement_says_so_if_nothing_deletes_what_is_there():
    some, other = node("some"), node("other", ("create",))
    made = plan(topology(some, other), deployed("some", "other"), replace=["some", "other"])
    assert [change.reason_text for change in made.instances] == [
        "asked for by --replace",
        "asked for by --replace; it has no delete operation: it is forgotten, and created again",
    ]
    assert (made.summary["destroy"], made.summary["forget"]) == (1, 1)
