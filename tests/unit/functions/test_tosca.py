from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.language.entities import EntityType, Topology
from ansible_ensemble.views.reads import Deferred

VALUES: list[tuple[Any, Any]] = [
    ({"get_input": "size"}, 3),
    ({"get_input": ["database", "port"]}, 5432),
    ({"get_input": ["database", "hosts", 1]}, "b"),
    ({"get_input": ["absent", 9]}, 9),
    ({"get_property": ["SELF", "port"]}, 8080),
    ({"get_property": ["db", "tags", 1]}, "y"),
    ({"get_property": ["db", "settings", "a", "b"]}, 1),
    ({"get_property": ["SELF", "host", "num_cpus"]}, 2),
    ({"get_property": ["server", "host", "num_cpus"]}, 2),
    ({"get_property": ["SELF", "db", "port"]}, 5432),
    ({"get_property": ["SELF", "db", "name"]}, "orders"),
    ({"get_property": ["SELF", "db", "weight"]}, 7),
    ({"get_property": ["HOST", "os"]}, "linux"),
    ({"get_attribute": ["SELF", "mode"]}, "fast"),
    ({"get_attribute": ["SELF", "port"]}, 8080),
    ({"get_attribute": ["SELF", "tosca_name"]}, "app"),
    ({"get_attribute": ["SELF", "tosca_id"]}, "app"),
    ({"get_attribute": ["SELF", "state"]}, "initial"),
    ({"get_attribute": ["SELF", "host", "os"]}, "linux"),
    ({"get_nodes_of_type": "t.App"}, ["app"]),
    ({"get_nodes_of_type": "tosca.nodes.Root"}, ["server", "db", "app"]),
    ({"concat": ["a", 1, True, None, {"get_property": ["SELF", "port"]}]}, "a1true8080"),
    ({"concat": ["a", "b"], "sep": "-"}, "a-b"),
    ({"concat": [["a"], ["b"]]}, ["a", "b"]),
    ({"join": [["a", "b", {"get_input": "size"}], "-"]}, "a-b-3"),
    ({"join": [["a", "b"]]}, "ab"),
    ({"token": ["a:b;c", ":;", 2]}, "c"),
    ({"token": ["a:b", ":", "0"]}, "a"),
    ({"token": "abc"}, {"token": "abc"}),
    ({"concat": ["a"], "other": 1}, {"concat": ["a"], "other": 1}),
    ({"list": [{"get_input": "size"}, {"deep": {"concat": ["x", "y"]}}]}, {"list": [3, {"deep": "xy"}]}),
]


@pytest.mark.parametrize(("expression", "value"), VALUES, ids=[str(case[0]) for case in VALUES])
def test_values(model: Any, expression: Any, value: Any) -> None:
    assert model.evaluate(expression, "app") == value


ERRORS: list[tuple[Any, str]] = [
    ({"get_input": "sise"}, 'there is no input "sise"'),
    ({"get_input": ["database", "prot"]}, 'input "database" has no key "prot"'),
    ({"get_input": ["size", "x"]}, "it is not a map or list"),
    ({"get_property": ["SELF", "prot"]}, '"app" has no property "prot"'),
    ({"get_property": ["nobody", "port"]}, 'there is no node template "nobody"'),
    ({"get_property": ["SOURCE", "port"]}, "SOURCE is not available here"),
    ({"get_property": ["db", "tags", 2]}, 'has no item "2" (it has 2)'),
    ({"get_property": ["SELF"]}, "get_property: it takes an entity and the name of a value of it"),
    ({"get_artifact": ["SELF", "imag"]}, 'has no artifact "imag"'),
    ({"token": ["a:b", ":", 5]}, "token 5 does not exist"),
    ({"token": ["a:b", ":", "x"]}, "token: it takes a text, a separator and the number of a part"),
    ({"token": ["a:b", ":", {"q": "x"}]}, "must be a number"),
    ({"token": ["a:b", "", 0]}, "the second argument of token is empty"),
    ({"concat": ["a", {"get_property": ["db", "tags"]}]}, "joins text and got a list"),
    ({"join": ["a", "b"]}, "join: it takes a list of values and a delimiter"),
    ({"join": [{"q": "a"}, "b"]}, "must be a list"),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[str(case[0]) for case in ERRORS])
