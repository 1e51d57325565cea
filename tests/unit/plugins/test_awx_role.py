"""What the role awx gives to the modules of awx.awx, against what these declare."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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


def tasks(listed: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The modules of awx.awx that tasks use, with what they are given."""
    for task in listed:
        yield from tasks(task.get("block", []))
        yield from ((name, task[name]) for name in task if name.startswith("awx.awx."))


GIVEN = [
    pytest.param(name, given, id=f"{file.stem}-{name}-{given.get('name', given.get('identifier'))}")
    for file in sorted((ROLE / "tasks").glob("*.yml"))
    for name, given in tasks(yaml.load(file.read_text(), Loader))
]


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
@pytest.mark.parametrize(("module", "given"), GIVEN)
def test_modules_get_what_they_declare(module: str, given: dict[str, Any]) -> None:
    known = declared(module)
    assert given.keys() <= known.keys()
    assert {name for name, said in known.items() if "required" in said} <= given.keys()
    for name, value in given.items():
        if "choices" in known[name] and isinstance(known[name]["choices"], ast.List) and "{{" not in str(value):
            assert value in ast.literal_eval(known[name]["choices"])


def test_the_role_uses_modules_of_awx_that_the_linter_knows_of() -> None:
    used = {parameters.values[0] for parameters in GIVEN}
    assert used == set(yaml.safe_load((REPOSITORY / ".ansible-lint").read_text())["mock_modules"])
    assert len(used) > 10


def test_each_variable_has_a_default_or_is_asked_for() -> None:
    specs = yaml.safe_load((ROLE / "meta" / "argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    defaults = yaml.safe_load((ROLE / "defaults" / "main.yml").read_text())
    assert defaults == {name: said["default"] for name, said in specs.items() if not said.get("required")}
