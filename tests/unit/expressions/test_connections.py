"""Connections by name and by type, the nearest first, and the variables that they export."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.sensitive import is_sensitive, reveal
from ansible_ensemble.language.entities import EntityType, ParameterDefinition, Schema

VARIABLE = Schema("unfurl.datatypes.EnvVar")
SECRET = {"env_vars": ["TOK", "EN"], "sensitive": True}


@pytest.fixture
def cloud(empty: Any) -> Any:
    """A host of another type with software on it, and connections for one, the other and all."""
    empty.type("Host")
    empty.node("s", type="Host", capabilities={"admin": {}})
    empty.node("t")
    empty.node("a")
    empty.require("a", "host", "s", hosted=True)
    return empty


def connection(model: Any, name: str, region: Any, default_for: str = "ANY", type: str = "a.b.Cloud") -> None:
    made = model.connection(name, type, default_for, region=region, token="hunter2hunter2", plain="x")
    made.type.properties = {
        "region": ParameterDefinition("region", VARIABLE),
        "token": ParameterDefinition(
            "token", Schema("string"), metadata={"env_vars": ["TOK", "EN"], "sensitive": True}
        ),
        "more": ParameterDefinition("more", Schema("map", entry_schema=VARIABLE)),
        "plain": ParameterDefinition("plain", Schema("string")),
    }
    for key, assignment in made.properties.items():
        assignment.definition = made.type.properties[key]


def exported(model: Any, name: str) -> dict[str, Any]:
    found: dict[str, Any] = model.evaluator().scope(model.instance(name)).exported()
    return found


NEAREST = [
    ({"any": "ANY"}, {"s": "any", "a": "any", "t": "any"}),
    ({"any": "ANY", "own": "s"}, {"s": "own", "a": "own", "t": "any"}),
    ({"any": "ANY", "own": "Host"}, {"s": "own", "a": "own", "t": "any"}),
    ({"any": "ANY", "own": "admin"}, {"s": "own", "a": "own", "t": "any"}),
    ({"host": "s", "own": "a", "any": "ANY"}, {"s": "host", "a": "own", "t": "any"}),
    ({"own": "s"}, {"t": "own"}),
]


@pytest.mark.parametrize(("connections", "regions"), NEAREST, ids=str)
def test_the_nearest_connection_of_a_type_is_exported(cloud: Any, connections: Any, regions: Any) -> None:
    for name, default_for in connections.items():
        connection(cloud, name, name, default_for)
    assert {name: exported(cloud, name)["region"] for name in regions} == regions
    found = {name: cloud.evaluate({"eval": "$connections::Cloud::region"}, name) for name in regions}
    assert found == regions


def test_one_of_each_type_is_exported_by_the_names_that_its_type_declares(cloud: Any) -> None:
    connection(cloud, "one", "here")
    connection(cloud, "two", {"get_attribute": ["s", "late"]}, type="a.b.Other")
    cloud.topology.relationship_templates["two"].type.properties = {"late": ParameterDefinition("late", VARIABLE)}
    found = exported(cloud, "a")
    assert {name: reveal(value) for name, value in found.items()} == {
        "region": "here",
        "TOK": "hunter2hunter2",
        "EN": "hunter2hunter2",
    }
    assert is_sensitive(found["TOK"])


def test_maps_of_variables_and_nested_types_are_exported(cloud: Any) -> None:
    connection(cloud, "one", None)
    made = cloud.topology.relationship_templates["one"]
    inner = EntityType("data", "Inner")
    inner.properties = {"DEEP": ParameterDefinition("DEEP", Schema("Own"))}
    cloud.topology.data_types = {
        "Inner": inner,
        "Own": EntityType("data", "Own", EntityType("data", "unfurl.datatypes.EnvVar")),
    }
    made.type.properties["in"] = ParameterDefinition("in", Schema("Inner"))
    made.properties |= cloud.assign({"more": {"A": 1, "B": True}, "in": {"DEEP": "down"}})
    found = exported(cloud, "a")
    assert {name: found.get(name) for name in ("A", "B", "DEEP", "region")} == {
        "A": 1,
        "B": True,
        "DEEP": "down",
        "region": None,
    }


def test_connections_are_read_by_paths_and_templates(cloud: Any) -> None:
    connection(cloud, "one", "here")
    assert cloud.evaluate("{{ connections.one.region }} {{ connections.Cloud.plain }}", "a") == "here x"
    assert cloud.evaluate({"eval": "$connections::nix::region"}, "a") is None
    assert cloud.evaluate({"eval": "$connections"}, "a") == {"one": "one"}


def test_paths_begin_with_what_templates_see(cloud: Any) -> None:
    found = [cloud.evaluate({"eval": f"${name}::.name"}, "a") for name in ("SELF", "HOST", "ROOT", "NODES::t")]
    assert found == ["a", "s", "root", "t"]


def test_what_is_exported_does_not_count_as_read(cloud: Any) -> None:
    connection(cloud, "one", "here")
    scope = cloud.evaluator().scope(cloud.instance("a"))
    scope.exported()
    assert not scope.reads.keys()


def test_a_variable_of_that_name_is_meant_before_the_connections(cloud: Any) -> None:
    connection(cloud, "one", "here")
    cloud.environment.variables = {"connections": 3}
    assert cloud.evaluate("{{ connections }}", "a") == 3
    assert cloud.evaluate({"eval": "$connections"}, "a") == 3