def test_errors_name_what_failed(model: Any, expression: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.evaluate(expression, "app")
    assert message in str(error.value)
    assert next(iter(expression)) in str(error.value), "the expression is named"


def test_an_error_in_a_property_has_its_place(model: Any) -> None:
    model.node("bad", {"x": {"get_property": ["SELF", "y"]}})
    with pytest.raises(InvalidInput) as error:
        model.evaluate({"get_property": ["bad", "x"]}, "app")
    assert error.value.place == model.place


def test_an_attribute_that_an_operation_set_wins(model: Any) -> None:
    model.instance("app", mode="slow", port=9090)
    assert model.evaluate({"get_attribute": ["SELF", "mode"]}, "app") == "slow"
    assert model.evaluate({"get_attribute": ["SELF", "port"]}, "app") == 9090
    assert model.evaluate({"get_property": ["SELF", "port"]}, "app") == 8080


@pytest.mark.parametrize(
    "expression",
    [
        {"get_attribute": ["app", "url"]},
        {"get_attribute": ["app", "whatever", "x"]},
        {"get_attribute": ["HOST", "public_address"]},
        {"get_attribute": ["SELF", "host", "public_address"]},
        {"concat": ["http://", {"get_attribute": ["server", "public_address"]}]},
    ],
    ids=str,
)
def test_what_is_not_known_yet_is_deferred(model: Any, expression: Any) -> None:
    with pytest.raises(Deferred) as deferred:
        model.evaluate(expression, "app")
    assert deferred.value.refs[0] in ("app.url", "app.whatever", "server.public_address")


def test_host_is_searched_up_the_chain(model: Any) -> None:
    model.node("rack", {"row": 4})
    model.require("server", "host", "rack", hosted=True)
    assert model.evaluate({"get_property": ["HOST", "row"]}, "app") == 4
    model.instance("rack", heat=40)
    assert model.evaluate({"get_attribute": ["HOST", "heat"]}, "app") == 40


def test_nested_attribute_of_an_instance(model: Any) -> None:
    model.instance("server", networks={"net0": {"addresses": ["10.0.0.1"]}})
    assert model.evaluate({"get_attribute": ["server", "networks", "net0", "addresses", 0]}) == "10.0.0.1"
    with pytest.raises(InvalidInput, match='has no key "net1"'):
        model.evaluate({"get_attribute": ["server", "networks", "net1"]})


def test_source_and_target_of_a_relationship(model: Any) -> None:
    app = model.instance("app")
    db = model.instance("db", url="pg://")
    live = app.relationships["db#1"]
    live.attributes["session"] = 5
    evaluator = model.evaluator()
    for side in (app, db):
        scope = evaluator.scope(side, relationship=live)
        assert scope.evaluate({"get_property": ["SOURCE", "port"]}) == 8080
        assert scope.evaluate({"get_attribute": ["TARGET", "url"]}) == "pg://"
        assert scope.evaluate({"get_property": ["SELF", "weight"]}) == 7
        assert scope.evaluate({"get_attribute": ["SELF", "session"]}) == 5
    assert scope.reads.keys() == [
        "::app::port",
        "::db::url",
        "::app::.requirements::db#1::weight",
        "::app::.requirements::db#1::session",
    ]


def test_a_template_with_several_instances_means_the_first(model: Any) -> None:
    model.instance("app", url="one")
    model.instance("app_1", "app", url="two")
    assert model.evaluate({"get_attribute": ["app", "url"]}) == "one"
    assert model.evaluate({"eval": "::app::.siblings::url"}) == ["one", "two"]
    evaluator = model.evaluator()
    assert evaluator.scope(model.instances.get("app_1")).evaluate({"get_attribute": ["SELF", "url"]}) == "two"


def test_artifact(model: Any) -> None:
    scope = model.evaluator().scope(model.instance("app"))
    assert scope.evaluate({"get_artifact": ["SELF", "image"]}) == str(model.root / "image.txt")
    assert scope.evaluate({"get_artifact": ["SELF", "image", "LOCAL_FILE", False]}) == str(model.root / "image.txt")
    assert scope.evaluate({"get_artifact": ["SELF", "image", "/opt/image", True]}) == "/opt/image"
    assert scope.reads.keys() == ["file:image.txt"]
    model.node("web", artifacts={"page": "https://example.org/x", "out": "../../etc/passwd"})
    assert model.evaluate({"get_artifact": ["web", "page"]}) == "https://example.org/x"
    with pytest.raises(InvalidInput, match="leads out of the project"):
        model.evaluate({"get_artifact": ["web", "out"]})


def test_output_of_an_operation(model: Any) -> None:
    expression = {"get_operation_output": ["SELF", "Standard", "create", "id"]}
    with pytest.raises(Deferred):
        model.evaluate(expression, "app")
    model.environment.outputs = {("app", "Standard.create"): {"id": {"n": 5}}}
    assert model.evaluate(expression, "app") == {"n": 5}
    assert model.evaluate({"get_operation_output": ["SELF", "Standard", "create", "id", "n"]}, "app") == 5


def test_a_cycle_is_named(empty: Any) -> None:
    empty.node("a", {"x": {"get_property": ["b", "y"]}})
    empty.node("b", {"y": {"concat": ["z", {"get_property": ["a", "x"]}]}})
    with pytest.raises(InvalidInput, match=r"values depend on each other: a\.x -> b\.y -> a\.x"):
        empty.evaluate({"get_property": ["a", "x"]})


@pytest.mark.parametrize("template", [False, True])
def test_values_refer_to_values_to_any_depth(empty: Any, template: bool) -> None:
    count = 60 if template else 3000
    for number in range(count):
        following = f"n{number + 1}"
        value = f"{{{{ NODES.{following}.x }}}}" if template else {"get_property": [following, "x"]}
        empty.node(f"n{number}", {"x": value})
    empty.node(f"n{count}", {"x": 5})
    assert empty.evaluate({"get_property": ["n0", "x"]}) == 5


def test_a_long_cycle_ends(empty: Any) -> None:
    for number in range(100):
        empty.node(f"n{number}", {"x": {"get_property": [f"n{(number + 1) % 100}", "x"]}})
    with pytest.raises(InvalidInput, match="values depend on each other"):
        empty.evaluate({"get_property": ["n0", "x"]})


def test_a_gone_template_leaves_what_was_recorded(model: Any) -> None:
    old = model.instance("old", "gone", url="u")
    old.properties = {"port": 1, "text": "{{ 1 + 1 }}"}
    assert model.evaluate({"get_property": ["old", "port"]}) == 1
    assert model.evaluate({"get_property": ["old", "text"]}) == "{{ 1 + 1 }}"
    assert model.evaluate({"get_attribute": ["old", "url"]}) == "u"


def test_the_target_of_a_relationship_is_its_capability_too(model: Any) -> None:
    app = model.instance("app")
    scope = model.evaluator().scope(app, relationship=app.relationships["db#1"])
    assert scope.evaluate({"get_attribute": ["TARGET", "port"]}) == 5432
    assert scope.evaluate({"get_property": ["TARGET", "endpoint", "port"]}) == 5432
    with pytest.raises(Deferred, match=r"db\.url is not known yet"):
        scope.evaluate({"get_attribute": ["TARGET", "url"]})


@pytest.mark.parametrize(("network", "address"), [("PUBLIC", "1.2.3.4"), ("PRIVATE", "10.0.0.1")])
def test_the_address_of_an_endpoint_is_its_hosts(model: Any, network: str, address: str) -> None:
    model.node("web", capabilities={"endpoint": {"network_name": network}})
    model.topology.node_templates["web"].capabilities["endpoint"].type = EntityType(
        "capability", "tosca.capabilities.Endpoint"
    )
    model.require("web", "host", "server", hosted=True)
    expression = {"get_attribute": ["web", "endpoint", "ip_address"]}
    with pytest.raises(Deferred, match=r"server\.p\w+_address is not known yet"):
        model.evaluate(expression)
    model.instance("server", public_address="1.2.3.4", private_address="10.0.0.1")
    assert model.evaluate(expression) == address


def test_scaled_templates_before_their_instances_are_made(model: Any) -> None:
    model.node("web", {"name": {"get_attribute": ["SELF", "tosca_id"]}}, count=3)
    model.require("web", "db", "db")
    model.require("app", "web", "web")
    assert model.evaluate({"eval": ".targets::web::name"}, "app") == ["web", "web_1", "web_2"]
    assert model.evaluate({"eval": "::db::.sources::db::.name"}) == ["app", "web", "web_1", "web_2"]
    assert model.evaluate({"get_property": ["web_2", "name"]}) == "web_2"
    assert model.evaluate({"get_property": ["web", "name"]}) == "web"


def test_the_number_of_an_instance_among_those_of_its_template(model: Any) -> None:
    model.node("web", {"number": {"eval": {"$node_index": ["SELF"]}}, "other": {"eval": {"$node_index": []}}}, count=3)
    assert [model.evaluate({"get_property": [name, "number"]}) for name in ("web", "web_1", "web_2")] == [0, 1, 2]
    assert model.evaluate({"get_property": ["web_1", "other"]}) == 1


def test_scaled_instances_and_hosts_pair_up(model: Any) -> None:
    model.node("vm", count=2)
    model.node("web", count=2)
    model.require("web", "host", "vm", hosted=True)
    assert model.evaluate({"eval": "::web_1::.hosted_on::.name"}) == "vm_1"
    assert model.evaluate({"eval": "::vm_1::.instances::.name"}) == "web_1"


def test_names_in_a_nested_topology_are_its_own(model: Any) -> None:
    model.node("outer", {"size": 5})
    model.node("outer:db", {"name": "inner", "n": {"get_input": "size"}}, namespace="outer")
    model.node("outer:app", {"x": {"get_property": ["db", "name"]}}, namespace="outer")
    nested = Topology(model.root / "nested.yaml")
    nested.inputs["size"] = model.definition("size", "integer")
    model.topology.nested["outer"] = nested
    assert model.evaluate({"get_property": ["outer:app", "x"]}) == "inner"
    scope = model.evaluator().scope()
    assert scope.evaluate({"get_property": ["outer:db", "n"]}) == 5
    assert [read.ref for read in scope.reads] == ["::outer::size", "input::outer::size", "::outer:db::n"]
    nested.input_values["size"] = {"get_input": "size"}
    assert model.evaluate({"get_property": ["outer:db", "n"]}) == 3


LONG = "x" * 8_500_000
LISTED = [1] * 500_001


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ({"concat": [LONG, LONG]}, "concat makes a text of more than 16777216 characters"),
        ({"concat": ["a"] * 3, "sep": LONG}, "concat makes a text of more than"),
        ({"join": [[LONG, LONG]]}, "join makes a text of more than"),
        ({"join": [["a", "b", "c"], LONG]}, "join makes a text of more than"),
        ({"eval": {"add": [{"q": LONG}, {"q": LONG}]}}, "add makes a text of more than"),
        ({"concat": [LISTED, LISTED]}, "concat makes a list of more than 1000000 items"),
        ({"eval": {"add": [{"q": LISTED}, {"q": LISTED}]}}, "add makes a list of more than"),
    ],
    ids=range(7),
)
def test_nothing_grows_without_end(model: Any, expression: Any, told: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.evaluate(expression, "app")
    assert told in str(error.value)
    assert len(str(error.value)) < 500
