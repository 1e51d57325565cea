from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_ensemble.core.errors import InvalidInput, UsageError
from ansible_ensemble.instances.instance import Instances, RelationshipInstance
from ansible_ensemble.instances.status import NodeState, Priority, Status
from ansible_ensemble.language.entities import Workflow, WorkflowStep
from ansible_ensemble.planning.guard import Guard
from ansible_ensemble.planning.plan import KIND, Plan
from tests.unit.planning.topologies import deployed, keys, node, plan, relate, topology


def test_new_nodes_are_created_configured_and_started_after_what_they_need():
    server, app = node("server"), node("app")
    relate(app, server, hosted=True)
    made = plan(topology(app, server))
    assert keys(made) == [
        "server:Standard.create",
        "server:Standard.configure",
        "server:Standard.start",
        "app:Standard.create",
        "app:Standard.configure",
        "app:Standard.start",
    ]
    assert made.operations[3].waits_for == ["server:Standard.start"]
    assert made.summary == {"add": 2, "change": 0, "destroy": 0, "use": 0, "forget": 0, "read": 0, "run": 0}
    assert [change.reason_text for change in made.instances] == ["new", "new"]


def test_what_is_scaled_down_goes_from_the_edges_to_the_root():
    server, app, user = node("server", ["delete"]), node("app", ["delete"]), node("user", ["delete"])
    relate(app, server, hosted=True)
    relate(user, app)
    there = deployed("server", "app", "user")
    for name, template, host in (("server_1", "server", None), ("app_1", "app", "server_1")):
        there.add(next(iter(deployed(name, template=template, host=host))))
    made = plan(topology(server, app, user), there, prune=True)
    waits = {operation.key: operation.waits_for for operation in made.operations}
    assert waits == {"app_1:Standard.delete": [], "server_1:Standard.delete": ["app_1:Standard.delete"]}
    there.by_name["app_1"].protected = True
    assert plan(topology(server, app, user), there, prune=True).empty, "it keeps the host that it stands on"


def test_nothing_to_do_is_an_empty_plan():
    assert plan(topology(node("app")), deployed("app")).empty


def test_a_template_without_operations_is_recorded_all_the_same():
    made = plan(topology(node("server", ())))
    assert [(o.key, o.implementation, o.exit_status) for o in made.operations] == [("server:Standard.create", "", "ok")]


def test_configure_operations_are_planned_around_configure():
    db, app = node("db"), node("app")
    relate(app, db, operations=("pre_configure_source", "post_configure_target", "add_target", "add_source"))
    assert keys(plan(topology(db, app))) == [
        "db:Standard.create",
        "db:Standard.configure",
        "app:dependency#0:Configure.post_configure_target",
        "db:Standard.start",
        "app:Standard.create",
        "app:dependency#0:Configure.pre_configure_source",
        "app:Standard.configure",
        "app:Standard.start",
        "app:dependency#0:Configure.add_target",
        "app:dependency#0:Configure.add_source",
    ]


def test_what_stays_is_told_where_its_target_gets_other_attributes():
    db, app = node("db"), node("app")
    relate(app, db, operations=("target_changed",))
    made = plan(topology(db, app), deployed("db", "app"), changed={"db": ["Standard.configure"]})
    [told] = [operation for operation in made.operations if operation.instance == "app"]
    assert (told.operation, told.guard.only_if_attributes_changed) == ("target_changed", "db")


def test_what_is_replaced_is_connected_again():
    db, app = node("db", ("create", "delete")), node("app", ("create", "delete"))
    relate(app, db, operations=("add_source", "remove_source"))
    status = deployed("db", "app")
    status.by_name["app"].relationships["dependency#0"] = RelationshipInstance(
        "dependency#0", "db", added=["add_source"]
    )
    assert keys(plan(topology(db, app), status, replace=["app"])) == [
        "app:dependency#0:Configure.remove_source",
        "app:Standard.delete",
        "app:Standard.create",
        "app:dependency#0:Configure.add_source",
    ]


