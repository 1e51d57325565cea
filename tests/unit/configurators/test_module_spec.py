"""What modules and roles take is read from their documentation and source, wherever these lie."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ansible.module_utils import basic

from ansible_ensemble.configurators import module_sources
from ansible_ensemble.configurators.module_spec import ModuleSpec, module_spec, role_spec, secret_arguments

MODULE = '''
DOCUMENTATION = r"""
module: box
extends_documentation_fragment: [ansible.builtin.files, acme.tools.login, acme.tools.login.more, none.at.all]
attributes: {check_mode: {support: none}}
options:
  name: {required: yes, aliases: [title]}
  size: {type: int, default: 3}
  colour: {choices: [red, green]}
  key: {type: str}
  keep: {type: str}
  parts:
    type: list
    elements: dict
    suboptions: {code: {type: str}, number: {type: int}}
"""
raise SystemExit("never run")
from ansible_collections.acme.tools.plugins.module_utils.login import argument_spec
from ansible.module_utils.basic import AnsibleModule
spec = dict(key=dict(no_log=True), keep=dict(no_log=False), parts=dict(options={"code": {"no_log": True}}))
'''
FRAGMENT = '''
class ModuleDocFragment:
    DOCUMENTATION = """
extends_documentation_fragment: acme.tools.login.more
options: {user: {type: str}, name: {type: int, required: false}}
"""
    MORE = """
