from __future__ import annotations

import pytest

from ansible_ensemble.instances.instance import RelationshipInstance
from ansible_ensemble.instances.status import Status
from tests.unit.planning.topologies import deployed, keys, node, plan, relate, topology


@pytest.mark.parametrize("status", [Status.OK, Status.ERROR])
def test_a_source_that_works_or_is_repaired_is_connected_to_what_takes_its_targets_place(status):
    db, app = node("db", ("create", "delete")), node("app", ("create", "configure"))
    relate(app, db, operations=("add_source", "remove_source"))
    there = deployed("db", "app")
    there.by_name["app"].local = status
    there.by_name["app"].relationships["dependency#0"] = RelationshipInstance(
        "dependency#0", "db", added=["add_source"]
    )
    order = keys(plan(topology(db, app), there, replace=["db"]))
    assert order[0] == "app:dependency#0:Configure.remove_source"
    assert order[-1] == "app:dependency#0:Configure.add_source"


def test_what_was_never_connected_is_connected_by_the_next_job_and_once():
    db, app = node("db"), node("app")
    relate(app, db, operations=("add_source",))
    there = deployed("db", "app")
    link = there.by_name["app"].relationships["dependency#0"] = RelationshipInstance("dependency#0", "db")
    made = plan(topology(db, app), there)
    assert keys(made) == ["app:dependency#0:Configure.add_source"]
    assert made.instances[0].reason_text == "dependency#0 is not connected"
    link.added = ["add_source"]
    assert plan(topology(db, app), there).empty