def test_undeploy_is_the_reverse_of_deploy():
    db, app = node("db"), node("app")
    relate(app, db)
    made = plan(topology(db, app), deployed("db", "app"), "undeploy")
    assert keys(made) == ["app:Standard.stop", "app:Standard.delete", "db:Standard.stop", "db:Standard.delete"]
    assert made.operations[2].waits_for == ["app:Standard.delete"]


def test_what_reads_a_changed_value_runs_again_and_configure_with_it():
    made = plan(topology(node("app"), node("db")), deployed("app", "db"), changed={"app": ["Standard.configure"]})
    assert keys(made) == ["app:Standard.configure", "app:Standard.stop", "app:Standard.start"]
    assert made.instances[0].reason_text == "port changed"
    assert made.operations[1].guard == Guard(unless_unchanged="app:Standard.configure")


def test_a_node_that_cannot_be_restarted_is_still_started_after_configure():
    spec = topology(node("app", ("configure", "start")))
    made = plan(spec, deployed("app"), changed={"app": ["Standard.configure"]})
    assert [(o.operation, o.exit_state) for o in made.operations] == [("configure", "started")]


def test_restart_is_preferred_to_stop_and_start():
    spec = topology(node("app", ("configure", "start", "stop", "Install.restart")))
    made = plan(spec, deployed("app"), changed={"app": ["Standard.configure"]})
    assert [o.operation for o in made.operations] == ["configure", "restart"]


def test_a_start_that_reads_a_changed_value_stops_first():
    made = plan(topology(node("app")), deployed("app"), changed={"app": ["Standard.start"]})
    assert [o.operation for o in made.operations] == ["stop", "configure", "start"]


def test_customized_instances_are_left_alone_unless_changes_always_count():
    spec, changed = topology(node("app")), {"app": ["Standard.configure"]}
    made = plan(spec, deployed("app", customized=True), changed=changed)
    assert made.empty
    assert made.excluded[0].reason == "it is customized"
    assert not plan(spec, deployed("app", customized=True), changed=changed, change_detection="always").empty
    assert plan(spec, deployed("app"), changed=changed, change_detection="skip").empty


@pytest.mark.parametrize(
    ("status", "state", "repair", "operations"),
    [
        (Status.ERROR, NodeState.STARTED, "error", ["configure", "start"]),
        (Status.ERROR, NodeState.STARTED, "none", []),
        (Status.ERROR, NodeState.CREATING, "error", ["create", "configure", "start"]),
        (Status.ERROR, NodeState.CREATED, "error", ["configure", "start"]),
        (Status.DEGRADED, NodeState.STARTED, "error", []),
        (Status.DEGRADED, NodeState.STARTED, "degraded", ["configure", "start"]),
        (Status.ABSENT, NodeState.STARTED, "error", ["create", "configure", "start"]),
        (Status.PENDING, NodeState.CREATED, "error", ["configure", "start"]),
        (Status.PENDING, NodeState.STOPPED, "error", ["start"]),
        (Status.UNKNOWN, NodeState.CREATING, "error", ["create", "configure", "start"]),
        (Status.UNKNOWN, NodeState.STARTING, "error", ["start"]),
        (Status.OK, NodeState.CREATED, "error", ["configure", "start"]),
        (Status.OK, NodeState.STOPPED, "error", ["start"]),
    ],
)
def test_what_is_not_well_is_taken_up_where_it_was_left(status, state, repair, operations):
    made = plan(topology(node("app")), deployed("app", local=status, state=state), repair=repair)
    assert [operation.operation for operation in made.operations] == operations


def test_unknown_status_is_checked_first():
    app = node("app", ("create", "start", "Install.check"))
    made = plan(topology(app), deployed("app", local=Status.UNKNOWN, state=NodeState.STARTED))
    assert [o.operation for o in made.operations] == ["check", "create", "start"]
    assert made.operations[1].guard.only_if_absent  # where the check finds it gone
    assert made.operations[2].guard.unless_ok


