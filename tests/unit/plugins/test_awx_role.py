"""What the role awx gives to the modules of awx.awx, against what these declare."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[3]
ROLE = REPOSITORY / "roles" / "awx"
#: What `make community` installs.
MODULES = REPOSITORY / ".build" / "community" / "ansible_collections" / "awx" / "awx" / "plugins" / "modules"


class Loader(yaml.SafeLoader):
    """Reads tasks, whose texts may be unsafe."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


OBJECTS: dict[str, dict[str, Any]] = yaml.load((ROLE / "vars" / "main.yml").read_text(), Loader)["awx_objects"]


def declared(module: str) -> dict[str, Any]:
    """The argument specification that a module of awx.awx has in its source."""
    tree = ast.parse((MODULES / f"{module.removeprefix('awx.awx.')}.py").read_text())
    [call] = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "argument_spec"
    )
    assert isinstance(call, ast.Call)
    return {str(one.arg): {str(key.arg): key.value for key in one.value.keywords} for one in call.keywords}  # type: ignore[attr-defined]


@pytest.mark.skipif(not MODULES.is_dir(), reason="make community installs the collection awx.awx")
@pytest.mark.parametrize("kind", OBJECTS)
def test_modules_get_what_they_declare(kind: str) -> None:
    known, given = declared(OBJECTS[kind]["module"]), OBJECTS[kind]["arguments"]
    assert given.keys() <= known.keys()
    assert {name for name, said in known.items() if "required" in said} <= given.keys()
    for name, value in given.items():
        if "choices" in known[name] and isinstance(known[name]["choices"], ast.List) and "{{" not in str(value):
            assert value in ast.literal_eval(known[name]["choices"])


def test_a_kind_comes_after_those_that_it_needs() -> None:
    before: set[str] = set()
    for kind, said in OBJECTS.items():
        assert before >= {*said.get("needs", ())}, kind
        before.add(kind)


def test_each_module_gets_its_arguments_and_the_linter_knows_of_it() -> None:
    used = {said["module"] for said in OBJECTS.values()}
    task = yaml.safe_load((ROLE / "tasks" / "object.yml").read_text())[0]
    assert task["module_defaults"].keys() == used
    assert {*yaml.safe_load((REPOSITORY / ".ansible-lint").read_text())["mock_modules"]} == used


def test_tasks_hide_no_variable_of_the_role() -> None:
    variables = yaml.load((ROLE / "vars" / "main.yml").read_text(), Loader).keys()
    tasks = [task for file in (ROLE / "tasks").glob("*.yml") for task in yaml.safe_load(file.read_text())]
    used = {name for task in tasks for name in (*task.get("vars", ()), *task.get("ansible.builtin.set_fact", ()))}
    assert "awx_title" in used
    assert used & variables == set()


def test_each_variable_has_a_default_or_is_asked_for() -> None:
    specs = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    assert defaults == {name: said["default"] for name, said in specs.items() if not said.get("required")}


def test_kinds_that_are_kept_can_be_looked_for() -> None:
    specs = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    for kind in specs["awx_keep"]["choices"]:
        assert not OBJECTS[kind]["module"].endswith(("node", "role"))