extends_documentation_fragment: acme.tools.login
options: {password: {type: str}, token: {type: str}}
"""
'''
"""Fragments that have each other."""
UTIL = 'argument_spec = {"password": dict(no_log=True)}\nargument_spec["token"] = dict(type="str", no_log=True)\n'

FILES = {
    "modules/box.py": MODULE,
    "modules/win.ps1": "",
    "modules/win.yml": "DOCUMENTATION: {options: {path: {type: path}}}",
    "modules/broken.py": "DOCUMENTATION = 'options: {a: {b}'\n",
    "modules/nothing.py": "",
    "doc_fragments/login.py": FRAGMENT,
    "module_utils/login.py": UTIL,
}


@pytest.fixture
def collections(tmp_path: Path) -> tuple[Path, ...]:
    home = tmp_path / "ansible_collections"
    for name, text in FILES.items():
        file = home / "acme/tools/plugins" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (home / "acme/tools/meta").mkdir()
    moved = "plugin_routing: {modules: {crate: {redirect: acme.tools.box}, circle: {redirect: acme.tools.circle}}}\n"
    (home / "acme/tools/meta/runtime.yml").write_text(moved)
    return (tmp_path / "nowhere", home)


def spec_of(name: str, collections: tuple[Path, ...]) -> ModuleSpec:
    found = module_spec(name, collections)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["acme.tools.box", "acme.tools.crate"])
def test_a_module_of_a_collection(collections: tuple[Path, ...], name: str) -> None:
    options = spec_of(name, collections).options
    assert {"name", "size", "user", "password", "mode", "owner"} <= options.keys()
    assert (options["name"].required, options["name"].aliases) == (True, ("title",)), "its own go before a fragment's"
    assert (options["size"].type, options["size"].default) == ("int", 3)
    assert options["colour"].choices == ("red", "green")
    assert {name for name, one in options.items() if one.secret} == {"key", "password", "token"}
    inner = options["parts"].options
    assert (options["parts"].elements, inner["code"].secret, inner["number"].secret) == ("dict", True, False)


def test_what_a_module_says_of_check_mode(collections: tuple[Path, ...]) -> None:
    assert not spec_of("acme.tools.box", collections).check_mode
    assert spec_of("ansible.builtin.file", ()).check_mode


def test_documentation_beside_a_module(collections: tuple[Path, ...]) -> None:
    assert spec_of("acme.tools.win", collections).options["path"].type == "path"


@pytest.mark.parametrize("name", ["broken", "nothing", "none", "circle"])
def test_no_documentation(collections: tuple[Path, ...], name: str) -> None:
    assert module_spec(f"acme.tools.{name}", collections) is None


def test_a_module_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text('DOCUMENTATION = "options: {a: {type: bool}}"\nspec = dict(a=dict(no_log=True))')
    found = module_spec("mine", (), (tmp_path,))
    assert found is not None
    assert (found.options["a"].type, found.options["a"].secret) == ("bool", True)


@pytest.mark.parametrize(
    ("module", "secrets"), [("copy", set()), ("uri", {"url_password"}), ("user", {"password"}), ("file", set())]
)
def test_secrets_of_modules_of_ansible(module: str, secrets: set[str]) -> None:
    options = spec_of(f"ansible.builtin.{module}", ()).options
    assert secrets == {name for name, one in options.items() if one.secret} & (
        secrets | {"path", "url", "name", "src", "content"}
    )


ROLE = (
    "argument_specs: {main: {options: {port: {type: int, required: true}}}, remove: {options: {key: {no_log: true}}}}"
)


@pytest.mark.parametrize("file", ["argument_specs.yml", "argument_specs.yaml", "main.yml"])
def test_a_role(tmp_path: Path, file: str) -> None:
    (tmp_path / "meta").mkdir()
    (tmp_path / "meta" / file).write_text(ROLE)
    found, other = role_spec(str(tmp_path), "main", ()), role_spec(str(tmp_path), "remove", ())
    assert found is not None and other is not None
    assert (found.options["port"].type, found.options["port"].required) == ("int", True)
    assert other.options["key"].secret
    assert role_spec(str(tmp_path), "none", ()) is None


def test_what_a_role_says_otherwise_than_in_lists_and_what_is_within_a_secret(tmp_path: Path) -> None:
    (tmp_path / "meta").mkdir()
    options = "{size: {choices: 5, aliases: big}, login: {type: dict, no_log: true, options: {pin: {type: int}}}}"
    (tmp_path / "meta/argument_specs.yml").write_text(f"argument_specs: {{main: {{options: {options}}}}}")
    found = role_spec(str(tmp_path), "main", ())
    assert found is not None
    assert (found.options["size"].choices, found.options["size"].aliases) == ((5,), ("big",))
    assert found.options["login"].options["pin"].secret


def test_a_role_of_a_collection(tmp_path: Path) -> None:
    meta = tmp_path / "acme/tools/roles/web/meta"
    meta.mkdir(parents=True)
    (meta / "argument_specs.yml").write_text(ROLE)
    assert role_spec("acme.tools.web", "main", (tmp_path,)) is not None
    assert role_spec("acme.tools.db", "main", (tmp_path,)) is None


@pytest.mark.parametrize("role", ["web", "web.plain"])
def test_a_relative_path_of_a_role_is_no_name_in_a_collection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    (tmp_path / role / "meta").mkdir(parents=True)
    (tmp_path / role / "meta/argument_specs.yml").write_text(ROLE)
    monkeypatch.chdir(tmp_path)
    assert role_spec(role, "main", (tmp_path,)) is not None


def test_the_source_that_every_module_imports_has_no_secret_argument(tmp_path: Path) -> None:
    (tmp_path / "basic_copy.py").write_bytes(Path(basic.__file__).read_bytes())
    assert secret_arguments("basic_copy", (), (tmp_path,)) == frozenset()


def test_a_source_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "DOCUMENTATION = '''\noptions: {token: {type: str}, force: {type: bool}}\n'''\n"
    source += "from ansible.module_utils.basic import AnsibleModule\n"
    source += "AnsibleModule({'token': {'no_log': True}, 'force': {}}, mutually_exclusive=[('token', 'force')])\n"
    (tmp_path / "thing.py").write_text(source)
    parsed = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: (parsed.append(len(text)), parse(text))[1])
    module_sources.syntax_tree.cache_clear()
    spec = module_spec("thing", (), (tmp_path,))
    assert spec and spec.options["token"].secret and not spec.options["force"].secret
    assert parsed == [len(source)]