def test_an_interrupted_operation_that_is_not_idempotent_does_not_run_by_itself():
    app = node("app", ("create",))
    app.interfaces["Standard"].operations["create"].implementation.settings["idempotent"] = False
    status = deployed("app", local=Status.UNKNOWN, state=NodeState.CREATING)
    assert "not idempotent" in plan(topology(app), status).excluded[0].reason
    assert keys(plan(topology(app), status, force=True)) == ["app:Standard.create"]


def test_what_may_have_lost_its_host_is_not_pruned():
    """Hosts are not known where the inventory may not be read; then the node template is virtual, and has no copies."""
    spec = topology(node("site", directives=("virtual",)), node("site@web1", directives=("retained",)))
    spec.hosts["site"] = None
    made = plan(spec, deployed("site@web1"), prune=True)
    assert made.empty
    assert [(one.instance, one.reason, one.unknown) for one in made.excluded] == [
        ("site", "its hosts are unknown", True),
        ("site@web1", "it is unknown whether its host still exists", True),
    ]


def test_what_left_the_spec_stays_without_prune():
    old = node("old", directives=("retained",))
    spec = topology(node("app"), old)
    made = plan(spec, deployed("app", "old"))
    assert made.empty
    assert made.excluded[0].reason == "it is no longer in the spec, and --prune is not set"
    assert keys(plan(spec, deployed("app", "old"), prune=True)) == ["old:Standard.stop", "old:Standard.delete"]


@pytest.mark.parametrize(
    ("fields", "directives", "reason"),
    [
        ({"created": None}, (), "not created by this ensemble"),
        ({"created": "::other"}, (), "managed by other"),
        ({"protected": True}, (), "its status is protected"),
        ({}, ("protected",), "directive protected"),
        ({"imported": "x"}, (), "imported"),
        ({}, ("virtual",), "virtual"),
    ],
)
def test_undeploy_leaves_alone_what_is_not_its_own_to_delete(fields, directives, reason):
    made = plan(topology(node("app", directives=directives)), deployed("app", **fields), "undeploy")
    assert made.empty
    assert reason in made.excluded[0].reason


def test_unmanaged_instances_can_be_destroyed_on_demand():
    made = plan(topology(node("app")), deployed("app", created=None), "undeploy", destroy_unmanaged=True)
    assert keys(made) == ["app:Standard.stop", "app:Standard.delete"]


def test_what_stays_keeps_all_that_it_stands_on():
    server, db, app = node("server"), node("db"), node("app", directives=("protected",))
    relate(db, server, hosted=True)
    relate(app, db)
    spec, status = topology(server, db, app), deployed("server", "db", "app")
    made = plan(spec, status, "undeploy")
    assert made.empty
    assert {e.instance: e.reason for e in made.excluded} == {
        "app": "its node template has the directive protected",
        "db": "app is kept and requires it",
        "server": "db is kept and requires it",
    }
    assert keys(plan(spec, status, "undeploy", force=True)) == [
        "db:Standard.stop",
        "db:Standard.delete",
        "server:Standard.stop",
        "server:Standard.delete",
    ]


@pytest.mark.parametrize("priority", [Priority.OPTIONAL, Priority.IGNORE])
def test_an_optional_dependent_keeps_nothing(priority):
    db, app = node("db"), node("app", directives=("protected",))
    relate(app, db)
    status = deployed("db", "app")
    status.by_name["app"].priority = priority
    assert keys(plan(topology(db, app), status, "undeploy")) == ["db:Standard.stop", "db:Standard.delete"]


@pytest.mark.parametrize("priority", [Priority.REQUIRED, Priority.CRITICAL])
def test_any_other_dependent_keeps_what_it_needs(priority):
    db, app = node("db"), node("app", directives=("protected",))
    relate(app, db)
    status = deployed("db", "app")
    status.by_name["app"].priority = priority
    assert plan(topology(db, app), status, "undeploy").empty


