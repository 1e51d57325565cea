from __future__ import annotations

import pickle
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import REDACTED, Redactor, SensitiveStr, is_sensitive, redact
from ansible_ensemble.expressions.current import current_values
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.language.entities import Assignment
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.reads import Deferred, Read, Reads, value_digest

SECRET = {"eval": {"secret": "pw"}}


def current_digests(evaluator: Any, scope: Any, refs: list[str]) -> dict[str, str | None]:
    return {ref: value.digest for ref, value in current_values(evaluator, scope, refs).items()}


@pytest.fixture
def full(model: Any) -> Any:
    around = model.environment
    around.environ = {"HOME": "/home/me"}
    around.locals = {"proxy": "p"}
    around.secrets = {"pw": "hunter22"}
    model.connection("cloud", "Cloud", region="here")
    model.output("where", {"get_property": ["app", "base"]})
    around.externals = {"net": {"subnet": "10.0.0.0/8"}, "whole": model.evaluator().scope()}
    around.outputs = {("app", "Standard.create"): {"id": 7}}
    model.instance("app", url="http://a")
    model.instance("server", public_address="1.2.3.4")
    model.instance("db")
    return model


REFS: list[tuple[Any, list[str]]] = [
    ({"get_property": ["SELF", "port"]}, ["::app::port"]),
    ({"get_attribute": ["SELF", "url"]}, ["::app::url"]),
    ({"get_attribute": ["SELF", "port"]}, ["::app::port"]),
    ({"get_property": ["db", "settings", "a"]}, ["::db::settings"]),
    ({"get_property": ["SELF", "host", "num_cpus"]}, ["::server::.capabilities::host::num_cpus"]),
    ({"get_property": ["SELF", "db", "weight"]}, ["::app::.requirements::db#1::weight"]),
    ({"get_input": ["database", "port"]}, ["input::database"]),
    ({"get_operation_output": ["SELF", "Standard", "create", "id"]}, ["output::app::Standard.create::id"]),
    ({"get_artifact": ["SELF", "image"]}, ["file:image.txt"]),
    ({"get_env": "HOME"}, ["env::HOME"]),
    ({"eval": {"local": "proxy"}}, ["local::proxy"]),
    (SECRET, ["secret::pw"]),
    ({"eval": {"external": "net"}, "select": "subnet"}, ["external::net"]),
    ({"eval": {"container_image": "a/b:1"}}, ["image:a/b:1"]),
    ({"eval": {"file": "image.txt"}, "select": "contents"}, ["file:image.txt"]),
    ({"eval": {"get_dir": "."}}, []),
    ({"eval": "::app::.targets::host::public_address"}, ["::server::public_address"]),
    ({"eval": ".artifacts::image::file"}, ["::app::.artifacts::image::file"]),
    ("{{ SELF.url }}{{ HOST.os }}", ["::app::url", "::server::os"]),
    ({"eval": "::inputs::size"}, ["input::size"]),
    ({"eval": ".root::outputs::where"}, ["output::where"]),
    ("{{ ROOT.inputs.size }}{{ NODES.inputs.size }}", ["input::size"]),
    ({"eval": {"external": "whole"}, "select": "outputs::where"}, ["external::whole::output::where"]),
    ({"eval": {"external": "whole"}, "select": "inputs::size"}, ["external::whole::input::size"]),
    ({"q": "{{ SELF.url }}"}, []),
    ({"get_attribute": ["SELF", "state"]}, []),
    ({"get_attribute": ["ORCHESTRATOR", "os_type"]}, ["::localhost::os_type"]),
    ({"eval": "$connections::cloud::region"}, ["::.declared::::Cloud::cloud::region"]),
]


@pytest.mark.parametrize(("expression", "refs"), REFS, ids=[str(case[0]) for case in REFS])
def test_references_of_what_is_read_and_their_digests_now(full: Any, expression: Any, refs: list[str]) -> None:
    evaluator = full.evaluator()
    scope = evaluator.scope(full.instances.get("app"))
    scope.evaluate(expression)
    assert scope.reads.keys() == refs
    now = current_digests(full.evaluator(), full.evaluator().scope(full.instances.get("app")), refs)
    assert now == {read.ref: read.digest for read in scope.reads if read.direct}
    assert None not in now.values()


