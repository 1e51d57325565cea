"""Every function of the language that TOSCA does not have, with values."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.language.functions import functions
from ansible_ensemble.views.reads import Deferred

Q = {"q": "app"}

VALUES: list[tuple[Any, Any]] = [
    # the forms of eval
    ({"eval": "::app::port"}, 8080),
    ({"ref": "::app::port"}, 8080),
    ({"eval": {"get_property": ["SELF", "port"]}}, 8080),
    ({"eval": {"eval": "::app::port"}}, 8080),
    ({"eval": 5}, 5),
    ({"eval": "{{ 1 + 1 }}"}, 2),
    ({"eval": "$x", "vars": {"x": {"get_input": "size"}}}, 3),
    ({"eval": "::db", "select": "name"}, "orders"),
    ({"eval": "::db::settings", "select": "a::b"}, 1),
    ({"eval": "::nobody", "select": "name"}, None),
    ({"eval": "::db::tags", "foreach": {"concat": [{"eval": "$item"}, "!"]}}, ["x!", "y!"]),
    ({"eval": "::db::tags", "foreach": "$index"}, [0, 1]),
    ({"eval": "::db::tags", "foreach": {"key": "$item", "value": "$index"}}, {"x": 0, "y": 1}),
    ({"eval": "::db::settings", "foreach": {"value": {"eval": "$key"}}}, {"a": "a"}),
    (
        {"eval": "::db::tags", "foreach": {"if": {"eq": ["$item", {"q": "x"}]}, "then": "$continue", "else": "$item"}},
        ["y"],
    ),
    (
        {"eval": "::db::tags", "foreach": {"if": {"eq": ["$item", {"q": "y"}]}, "then": "$break", "else": "$item"}},
        ["x"],
    ),
    ({"eval": "::nobody", "foreach": "$item"}, []),
    ({"eval": {"foreach": {"eval": "$item"}}}, "app"),
    ({"eval": "::app::.targets", "foreach": {"key": "$key", "value": ".name"}}, {"host": "server", "db": "db"}),
    ({"eval": {"get_property": ["SELF", "nothing"]}, "strict": False}, None),
    ({"eval": "::nobody", "strict": True}, None),
    ({"eval": {"other": 1, "data": {"get_input": "size"}}}, {"other": 1, "data": 3}),
    ({"eval": "x", "other": 1}, {"eval": "x", "other": 1}),
    # functions of TOSCA 2.0
    ({"eval": {"$length": "::db::tags"}}, 2),
    ({"eval": {"$node_index": []}}, 0),
    ({"eval": {"$has_prefix": [{"q": "my app"}, {"q": "my"}]}}, True),
    ({"eval": {"$has_prefix": [{"q": [1, 2]}, {"q": [2]}]}}, False),
    ({"eval": {"$has_suffix": [{"q": [1, 2]}, {"q": [2]}]}}, True),
    ({"eval": {"$has_suffix": [{"q": "a"}, {"q": "ba"}]}}, False),
    ({"eval": {"$contains": [{"q": [1, 2, 3]}, {"q": [2, 3]}]}}, True),
    ({"eval": {"$contains": [{"q": [1, 2, 3]}, {"q": [1, 3]}]}}, False),
    ({"eval": {"$has_entry": ["::db::tags", {"q": "y"}]}}, True),
    ({"eval": {"$has_entry": [{"q": {"a": 1}}, 2]}}, False),
    ({"eval": {"$has_key": [{"q": {"a": 1}}, {"q": "a"}]}}, True),
    ({"eval": {"$has_all_entries": ["::db::tags", {"q": ["x", "z"]}]}}, False),
    ({"eval": {"$has_any_entry": ["::db::tags", {"q": ["x", "z"]}]}}, True),
    ({"eval": {"$has_all_keys": [{"q": {"a": 1}}, {"q": ["a", "b"]}]}}, False),
    ({"eval": {"$has_any_key": [{"q": {"a": 1}}, {"q": ["a", "b"]}]}}, True),
    ({"eval": {"$matches": [{"q": "abc"}, {"q": "[a-b]+"}]}}, False),
    ({"eval": {"$in_range": ["port", {"q": [1, 8080]}]}}, True),
    ({"eval": {"$valid_values": ["port", {"q": [80]}]}}, False),
    ({"eval": {"$xor": ["port", "nothing"]}}, True),
    ({"eval": {"$union": ["::db::tags", {"q": ["y", "z"]}]}}, ["x", "y", "z"]),
    ({"eval": {"$intersection": ["::db::tags", {"q": ["y", "z"]}]}}, ["y"]),
    ({"eval": {"$round": [2.5]}}, 2),
    ({"eval": {"$floor": [-2.5]}}, -3),
    ({"eval": {"$ceil": [2.1]}}, 3),
    # logic
    ({"eval": {"if": "port", "then": {"q": "yes"}, "else": {"q": "no"}}}, "yes"),
    ({"eval": {"if": "nothing", "then": "port", "else": "base"}}, "/srv"),
    ({"eval": {"if": "nothing", "then": "port"}}, False),
    ({"eval": {"if": "port", "else": "base"}}, True),
    ({"eval": {"and": ["port", "base"]}}, "/srv"),
    ({"eval": {"and": ["nothing", "base"]}}, None),
    ({"eval": {"or": ["nothing", "base"]}}, "/srv"),
    ({"eval": {"or": ["nothing", {"q": 0}]}}, 0),
    ({"eval": {"not": "nothing"}}, True),
    ({"eval": {"not": "::db::tags"}}, False),
    ({"q": {"get_input": "size"}}, {"get_input": "size"}),
    ({"eval": {"quote": "{{ x }}"}}, "{{ x }}"),
    ({"eval": {"is_function_defined": "concat"}}, True),
    ({"eval": {"is_function_defined": "konkat"}}, False),
    ({"eval": {"validate": [{"get_input": "size"}, {"type": "integer", "minimum": 3}]}}, True),
    ({"eval": {"validate_json": [{"get_input": "size"}, {"type": "string"}]}}, False),
    # arithmetic and comparison
    ({"eval": {"eq": [".name", Q]}}, True),
    ({"eval": {"eq": [".::port", 8080]}}, True),
    ({"eval": {"eq": ["port", 8080]}}, False),
    ({"eval": {"eq": [{"eval": ".name"}, "app"]}}, True),
    ({"eval": {"ne": [{"eval": "port"}, 8080]}}, False),
    ({"eval": {"gt": ["port", 80]}}, True),
    ({"eval": {"ge": [3, {"get_input": "size"}]}}, True),
    ({"eval": {"lt": [{"q": "4 GB"}, {"q": "5000 MB"}]}}, True),
    ({"eval": {"lt": [{"q": "a"}, {"q": "b"}]}}, True),
    ({"eval": {"le": [{"q": "1 kB"}, 999]}}, False),
    ({"eval": {"add": ["port", 1]}}, 8081),
    ({"eval": {"add": [{"q": "a"}, {"q": "b"}]}}, "ab"),
    ({"eval": {"add": ["::db::tags", ["x"]]}}, ["x", "y", "x"]),
    ({"eval": {"sub": [5, 7]}}, -2),
    ({"eval": {"mul": [{"get_input": "size"}, 2.5]}}, 7.5),
    ({"eval": {"div": [9, 3]}}, 3),
    ({"eval": {"div": [1, 4]}}, 0.25),
    ({"eval": {"mod": [9, 4]}}, 1),
    ({"eval": {"pow": [2, 10]}}, 1024),
    ({"eval": {"scalar": "4 kB"}}, 4000),
    ({"eval": {"scalar": "1.5 h"}}, 5400),
    ({"eval": {"scalar_value": "4 GB", "unit": "MB"}}, 4000),
    ({"eval": {"scalar_value": ["1 GiB", "GB"], "round": 2}}, 1.07),
    ({"eval": {"scalar_value": "512 MB"}}, 512),
    ({"eval": {"scalar_value": "6.7 mb", "unit": "mb", "round": "ceil"}}, 7),
    ({"eval": {"scalar_value": "6.7 mb", "unit": "mb", "round": "floor"}}, 6),
    ({"eval": {"scalar_value": "6.7 mb", "unit": "mb", "round": "round"}}, 7),
    ({"eval": {"scalar_value": "4 GB", "unit": "MB", "round": "ceil"}}, 4000),
    # names and texts
    ({"eval": "$b", "vars": {"b": [1]}, "foreach": {"value": {"content": {"eval": "$item"}}}}, [{"content": 1}]),
    ({"eval": "$b", "vars": {"b": [1]}, "foreach": {"content": {"eval": "$item"}}}, [{"content": 1}]),
    ({"eval": "$b", "vars": {"b": [1]}, "foreach": {"value": {}}}, [{}]),
    ({"eval": "$b", "vars": {"b": {"a": 1}}, "select": {"size": {"eval": "a"}}}, {"size": 1}),
    ({"eval": "$b", "vars": {"b": {"a": 1}}, "select": {"size": "{{ 1 + 1 }}"}}, {"size": 2}),
    ({"eval": "$b", "vars": {"b": {"a": 1}}, "select": {"value": {"eval": "a"}}}, 1),
    ({"eval": "$b", "vars": {"b": [{"a": 1}, {"a": 2}]}, "select": {"value": {"eval": "a"}}}, [1, 2]),
    ({"eval": {"to_env": {"A": False, "B": True}}}, {"A": "", "B": "true"}),
    ({"eval": {"urljoin": ["http", "example.org", 8080, "/a b"]}}, "http://example.org:8080/a%20b"),
    ({"eval": {"urljoin": ["https", "example.org", 443, "a", "q=1", "top"]}}, "https://example.org/a?q=1#top"),
    ({"eval": {"urljoin": ["http", None]}}, "http:"),
    ({"eval": {"urljoin": ["", "", "", "a/b", "q=1"]}}, "a/b?q=1"),
    ({"eval": {"urljoin": ["", "example.org", 80, "a"]}}, "//example.org:80/a"),
    ({"eval": {"urljoin": ["", None]}}, None),
    ({"eval": {"portspec": "8080:80/udp"}}, {"source": 8080, "target": 80, "protocol": "udp", "spec": "8080:80/udp"}),
    ({"eval": {"portspec": 80}, "select": "spec"}, "80/tcp"),
    ({"eval": {"portspec": 80}, "select": "source"}, 80),
    ({"eval": {"portspec": {"source": 1, "target": 2}}, "select": "spec"}, "1:2/tcp"),
    # the outside
    ({"get_env": "HOME"}, "/home/me"),
    ({"get_env": ["ABSENT", "default"]}, "default"),
    ({"get_env": "ABSENT"}, None),
    ({"concat": ["<", {"get_env": "ABSENT"}, ">"]}, "<>"),
    ({"get_env": None}, {"HOME": "/home/me", "PATH": "/bin", "A_1": "1", "A_2": "2"}),
    ({"has_env": "HOME"}, True),
    ({"has_env": "ABSENT"}, False),
    ({"eval": {"local": "proxy"}}, "http://proxy"),
    ({"eval": {"secret": "pw"}}, "hunter22"),
    ({"eval": {"external": "net"}, "select": "subnet"}, "10.0.0.0/8"),
    ({"eval": {"external": "local"}, "select": "proxy"}, "http://proxy"),
    ({"eval": {"external": "secret"}, "select": "pw"}, "hunter22"),
    ({"eval": {"external": "localhost"}, "select": ".name"}, "localhost"),
    ({"eval": {"container_image": "nginx"}, "select": "name"}, "nginx"),
    ({"eval": {"container_image": "quay.io:5000/a/nginx:1.2"}, "select": "registry"}, "quay.io:5000"),
    ({"eval": {"container_image": "quay.io/a/nginx:1.2"}, "select": "name"}, "a/nginx"),
    ({"eval": {"container_image": "a/nginx:1.2@sha256:0f"}, "select": "digest"}, "sha256:0f"),
    ({"eval": {"container_image": "a/nginx:1.2"}, "select": "tag"}, "1.2"),
    ({"eval": {"container_image": "a/nginx:1.2"}}, "a/nginx:1.2"),
    ({"eval": {"sensitive": "x"}}, "x"),
    ({"eval": {"to_env": {"A": "${HOME}/a", "B": "${NO:dflt}", "C": None}}}, {"A": "/home/me/a", "B": "dflt"}),
    (
        {"eval": {"to_env": {"+A_*": None, "-A_2": None, "+NO": "d", "^PATH": "/opt"}}},
        {"A_1": "1", "NO": "d", "PATH": "/opt:/bin"},
    ),
    ({"eval": {"get_ensemble_metadata": "deployment"}}, "shop"),
    ({"eval": {"get_ensemble_metadata": None}, "select": "deployment"}, "shop"),
    # files
    ({"eval": {"file": "image.txt"}, "select": "contents"}, "contents"),
    (
        {"eval": {"file": "image.txt", "encoding": "binary"}, "select": "contents"},
        base64.b64encode(b"contents").decode(),
    ),
    ({"eval": {"file": "data.json", "encoding": "json"}, "select": "contents::a"}, 1),
    ({"eval": {"file": "data.json", "encoding": "yaml"}, "select": "contents"}, {"a": 1, "t": "{{ 1 }}"}),
    ({"eval": {"file": "vars.env", "encoding": "env"}, "select": "contents"}, {"A": "1", "B": "x y"}),
    ({"eval": {"file": "a.txt", "dir": "sub"}, "select": "contents"}, "in sub"),
    ({"eval": {"file": "image.txt"}, "select": "encoding"}, "utf-8"),
    # Ansible and Python
    ({"eval": {"template": "{{ SELF.port }}"}}, 8080),
    ({"eval": {"template": {"path": "site.j2"}}}, "port 8080"),
    (
        {
            "eval": {
                "template": "[% SELF.port %]",
                "overrides": {"variable_start_string": "[%", "variable_end_string": "%]"},
            }
        },
        8080,
    ),
    ({"eval": {"lookup": {"ansible.builtin.items": [["a", "b"]]}}}, "a,b"),
    ({"eval": {"lookup": {"dict": {"a": 1}, "wantlist": True}}}, [{"key": "a", "value": 1}]),
    ({"eval": {"python": "helpers.py#double", "args": [{"get_input": "size"}]}}, 6),
    ({"eval": {"python": "helpers.py#double", "args": {"x": "ab"}}}, "abab"),
    ({"eval": {"python": "os.path.join", "args": ["a", "b"]}}, "a/b"),
    ({"eval": {"python": "helpers.py#who"}}, "app at 8080 and 8080, 0"),
    ({"eval": {"python": "helpers.py#kind"}}, "t.App by app, t.App"),
    ({"eval": {"python": "helpers.py#who", "args": {"q": [1]}}, "vars": {"v": 1}}, "app at 8080 and 8080, 1 [1]"),
]


HELPERS = """
def double(x):
    return x * 2

