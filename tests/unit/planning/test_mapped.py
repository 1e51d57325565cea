"""What a workflow inside of a substituted node does in the place of its operations."""

from __future__ import annotations

import pytest

from ansible_ensemble.language.entities import Topology
from tests.unit.planning.topologies import deployed, keys, node, plan, relate, topology


def substituted(*called: str) -> Topology:
    """An app that needs a substituted database, whose operations call what its engine inside has of its own."""
    engine = node("db:engine", ["create", "delete", "Own.flush", "Own.copy"], namespace="db")
    calls = [(engine.name, "Own.flush"), (engine.name, "Own.copy")]
    database = node("db", [], directives=("substitute",), mapped=dict.fromkeys(called, calls))
    app = node("app", ["create", "delete"])
    relate(database, engine)
    relate(app, database)
    return topology(engine, database, app)


def test_up_after_what_is_inside_and_before_what_needs_it() -> None:
    made = plan(substituted("Standard.start"))
    assert keys(made) == [
        "db:engine:Standard.create",
        "db:engine:Own.flush@db:Standard.start",
        "db:engine:Own.copy@db:Standard.start",
        "db:Standard.start",
        "app:Standard.create",
    ]
    waits = {operation.key: operation.waits_for for operation in made.operations}
    assert waits["db:engine:Own.flush@db:Standard.start"] == ["db:engine:Standard.create"]
    assert waits["app:Standard.create"] == ["db:Standard.start"]
    states = {operation.key: (operation.exit_state, operation.exit_status) for operation in made.operations}
    assert states["db:engine:Own.copy@db:Standard.start"] == (None, None)
    assert states["db:Standard.start"] == ("started", "ok")


def test_down_before_what_is_inside() -> None:
    spec = substituted("Standard.stop", "Standard.delete")
    made = plan(spec, deployed("db:engine", "db", "app"), "undeploy")
    called = [key for key in keys(made) if "@" in key]
    assert called == [
        "db:engine:Own.flush@db:Standard.stop",
        "db:engine:Own.copy@db:Standard.stop",
        "db:engine:Own.flush@db:Standard.delete",
        "db:engine:Own.copy@db:Standard.delete",
    ]
    waits = {operation.key: operation.waits_for for operation in made.operations}
    assert waits[called[0]] == ["app:Standard.delete"]
    assert waits["db:engine:Standard.delete"] == ["db:Standard.delete"]


@pytest.mark.parametrize("operation", ["Backup.save", "Standard.configure"])
def test_run_by_itself(operation: str) -> None:
    made = plan(substituted(operation), deployed("db:engine", "db", "app"), "run", operation=operation)
    assert keys(made) == [f"db:engine:Own.flush@db:{operation}", f"db:engine:Own.copy@db:{operation}"]


def test_nothing_changed_is_nothing_to_do() -> None:
    assert plan(substituted("Standard.start"), deployed("db:engine", "db", "app")).empty