def test_inputs_are_evaluated_once_when_they_are_read(full: Any) -> None:
    operation = full.operation(command="echo {{ SELF.port }}", unread={"get_property": ["SELF", "nothing"]})
    scope = full.evaluator().scope(full.instances.get("app"), operation=operation)
    assert list(scope.inputs) == ["command", "unread"]
    assert "command" in scope.inputs
    assert scope.reads.keys() == []
    first = scope.inputs["command"]
    full.instances.get("app").attributes["port"] = 1
    assert scope.inputs["command"] is first
    assert first == "echo 8080"
    assert scope.reads.keys() == ["::app::port", "command"]
    digests = current_digests(scope.evaluator, scope, ["command", "gone"])
    assert digests["command"] != scope.reads.get("command").digest, "the attribute wins now"
    assert digests["gone"] is None
    with pytest.raises(InvalidInput):
        scope.inputs["unread"]
    with pytest.raises(KeyError):
        scope.inputs["gone"]


def test_given_inputs_win(full: Any) -> None:
    scope = full.evaluator().scope(
        full.instances.get("app"), operation=full.operation(a="raw", b="{{ inputs.a }}!"), inputs={"a": "given", "c": 1}
    )
    assert dict(scope.inputs) == {"a": "given", "b": "given!", "c": 1}


def test_inputs_that_need_each_other(full: Any) -> None:
    scope = full.evaluator().scope(
        full.instances.get("app"), operation=full.operation(a="{{ inputs.b }}", b="{{ inputs.a }}")
    )
    with pytest.raises(InvalidInput, match="inputs depend on each other: a -> b -> a"):
        scope.inputs["a"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"x": 1, "y": "{{ inputs.a.x + 1 }}"}, {"x": 1, "y": 2}),
        ({"y": {"eval": "$inputs::a::x"}, "x": {"concat": ["p", "q"]}}, {"y": "pq", "x": "pq"}),
        ([1, "{{ inputs.a[0] + 1 }}"], [1, 2]),
        ({"x": {"l": [3]}, "y": "{{ inputs.b }}"}, {"x": {"l": [3]}, "y": 3}),
    ],
)
def test_a_part_of_an_input_reads_another(full: Any, written: Any, expected: Any) -> None:
    operation = full.operation(a=written, b="{{ inputs.a.x.l[0] }}")
    scope = full.evaluator().scope(full.instances.get("app"), operation=operation)
    assert scope.inputs["a"] == expected


@pytest.mark.parametrize("written", [{"x": "{{ inputs.a.x }}"}, {"x": "{{ inputs.a }}"}, [1, "{{ inputs.a[1] }}"]])
def test_a_part_of_an_input_that_needs_itself(full: Any, written: Any) -> None:
    scope = full.evaluator().scope(full.instances.get("app"), operation=full.operation(a=written))
    with pytest.raises(InvalidInput, match=r"inputs depend on each other: a\.\w -> a\.\w"):
        scope.inputs["a"]


def test_what_a_property_is_computed_from_is_an_indirect_read(full: Any) -> None:
    full.node("web", {"url": {"token": [{"get_attribute": ["app", "url"]}, ":", 0]}})
    evaluator = full.evaluator()
    for _ in range(2):
        scope = evaluator.scope()
        assert scope.evaluate({"get_property": ["web", "url"]}) == "http"
        assert scope.reads.keys() == ["::web::url"]
        assert [(read.ref, read.direct) for read in scope.reads] == [("::app::url", False), ("::web::url", True)]
    before = scope.reads.digest()
    full.instances.get("app").attributes["url"] = "http://b"
    again = evaluator.scope()
    again.evaluate({"get_property": ["web", "url"]})
    assert again.reads.digest() == before, "the property is what it was"


