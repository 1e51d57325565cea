from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.expressions.path import Filter, Segment, Variable, parse_path

PARSED: list[tuple[str, tuple[Segment, ...]]] = [
    ("a", (Segment("a"),)),
    ("::a", (Segment(None), Segment("a"))),
    (".name", (Segment(".name"),)),
    ("a::0", (Segment("a"), Segment(0))),
    ("a::-1", (Segment("a"), Segment(-1))),
    ("a-1::b:c", (Segment("a-1"), Segment("b:c"))),
    ("$x::*", (Segment(Variable("x")), Segment("*"))),
    ("a?::b", (Segment("a", (), True), Segment("b"))),
    ("a[b]", (Segment("a", (Filter(parse_path("b")),)),)),
    ("a[!b]", (Segment("a", (Filter(parse_path("b"), True, turned=True),)),)),
    ("a[b=c][d!=e]?", (Segment("a", (Filter(parse_path("b"), False, "c"), Filter(parse_path("d"), True, "e")), True),)),
    ("a[=c]", (Segment("a", (Filter(None, False, "c"),)),)),
    ("a[!=c]", (Segment("a", (Filter(None, True, "c"),)),)),
    ("a[!b!=c]", (Segment("a", (Filter(parse_path("b"), False, "c", turned=True),)),)),
    ("a[b=$v]", (Segment("a", (Filter(parse_path("b"), False, Variable("v")),)),)),
    ("a[b[c]::d=e f]", (Segment("a", (Filter(parse_path("b[c]::d"), False, "e f"),)),)),
    ("::[.type=x]", (Segment(None), Segment(None, (Filter(parse_path(".type"), False, "x"),)))),
]


@pytest.mark.parametrize(("text", "segments"), PARSED, ids=[case[0] for case in PARSED])
def test_parse(text: str, segments: tuple[Segment, ...]) -> None:
    assert parse_path(text).segments == segments


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a[", '"]" is missing at character 3'),
        ("a[b", '"]" is missing at character 4'),
        ("a]", 'unexpected "]" at character 2'),
        ("a[]", "an empty filter"),
        ("a?b", 'unexpected "b" at character 3'),
        ("$1", '"$1" is not a variable at character 1'),
        ("a[b=[c]]", '"[" in what is compared'),
    ],
)
def test_errors_show_where(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as error:
        parse_path(text)
    assert problem in error.value.message


VALUES: list[tuple[str, Any]] = [
    (".", "app"),
    (".name", "app"),
    ("port", 8080),
    (".::port", 8080),
    ("::app::port", 8080),
    (".all::app::port", 8080),
    ("::db::tags", ["x", "y"]),
    ("::db::tags::1", "y"),
    ("::db::tags::-1", "y"),
    ("::db::tags::7", None),
    ("::db::settings::a::b", 1),
    ("::db::settings::*", {"b": 1}),
    ("::db::nothing", None),
    ("::nobody::port", None),
    ("::db::tags[=x]", "x"),
    ("::db::tags[!=x]", "y"),
    ("::db[tags]::name", "orders"),
    ("::db[tags=y]::name", None),
    ("::db[tags::*=y]::name", "orders"),
    ("::db[!tags]::name", None),
    ("::[.type=t.App]::port", 8080),
    ("::*::.name", ["server", "db", "app"]),
    ("::*[port=8080]::.name", "app"),
    ("::*[!port]::.name", ["server", "db"]),
    ("::*?::.name", "server"),
    ("$list::1", "b"),
    ("$list[=$want]", "b"),
    ("$map::k", "v"),
    ("$items::k", [1, 2]),
    ("$items[k=2]::n", "two"),
    ("$true[=true]", True),
    (".type", "t.App"),
    (".tosca_name", "app"),
    (".tosca_id", "::app"),
    (".template::type", "t.App"),
    (".template::.targets::db::name", "orders"),
    (".state", "initial"),
    (".status", "pending"),
    (".present", False),
    (".missing", True),
    (".operational", False),
    (".template::.type", "t.App"),
    (".targets::db::name", "orders"),
    (".targets::host::os", "linux"),
    ("::db::.sources::db::.name", "app"),
    (".requirements::.name", ["host", "db"]),
    (".requirements[.name=db]::.target::name", "orders"),
    (".requirements[.name=db]::weight", 7),
    (".requirements[.name=db]::.source", "app"),
    ("::db::.relationships::.source", "app"),
    ("::db::.capabilities[.name=endpoint]::port", 5432),
    ("::db::.capabilities::.owner", "db"),
    ("::db::.capabilities::.relationships::.name", "db"),
    (".artifacts::image::file", "image.txt"),
    (".artifacts::image::.repository", None),
    (".hosted_on", ["server"]),
    ("::server::.instances", ["app"]),
    ("::server::.descendants", ["server", "app"]),
    ("::root::.instances", ["server", "db"]),
    (".parents", ["root", "server"]),
    (".ancestors", ["app", "server", "root"]),
    ("..", "server"),
    ("os", "linux"),
    (".root::inputs::size", 3),
    ("::inputs::database::port", 5432),
    ("::root::outputs::where", "here"),
    ("inputs::size", 3),
    (".owner", "app"),
    (".configured_by", []),
    (".siblings", ["app"]),
    (".names::port", 8080),
    (".super::mode", None),
    ("::app[.name=app]::port", 8080),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[case[0] for case in VALUES])
def test_values(model: Any, text: str, value: Any) -> None:
    model.output("where", "here")
    variables = {
        "list": ["a", "b"],
        "want": "b",
        "map": {"k": "v"},
        "items": [{"k": 1, "n": "one"}, {"k": 2, "n": "two"}],
    }
    found = model.evaluate({"eval": text, "vars": {name: {"q": item} for name, item in variables.items()}}, "app")
    assert found == value


def test_an_instance_among_several_of_the_same_requirement(model: Any) -> None:
    model.node("db2", {"name": "more"})
    model.require("app", "db", "db2")
    assert model.evaluate({"eval": ".targets::db::name"}, "app") == ["orders", "more"]
    assert model.evaluate({"eval": ".targets::db[name=more]::.name"}, "app") == "db2"


def test_super_is_the_default_of_the_type(model: Any) -> None:
    model.type("t.Web").properties = {"port": model.definition("port", "integer", 80)}
    model.node("web", {"port": {"eval": {"add": [".super::port", 1]}}}, type="t.Web")
    assert model.evaluate({"eval": "::web::port"}) == 81
    model.node("plain", type="t.Web")
    assert model.evaluate({"get_property": ["plain", "port"]}) == 80


def test_uri_and_deployment(model: Any) -> None:
    model.environment.metadata = {"deployment": "shop", "uri": "git://x"}
    assert model.evaluate({"eval": ".uri"}, "app") == "git://x#::app"
    assert model.evaluate({"eval": ".deployment"}, "app") == "shop"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (".nam", 'there is no special key ".nam"'),
        ("$nix", 'there is no variable "$nix"'),
        ("a[", "is not a path"),
        ("(((", '"(((" is no name'),
    ],
)
def test_errors(model: Any, text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.evaluate({"eval": text}, "app")
    assert problem in error.value.message


def test_configured_by(model: Any) -> None:
    link = model.require("app", "conf", "db")
    link.type = type(link.type)("relationship", "unfurl.relationships.Configures")
    assert model.evaluate({"eval": "::db::.configured_by"}) == ["app"]