def test_replacing_a_host_replaces_what_it_hosts():
    server, app, other = node("server"), node("app"), node("other")
    relate(app, server, hosted=True)
    made = plan(topology(server, app, other), deployed("server", "app", "other"), replace=["server"])
    assert [(change.instance, change.action.value) for change in made.instances] == [("server", "-/+"), ("app", "-/+")]
    order = _an_order(made)
    assert order.index("app:Standard.delete") < order.index("server:Standard.stop")
    assert order.index("server:Standard.start") < order.index("app:Standard.create")


def test_filters_limit_the_job_and_say_so():
    made = plan(topology(node("app"), node("db")), instances=["db"])
    assert {change.instance for change in made.instances} == {"db"}
    assert "limited to 1 of 2 instances" in made.warnings[0]
    assert plan(topology(node("db")), instances=["db"]).warnings == [], "it leaves nothing out"
    assert plan(topology(node("app"), node("db")), deployed("db"), "check", instances=["db"]).warnings == []
    with pytest.raises(InvalidInput, match="did you mean app"):
        plan(topology(node("app")), instances=["ap"])


@pytest.mark.parametrize(
    ("status", "options", "missing"),
    [
        (deployed(), {"instances": ["app"]}, "db"),
        (deployed("db", local=Status.ABSENT), {"instances": ["app"]}, "db"),
        (deployed("db"), {"instances": ["app"]}, None),
        (deployed(), {"instances": ["app", "db"]}, None),
        (deployed(), {"instances": ["db"]}, None),
    ],
)
def test_what_is_needed_and_left_out_is_told(status, options, missing):
    app, db, other = node("app"), node("db"), node("other")
    relate(app, db)
    told = [text for text in plan(topology(db, app, other), status, **options).warnings if text.startswith("Required")]
    assert told == ([f"Required, not deployed, and excluded by the filter: {missing}."] if missing else [])


def test_scaling_adds_and_removes_instances():
    spec = topology(node("app", count=3))
    made = plan(spec, deployed("app"))
    assert [change.instance for change in made.instances] == ["app_1", "app_2"]
    status = Instances()
    for name in ("app", "app_1", "app_2"):
        status.add(deployed(name, template="app").by_name[name])
    made = plan(topology(node("app")), status, prune=True)
    assert [(c.instance, c.action.value) for c in made.instances] == [("app_2", "-"), ("app_1", "-")]


def test_scaled_instances_pair_up_with_scaled_hosts():
    server, app = node("server", count=2), node("app", count=2)
    relate(app, server, hosted=True)
    made = plan(topology(server, app))
    waits = {o.key: o.waits_for for o in made.operations}
    assert waits["app:Standard.create"] == ["server:Standard.start"]
    assert waits["app_1:Standard.create"] == ["server_1:Standard.start"]


def test_a_dependent_template_is_planned_only_if_something_needs_it():
    helper, app = node("helper", directives=("dependent",)), node("app")
    assert keys(plan(topology(helper))) == []
    relate(app, helper)
    assert "helper:Standard.create" in keys(plan(topology(helper, app)))


def test_a_template_that_accompanies_others_is_planned_where_they_are():
    helper, app = node("helper", directives=("dependent",)), node("app")
    records = node("records", directives=("accompanying",))
    relate(records, helper)
    assert "records:Standard.create" not in keys(plan(topology(helper, records, app)))
    relate(app, helper)
    assert "records:Standard.create" in keys(plan(topology(helper, records, app)))


def test_a_cycle_is_printed():
    a, b, c = node("a"), node("b"), node("c")
    relate(a, b), relate(b, c), relate(c, a)
    with pytest.raises(InvalidInput, match="a -> b -> c -> a"):
        plan(topology(a, b, c))