def fail():
    raise ValueError('no')

def kind(ctx):
    here = ctx.currentResource
    return f"{here.type} by {here.template.name}, {here.template.type}"

def who(ctx, given=''):
    port = ctx.currentResource.attributes.get('port')
    return f"{ctx.currentResource.name} at {port} and {ctx.query('.::port')}, {ctx.vars.get('v', 0)} {given}".strip()
"""


@pytest.fixture
def full(model: Any) -> Any:
    root = model.root
    (root / "data.json").write_text('{"a": 1, "t": "{{ 1 }}"}')
    (root / "vars.env").write_text("# note\nexport A=1\nB='x y'\n")
    (root / "sub").mkdir()
    (root / "sub" / "a.txt").write_text("in sub")
    (root / "site.j2").write_text("port {{ SELF.port }}")
    (root / "helpers.py").write_text(HELPERS)
    around = model.environment
    around.environ = {"HOME": "/home/me", "PATH": "/bin", "A_1": "1", "A_2": "2"}
    around.locals = {"proxy": "http://proxy"}
    around.secrets = {"pw": "hunter22"}
    around.externals = {"net": {"subnet": "10.0.0.0/8"}}
    around.metadata = {"deployment": "shop"}
    return model


@pytest.mark.parametrize(("expression", "value"), VALUES, ids=[str(case[0]) for case in VALUES])
def test_values(full: Any, expression: Any, value: Any) -> None:
    assert full.evaluate(expression, "app") == value


PATHS: list[tuple[Any, str]] = [
    ({"eval": {"abspath": "image.txt"}}, "image.txt"),
    ({"eval": {"abspath": ["a/b", "project"]}}, "a/b"),
    ({"eval": {"abspath": ["x", "repository.lib"]}}, "lib/x"),
    ({"eval": {"abspath": ["new/x", "src", True]}}, "new/x"),
    ({"eval": {"get_dir": "ensemble"}}, ""),
    ({"eval": {"get_dir": "."}}, ""),
    ({"eval": {"get_dir": "spec.home"}}, "spec/app"),
    ({"eval": {"get_dir": "spec.local"}}, "spec/app/local"),
    ({"eval": {"get_dir": "spec.src"}}, ""),
    ({"eval": {"get_dir": "local"}}, "local/app"),
    ({"eval": {"get_dir": "unfurl.home"}}, ""),
    ({"eval": {"get_dir": "lib"}}, "lib"),
    ({"eval": {"get_dir": "src"}, "base_dir": "sub"}, "sub"),
    ({"eval": {"get_dir": "."}, "base_dir": "sub"}, ""),
    ("{{ 'x' | abspath('local') }}", "local/app/x"),
    ({"eval": {"get_dir": "project.secrets"}}, "secrets"),
    ({"eval": {"get_dir": "ensemble.secrets"}}, "secrets"),
    ({"eval": {"get_dir": ["tasks", True]}}, "tasks"),
    ("{{ 'image.txt' | abspath }}", "image.txt"),
    ("{{ 'tasks' | get_dir }}", "tasks"),
    ({"eval": {"file": "image.txt"}, "select": "path"}, "image.txt"),
    ({"eval": {"file": "image.txt"}}, "image.txt"),
    ({"eval": {"template": "{{ f.path }}"}, "vars": {"f": {"eval": {"file": "image.txt"}}}}, "image.txt"),
    ({"eval": {"abspath": "image.txt"}, "base_dir": "sub"}, "sub/image.txt"),
]


@pytest.mark.parametrize(("expression", "path"), PATHS, ids=[str(case[0]) for case in PATHS])
def test_paths(full: Any, expression: Any, path: str) -> None:
    full.environment.folders = {name: full.root / name for name in ("tasks", "local")}
    full.environment.repositories = {"lib": full.root / "lib"}
    assert full.evaluate(expression, "app") == str(full.root / path)
    assert (full.root / "new").is_dir() == ("new/x" in path)


ERRORS: list[tuple[Any, str]] = [
    ({"eval": {"konkat": ["a"]}}, 'there is no function "konkat"'),
    ({"eval": "::app", "vars": 5}, "vars must be a map"),
    ({"eval": "::app", "strict": "maybe"}, 'strict is "maybe"'),
    ({"eval": "::nobody", "strict": "required"}, "it found nothing"),
    ({"eval": {"q": None}, "strict": "notnull"}, "it is null"),
    ({"eval": {"eq": [1]}}, "eq: it takes 2 arguments"),
    ({"eval": {"eq": [1, 2], "sep": 3}}, 'eq: it takes no "sep"'),
    ({"eval": {"gt": [1, "::db::tags"]}}, "gt cannot compare a number with a list"),
    ({"eval": {"gt": [1, {"q": "x"}]}}, "gt needs numbers and got text"),
    ({"eval": {"add": [1, None]}}, "add needs numbers and got null"),
    ({"eval": {"div": [1, 0]}}, "div fails"),
    ({"eval": {"mod": [1, 0]}}, "mod fails"),
    ({"eval": {"pow": [9, 99999]}}, "too large"),
    ({"eval": {"pow": [0, -1]}}, "pow fails"),
    ({"eval": {"mul": [{"eval": {"pow": [9, 1000]}}, {"eval": {"pow": [9, 1000]}}]}}, "mul is given are too large"),
    ({"eval": {"scalar": "4"}}, "is not a scalar with a unit"),
    ({"eval": {"scalar_value": "4 GB", "round": "up"}}, 'round is "up"'),
    ({"eval": {"scalar_value": "4 GB", "unit": "s"}}, 'is not a scalar that can be converted to "s"'),
    ({"eval": {"validate": [1, {"type": "nonsense"}]}}, "is no JSON Schema"),
    ({"eval": "$b", "vars": {"b": [1]}, "foreach": {"get_propety": ["a", "b"]}}, "no function"),
    ({"eval": "$b", "vars": {"b": [1]}, "select": {"concatt": ["a", "b"]}}, "no function"),
    ({"eval": {"content": "."}}, "no function"),
    ({"eval": {"to_label": "a", "allowed": "z-a"}}, "an option of to_label is wrong"),
    ({"eval": {"to_label": "a", "max": "x"}}, 'the option max of to_label cannot be "x"'),
    ({"eval": {"portspec": "a"}}, "is not a port"),
    ({"eval": {"portspec": "99999"}}, "is not a port"),
    ({"eval": {"generate_string": {"len": 0}}}, "is not a length"),
    ({"eval": {"generate_string": {"ranges": [["z", "a"]]}}}, "ranges is not a list of pairs"),
    ({"eval": {"generate_string": 5}}, "takes a map"),
    ({"eval": {"local": "prox"}}, 'there is no local value "prox"'),
    ({"eval": {"secret": "pv"}}, 'there is no secret "pv"'),
    ({"eval": {"external": "nett"}}, 'there is no imported instance "nett"'),
    ({"eval": {"to_env": []}}, "to_env takes a map"),
    ({"eval": {"file": "nix.txt"}, "select": "contents"}, "cannot be read"),
    ({"eval": {"file": "image.txt", "encoding": "json"}, "select": "contents"}, "is not json"),
    ({"eval": {"file": "image.txt", "encoding": "klingon"}, "select": "contents"}, "is not klingon"),
    ({"eval": {"file": "../../etc/passwd"}, "select": "contents"}, "leads out of the project"),
    ({"eval": {"file": "/etc/passwd"}, "select": "contents"}, "leads out of the project"),
    ({"eval": {"abspath": "../x"}}, "leads out of the project"),
    ({"eval": {"template": {"path": "../x"}}}, "leads out of the project"),
    ({"eval": {"python": "../x.py#f"}}, "leads out of the project"),
    ({"eval": {"get_dir": "tsks"}}, 'there is no folder "tsks"'),
    ({"eval": {"tempfile": "x", "suffix": "/../../x"}}, "is not a path"),
    ({"eval": {"$length": "port"}}, "takes values of other types"),
    ({"eval": {"$in_range": ["port", {"q": [1]}]}}, "in_range takes a list of two bounds"),
    ({"eval": {"tempfile": "x", "suffix": {"eval": {"sensitive": ".x"}}}}, "no place for a secret"),
    ({"eval": {"template": {"get_attribute": ["SELF", "url"]}}}, "template takes text"),
    ({"eval": {"template": "{{ x }}", "overrides": 5}}, "overrides must be a map"),
    ({"eval": {"lookup": "env"}}, "lookup takes a map"),
    ({"eval": {"lookup": {"nolookup": 1}}}, "nolookup"),
    ({"eval": {"python": "helpers.py#nix"}}, 'there is no Python function "helpers.py#nix"'),
    ({"eval": {"python": "nomodule.f"}}, "there is no Python function"),
    ({"eval": {"python": "helpers.py#fail"}}, "helpers.py#fail fails: ValueError: no"),
    ({"eval": {"python": "os.sep"}}, "is not a function"),
    ("{{ {'python': 'os.getcwd'} | eval }}", "python cannot be used by the filters of templates"),
    ({"eval": {"concat": {"a": 1}}}, "concat: it takes a list of at least one value"),
    ({"eval": {"concat": [{"a": 1}]}}, "joins text and got a map"),
    ({"eval": {"has_env": ["a", "b"]}}, "has_env: it takes 1 argument"),
    ({"eval": {"local": ["::db::tags"], "x": 1}}, 'local: it takes no "x"'),
    ({"eval": {"local": {"get_property": ["db", "tags"]}}}, "local needs text and got a list"),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[str(case[0]) for case in ERRORS])
def test_errors(full: Any, expression: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        full.evaluator().scope(full.instance("app", url="u")).evaluate(expression, full.place)
    assert message in error.value.message
    assert error.value.place == full.place


def test_every_function_has_a_test() -> None:
    from . import test_labels, test_tosca

    tried = str(VALUES) + str(test_tosca.VALUES) + str(test_labels.CASES) + str(PATHS)
    elsewhere = {"get_operation_output", "get_artifact", "generate_string", "_generate", "tempfile"}
    for name in functions():
        assert name in elsewhere or f"'{name}'" in tried, name


def test_strict_false_does_not_hide_that_a_value_is_not_known_yet(full: Any) -> None:
    with pytest.raises(Deferred):
        full.evaluate({"eval": "::app::url", "strict": False}, "app")


def test_writing_a_file(full: Any) -> None:
    expression = {"eval": {"file": "out/a.json", "contents": {"x": {"get_input": "size"}}, "encoding": "json"}}
    full.environment.check = True
    full.evaluate({**expression, "select": "path"}, "app")
    assert not (full.root / "out").exists(), "a dry run writes nothing"
    full.environment.check = False
    assert full.evaluate({**expression, "select": "contents::x"}, "app") == 3
    assert (full.root / "out" / "a.json").read_text() == '{\n  "x": 3\n}'
    with pytest.raises(InvalidInput, match="written in clear"):
        full.evaluate({"eval": {"file": "p", "contents": {"eval": {"secret": "pw"}}}, "select": "path"}, "app")
    with pytest.raises(InvalidInput, match="leads out"):
        full.evaluate({"eval": {"file": "../p", "contents": "x"}, "select": "path"}, "app")


def test_a_folder_that_the_user_allows(full: Any, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "a").write_text("there")
    full.environment.allowed = (other,)
    assert full.evaluate({"eval": {"file": str(other / "a")}, "select": "contents"}, "app") == "there"


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ({"encoding": "yaml", "suffix": ".x"}, "a: 1\n"),
        ({"encoding": "env", "suffix": ".x"}, "a=1\n"),
        ({"encoding": "json", "suffix": ".x"}, '{\n  "a": 1\n}'),
        ({"suffix": ".yml"}, "a: 1\n"),
        ({"suffix": ".x"}, '{\n  "a": 1\n}'),
    ],
)
def test_temporary_files(full: Any, form: dict[str, str], written: str) -> None:
    full.environment.folders = {"tmp": full.root}
    path = full.evaluate({"eval": {"tempfile": {"a": 1}, **form}}, "app")
    assert path.startswith(str(full.root))
    assert path.endswith(form["suffix"])
    assert (full.root / path).read_text() == written
    assert full.evaluate({"eval": {"tempfile": {"a": 1}, **form}, "select": "contents"}, "app") == written


def test_the_contents_of_a_temporary_file_are_as_sensitive_as_what_was_given(full: Any) -> None:
    full.environment.folders = {"tmp": full.root}
    made = full.evaluate({"eval": {"tempfile": {"a": {"eval": {"secret": "pw"}}}}, "select": "contents"}, "app")
    assert is_sensitive(made)


def test_generated_strings_are_always_the_same_for_the_same_value(full: Any) -> None:
    password = {"_generate": {"preset": "password"}}
    full.node(
        "u", {"a": password, "b": password, "both": [password, password], "n": {"_generate": {"preset": "number"}}}
    )
    full.node("v", {"a": password, "r": {"eval": {"generate_string": {"ranges": [["a", "c"]], "len": 50}}}})
    first = [full.evaluate({"get_property": ["u", key]}) for key in ("a", "b")]
    again = [full.evaluate({"get_property": ["u", key]}) for key in ("a", "b")]
    both = full.evaluate({"get_property": ["u", "both"]})
    other = full.evaluate({"get_property": ["v", "a"]})
    assert first == again
    assert len({*first, *both, other}) == 5
    assert all(len(text) == 32 and repr(text) == "<<REDACTED>>" for text in first)
    assert set(full.evaluate({"get_property": ["v", "r"]})) == {"a", "b", "c"}
    number = full.evaluate({"get_property": ["u", "n"]})
    assert len(number) == 7
    assert number.isdecimal()
    full.environment.digest_key = b"another"
    assert full.evaluate({"get_property": ["u", "a"]}) != first[0]


def test_trace(full: Any) -> None:
    lines: list[str] = []
    full.environment.trace = lines.append
    full.evaluate({"eval": "::db::tags", "trace": 1}, "app")
    full.evaluate({"eval": {"secret": "pw"}, "trace": 1}, "app")
    assert lines == [
        "{eval: ::db::tags, trace: 1} from app: [x, y]",
        "{eval: {secret: pw}, trace: 1} from app: <<REDACTED>>",
    ]