def test_properties_that_read_each_other_twice_cost_no_more_for_each_level(
    full: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0

    def reflected(self: NodeView, name: str) -> Any:
        nonlocal looks
        looks += 1
        return by_itself(self, name)

    by_itself = NodeView.reflected
    monkeypatch.setattr(NodeView, "reflected", reflected)
    levels = 14
    twice = {f"p{level}": f"{{{{ SELF.p{level - 1} ~ SELF.p{level - 1} }}}}" for level in range(1, levels)}
    full.node("web", {"p0": "x", **twice})
    assert full.evaluator().scope().query(f"::web::p{levels - 1}") == "x" * 2 ** (levels - 1)
    assert looks < 10 * levels**2


def test_a_property_is_computed_anew_once_an_attribute_it_rests_on_changes(full: Any) -> None:
    full.node("web", {"a": {"get_property": ["SELF", "b"]}, "b": "{{ NODES.app.url }}", "s": {"eval": "::app::.state"}})
    evaluator = full.evaluator()
    assert evaluator.scope().query("::web::a") == "http://a"
    assert evaluator.scope().query("::web::s") == "initial"
    full.instances.get("app").attributes["url"] = "http://b"
    full.instances.get("app").state = None
    assert evaluator.scope().query("::web::a") == "http://b"
    del full.instances.get("app").attributes["url"]
    with pytest.raises(Deferred):
        evaluator.scope().query("::web::a")


@pytest.mark.parametrize(
    ("expression", "before", "after"),
    [
        ({"get_nodes_of_type": "t.App"}, ["app"], ["app", "more"]),
        ({"eval": "::app::.siblings::.name"}, "app", ["app", "more"]),
        ({"eval": "::more::port"}, None, 8080),
        ("{{ NODES | length }}", 5, 6),
        ({"eval": "::more::.status", "strict": False}, None, "pending"),
    ],
    ids=str,
)
def test_a_property_is_computed_anew_once_there_are_more_instances(
    full: Any, expression: Any, before: Any, after: Any
) -> None:
    full.node("web", {"a": expression})
    full.node("other", {"b": {"get_property": ["web", "a"]}})
    evaluator = full.evaluator()
    assert evaluator.scope().query("::other::b") == before
    full.instance("more", "app")
    assert evaluator.scope().query("::other::b") == after


def test_a_property_that_rests_on_nothing_live_is_computed_once(full: Any) -> None:
    count: list[int] = []

    class Counting(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            count.append(1)
            return "v"

    full.environment.environ = Counting(X="v")
    full.node("web", {"a": {"get_env": "X"}})
    evaluator = full.evaluator()
    assert [evaluator.scope().query("::web::a") for _ in range(3)] == ["v"] * 3
    assert len(count) == 1


def test_digests_of_changed_and_missing_values(full: Any) -> None:
    evaluator = full.evaluator()
    refs = [
        "::app::url",
        "::nobody::x",
        "::app::.requirements::zz#9::x",
        "input::zz",
        "secret::zz",
        "file:zz",
    ]
    before = current_digests(evaluator, evaluator.scope(), [*refs, "secret::pw", "env::zz"])
    assert [ref for ref, digest in before.items() if digest is None] == refs[1:]
    full.instances.get("app").attributes["url"] = "other"
    full.environment.secrets["pw"] = "another"
    full.environment.environ["zz"] = "is set now"
    after = current_digests(evaluator, evaluator.scope(), [*refs, "secret::pw", "env::zz"])
    assert after["env::zz"] != before["env::zz"]
    assert after["::app::url"] != before["::app::url"]
    assert after["secret::pw"] != before["secret::pw"]
    del full.instances.get("app").attributes["url"]
    assert current_digests(evaluator, evaluator.scope(), ["::app::url"]) == {"::app::url": None}


def test_digests_of_files_and_folders(full: Any) -> None:
    (full.root / "d").mkdir()
    (full.root / "d" / "x").write_text("1")
    evaluator = full.evaluator()
    before = current_digests(evaluator, evaluator.scope(), ["file:image.txt", "directory:d"])
    (full.root / "d" / "y").write_text("")
    after = current_digests(evaluator, evaluator.scope(), ["file:image.txt", "directory:d"])
    assert after["file:image.txt"] == before["file:image.txt"]
    assert after["directory:d"] != before["directory:d"]
    full.environment.folders = {"conf": full.root / "d"}
    scope = evaluator.scope()
    scope.evaluate({"eval": {"file": "d"}, "select": "path"})
    assert scope.reads.keys() == ["directory:d"]


def test_a_digest_does_not_depend_on_the_order_of_keys_or_the_kind_of_map() -> None:
    assert value_digest({"a": 1, "b": [1, None]}, b"") == value_digest({"b": (1, None), "a": 1}, b"")
    assert value_digest({1: 2, "a": 3}, b"") == value_digest({"a": 3, 1: 2}, b"")
    assert value_digest("1", b"") != value_digest(1, b"")
    assert len(value_digest("x", b"")) == 16


def test_the_digest_of_a_secret_is_keyed() -> None:
    assert value_digest(SensitiveStr("x"), b"a") != value_digest(SensitiveStr("x"), b"b")
    assert value_digest(SensitiveStr("x"), b"a") != value_digest("x", b"a")
    assert value_digest({"k": SensitiveStr("x")}, b"a") == value_digest({"k": SensitiveStr("x")}, b"a")


def test_merging_reads() -> None:
    one, two = Reads(), Reads()
    one.add(Read("a", "1", False, 1))
    two.add(Read("a", "1", False, 1, direct=False))
    two.add(Read("b", "2", False, 2))
    one.merge(two)
    assert one.keys() == ["a", "b"]
    three = Reads()
    three.merge(one, direct=False)
    assert three.keys() == []
    assert len(three) == 2
    assert "b" in three


SENSITIVE: list[Any] = [
    SECRET,
    {"get_property": ["s", "password"]},
    {"get_attribute": ["s", "token"]},
    {"get_input": "key"},
    {"eval": "::s::password"},
    {"concat": ["a", SECRET]},
    {"concat": [["a"], [SECRET]]},
    {"join": [["a", SECRET], "-"]},
    {"token": [{"concat": ["a:", SECRET]}, ":", 1]},
    {"eval": {"sensitive": "x"}},
    {"eval": {"add": [SECRET, {"q": "x"}]}},
    {"eval": {"if": True, "then": SECRET}},
    {"eval": {"or": ["nothing", SECRET]}},
    {"eval": "$x", "vars": {"x": SECRET}},
    {"eval": SECRET, "foreach": "$item"},
    {"eval": "::s::map::k"},
    {"eval": "::s::map", "foreach": {"value": "$item"}},
    {"eval": "::s::list::0"},
    {"eval": "::s::list[=zz22]"},
    {"eval": {"to_label": SECRET}},
    {"eval": {"urljoin": ["http", SECRET]}},
    {"eval": {"to_env": {"A": SECRET}}, "select": "A"},
    {"eval": {"to_env": {"P": SECRET, "A": "${P}x"}}, "select": "A"},
    {"eval": {"template": "{{ NODES.s.password }}"}},
    {"eval": {"lookup": {"items": [SECRET]}}},
    {"eval": {"python": "os.path.join", "args": ["a", SECRET]}},
    {"a": {"b": [SECRET]}},
    SensitiveStr("plain text of the spec"),
    SensitiveStr("{{ 1 }}"),
]


@pytest.mark.parametrize("expression", SENSITIVE, ids=str)
def test_sensitive_follows_the_value(full: Any, expression: Any) -> None:
    full.input("key", "inputkey", metadata={"sensitive": True})
    full.type("t.S").properties = {
        name: full.definition(name, metadata={"sensitive": True}) for name in ("password", "map", "list")
    }
    full.types["t.S"].attributes = {"token": full.definition("token", metadata={"sensitive": True})}
    node = full.node("s", type="t.S")
    values = {"password": "pass1234", "map": {"k": "zz11"}, "list": ["zz22"]}
    node.properties = {k: Assignment(v, full.types["t.S"].properties[k]) for k, v in values.items()}
    full.instance("s", token="t0ken123")
    scope = full.evaluator().scope(full.instances.get("app"))
    result = scope.evaluate(expression)
    assert is_sensitive(result)
    assert REDACTED in str(redact(result))
    for read in scope.reads:
        assert not any(secret in str(read.value) for secret in ("hunter22", "pass1234", "zz11", "zz22", "t0ken123"))
    leaf = result
    while isinstance(leaf, (dict, list)):
        leaf = next(iter(leaf.values() if isinstance(leaf, dict) else reversed(leaf)))
    if isinstance(leaf, str) and len(leaf) >= Redactor.shortest:
        assert full.environment.redactor.text(f"<{str.__str__(leaf)}>") == f"<{REDACTED}>"


def test_what_is_not_a_secret_stays_plain(full: Any) -> None:
    assert not is_sensitive(full.evaluate({"eval": {"if": SECRET, "then": {"q": "there"}}}, "app"))
    assert full.evaluate({"eval": {"eq": [SECRET, {"q": "hunter22"}]}}, "app") is True
    assert not is_sensitive(full.evaluate({"a": SECRET, "b": 1}, "app")["b"])


def test_outputs(full: Any) -> None:
    full.output("port", {"get_property": ["app", "port"]})
    full.output("later", {"get_attribute": ["db", "endpoint_url"]})
    full.output("password", SECRET)
    full.output("marked", "m4rked", metadata={"sensitive": True})
    found = full.evaluator().outputs()
    assert list(found) == ["where", "port", "password", "marked"]
    assert redact(found) == {"where": "/srv", "port": 8080, "password": REDACTED, "marked": REDACTED}


def test_inputs_of_the_topology(full: Any) -> None:
    full.input("text", {"concat": ["a", {"get_input": "size"}]}, "string")
    full.input("optional", required=False)
    full.input("needed")
    full.input("default", default=5)
    full.input("number", "12", "integer")
    full.input("bad", "x", "integer")
    evaluator = full.evaluator()
    assert [evaluator.input(name) for name in ("text", "optional", "default", "number")] == ["a3", None, 5, 12]
    with pytest.raises(InvalidInput, match='input "needed" has no value'):
        evaluator.input("needed")
    with pytest.raises(InvalidInput, match='there is no input "texd"'):
        evaluator.input("texd")
    with pytest.raises(InvalidInput, match='input "bad" is "x", which is not of type integer'):
        evaluator.input("bad")


def test_an_instance_of_another_ensemble(full: Any, build: Any) -> None:
    other = build()
    other.node("net", {"subnet": "10.1.0.0/16", "mask": {"get_property": ["SELF", "subnet"]}})
    instance = other.instance("net", gateway="10.1.0.1")
    full.environment.externals = {"network": other.evaluator().scope(instance)}
    scope = full.evaluator().scope()
    assert scope.evaluate({"eval": {"external": "network"}, "select": "mask"}) == "10.1.0.0/16"
    assert scope.evaluate({"eval": {"external": "network"}, "select": "gateway"}) == "10.1.0.1"
    refs = ["external::network::net::mask", "external::network::net::gateway"]
    assert scope.reads.keys() == refs
    before = current_digests(full.evaluator(), full.evaluator().scope(), refs)
    assert before == {ref: scope.reads.get(ref).digest for ref in refs}
    instance.attributes["gateway"] = "10.1.0.2"
    after = current_digests(full.evaluator(), full.evaluator().scope(), [*refs, "external::network::net::nix"])
    assert after[refs[0]] == before[refs[0]]
    assert after[refs[1]] != before[refs[1]]
    assert after["external::network::net::nix"] is None


def test_properties_and_attributes_of_a_scope(full: Any) -> None:
    scope = full.evaluator().scope(full.instances.get("app"))
    assert scope.property("port") == 8080
    assert scope.attribute("url") == "http://a"
    assert scope.query("port") == 8080
    with pytest.raises(InvalidInput, match='"app" has no property "prot"'):
        scope.property("prot")
    with pytest.raises(Deferred, match=r"app\.nothing is not known yet"):
        scope.attribute("nothing")
    with pytest.raises(InvalidInput, match='has no relationship "x" to "y"'):
        live = next(iter(full.instances.get("app").relationships.values()))
        live.key, live.target = "x#8", "y"
        full.evaluator().scope(full.instances.get("db"), relationship=live)


@pytest.mark.parametrize(
    ("kind", "value", "made"),
    [
        ("string", 5, "5"),
        ("string", True, "true"),
        ("integer", "5", 5),
        ("integer", 5.0, 5),
        ("float", "0.5", 0.5),
        ("boolean", "true", True),
        ("list", ["a"], ["a"]),
        ("map", {"a": 1}, {"a": 1}),
        ("any", {"a": 1}, {"a": 1}),
        ("any", None, None),
    ],
)
def test_values_are_brought_into_their_declared_type(full: Any, kind: str, value: Any, made: Any) -> None:
    operation = full.operation(x={"q": value})
    operation.inputs["x"].definition = full.definition("x", kind)
    result = full.evaluator().scope(full.instances.get("app"), operation=operation).inputs["x"]
    assert result == made
    assert type(result) is type(made)


def test_an_input_that_is_required_is_not_null(full: Any) -> None:
    operation = full.operation(x={"q": None})
    operation.inputs["x"].definition = full.definition("x", "string")
    scope = full.evaluator().scope(full.instances.get("app"), operation=operation)
    with pytest.raises(InvalidInput, match=r"the input 'x' of operation Standard\.configure is required and is null"):
        scope.inputs["x"]
    operation.inputs["x"].definition.required = False
    assert scope.afresh().inputs["x"] is None


@pytest.mark.parametrize(
    ("kind", "value", "constraints"),
    [
        ("string", [], []),
        ("integer", "5x", []),
        ("integer", 5.5, []),
        ("integer", True, []),
        ("float", "x", []),
        ("boolean", "maybe", []),
        ("list", "a", []),
        ("map", [], []),
        ("integer", 9, [{"in_range": [1, 5]}]),
        ("string", "abc", [{"max_length": 2}]),
    ],
)
def test_values_that_do_not_fit(full: Any, kind: str, value: Any, constraints: list[Any]) -> None:
    operation = full.operation(x={"q": value})
    definition = operation.inputs["x"].definition = full.definition("x", kind)
    definition.schema.constraints = constraints
    with pytest.raises(InvalidInput, match="input x") as error:
        _ = full.evaluator().scope(full.instances.get("app"), operation=operation).inputs["x"]
    assert error.value.place == full.place


def test_a_secret_that_does_not_fit_is_not_shown(full: Any) -> None:
    operation = full.operation(x=SECRET)
    definition = operation.inputs["x"].definition = full.definition("x", "integer")
    for constraints, kind in (([], "integer"), ([{"max_length": 2}], "string")):
        definition.schema.type, definition.schema.constraints = kind, constraints
        with pytest.raises(InvalidInput) as error:
            _ = full.evaluator().scope(full.instances.get("app"), operation=operation).inputs["x"]
        assert "hunter22" not in str(error.value)


def test_deferred_travels_between_processes() -> None:
    copy = pickle.loads(pickle.dumps(Deferred("m", Place("f", 1), "h", ("a.b",))))
    assert (copy.refs, str(copy)) == (("a.b",), "f:1: m (h)")


def test_values_nested_too_deeply_are_an_error(full: Any) -> None:
    value: Any = 1
    for _ in range(3000):
        value = [value]
    with pytest.raises(InvalidInput, match="nested too deeply"):
        full.evaluate(value, "app")


def test_surroundings_have_defaults(tmp_path: Any, model: Any) -> None:
    evaluator = Evaluator(model.topology, model.instances, EvaluationEnvironment(tmp_path, tmp_path), function_table())
    assert evaluator.scope().evaluate({"get_input": "size"}) == 3