def test_run_needs_an_instance_with_the_operation():
    with pytest.raises(InvalidInput, match=r'has an operation "Standard\.pause"'):
        plan(topology(node("app")), deployed("app"), "run", operation="Standard.pause")
    assert keys(plan(topology(node("app")), deployed("app"), "run", operation="stop")) == ["app:Standard.stop"]


@pytest.mark.parametrize(
    ("workflow", "status", "runs"),
    [
        ("deploy", Status.OK, False),
        ("deploy", Status.ERROR, True),
        ("undeploy", Status.OK, True),
        ("undeploy", Status.ABSENT, False),
    ],
)
def test_a_workflow_in_place_of_a_normative_one_leaves_alone_what_is_done(workflow, status, runs):
    spec = topology(node("app"))
    step = WorkflowStep("only", "app", activities=[{"call_operation": "Standard.configure"}])
    spec.workflows[workflow] = Workflow(workflow, steps={"only": step})
    made = plan(spec, deployed("app", local=status), workflow)
    assert keys(made) == (["app:Standard.configure"] if runs else [])


def test_an_unknown_workflow_is_a_usage_error():
    with pytest.raises(UsageError):
        plan(topology(), workflow="fly")


def test_the_document_reads_back_as_the_same_plan():
    db, app = node("db"), node("app")
    relate(app, db, operations=("pre_configure_source",))
    made = plan(topology(db, app), deployed("db"), changed={"db": ["Standard.configure"]})
    assert Plan.from_json(made.to_json()).to_text() == made.to_text()


@pytest.mark.parametrize(
    "document", [None, {}, KIND, KIND | {"format_version": "9.0"}, KIND | {"format_version": "2.0"}, {"kind": "Plan"}]
)
def test_what_is_no_plan_is_refused(document):
    with pytest.raises(InvalidInput):
        Plan.from_json(document)


@st.composite
def graphs(draw: st.DrawFn):
    """A random graph of nodes, each needing some of those before it, in a random order of declaration."""
    count = draw(st.integers(1, 200))
    seed = draw(st.integers(0, 2**32))
    chance = random.Random(seed)
    nodes = [
        node(f"n{number}", chance.choice([("create", "delete"), ("start", "stop"), ()])) for number in range(count)
    ]
    for position, source in enumerate(nodes):
        for target in chance.sample(nodes[:position], min(position, chance.choice([0, 0, 1, 2, 3]))):
            relate(source, target, hosted=chance.random() < 0.3)
    chance.shuffle(nodes)
    return nodes


def _an_order(made: Plan) -> list[str]:
    """Operations in an order that their waits allow; fails if there is none."""
    done: list[str] = []
    left = {operation.key: set(operation.waits_for) | set(operation.waits_end) for operation in made.operations}
    while left:
        ready = [key for key, waits in left.items() if waits <= set(done)]
        assert ready, f"these wait for each other: {left}"
        for key in ready:
            del left[key]
        done += ready
    return done


@given(graphs())
@settings(max_examples=40)
def test_of_random_graphs_nothing_runs_before_what_it_needs_and_undeploy_is_the_reverse(nodes):
    spec = topology(*nodes)
    up = plan(spec)
    assert up.to_text() == plan(topology(*nodes)).to_text()
    position = {key.partition(":")[0]: index for index, key in enumerate(_an_order(up))}
    down = plan(spec, deployed(*(one.name for one in nodes)), "undeploy")
    position_down = {key.partition(":")[0]: index for index, key in enumerate(_an_order(down))}
    for source in nodes:
        for relationship in source.requirements:
            assert position[relationship.target.name] < position[source.name]
            assert position_down[source.name] < position_down[relationship.target.name]


def test_stopping_both_ends_of_a_connection_takes_it_apart_once():
    db, app = node("db"), node("app")
    relate(app, db, operations=("remove_target",))
    made = plan(topology(db, app), deployed("db", "app"), "stop")
    assert keys(made) == ["app:dependency#0:Configure.remove_target", "app:Standard.stop", "db:Standard.stop"]
