"""Modules that are not there are told of with the nearest that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators.module_names import module_fault, module_file
from ansible_ensemble.configurators.registry import configurator_for
from ansible_ensemble.core.errors import InvalidInput

from .conftest import operation


@pytest.fixture
def collections(tmp_path: Path) -> list[Path]:
    home = tmp_path / "collections" / "ansible_collections"
    for name in (
        "modules/deploy.py",
        "modules/net/route.py",
        "modules/win.ps1",
        "action/send.py",
        "modules/__init__.py",
    ):
        file = home / "acme" / "tools" / "plugins" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    (home / "acme" / "tools" / "meta").mkdir()
    (home / "acme" / "tools" / "meta" / "runtime.yml").write_text(
        "plugin_routing: {modules: {moved: {redirect: other.place.moved}, renamed: {redirect: acme.tools.deploy}}}\n"
    )
    return [tmp_path / "nowhere", home]


@pytest.mark.parametrize(
    "name",
    [
        *("ansible.builtin.copy", "ansible.builtin.command", "ansible.builtin.include_vars", "ansible.legacy.mine"),
        *("acme.tools.deploy", "acme.tools.net.route", "acme.tools.win", "acme.tools.send", "acme.tools.renamed"),
        "short",
    ],
)
def test_modules_that_are_there_or_may_be(collections: list[Path], name: str) -> None:
    assert module_fault(name, collections) is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ansible.builtin.copyy", "did you mean ansible.builtin.copy?"),
        ("ansible.builtin.zzzzzz", None),
        ("acme.tools.deploi", "did you mean acme.tools.deploy?"),
        ("acme.tools.net.rout", "did you mean acme.tools.net.route?"),
        ("acme.tools.movd", "did you mean acme.tools.moved?"),
        ("acme.tools.__init", None),
        ("two.parts", None),
        ("acme.tools.../../../../outside", None),
    ],
)
def test_modules_that_are_not(collections: list[Path], name: str, hint: str | None) -> None:
    assert module_fault(name, collections) == (f"there is no module {name}", hint)


def test_no_name_leads_out_of_a_collection(collections: list[Path], tmp_path: Path) -> None:
    (tmp_path / "outside.yml").write_text("")
    assert module_file(f"acme.tools.{tmp_path}/outside", collections) is None


def test_an_operation_with_such_a_module_is_refused(collections: list[Path], tmp_path: Path) -> None:
    one = operation({"primary": "acme.tools.deploi"}, base=tmp_path)
    with pytest.raises(InvalidInput, match=r"Standard\.create: there is no module acme\.tools\.deploi") as caught:
        configurator_for(one, tmp_path)
    assert caught.value.place == one.place


def test_a_collection_that_is_not_installed(collections: list[Path]) -> None:
    message, hint = module_fault("nobody.knows.this", collections) or ("", None)
    assert message == "the collection nobody.knows of the module nobody.knows.this is not installed"
    assert hint == "install it with `ansible-galaxy collection install nobody.knows`"


@pytest.mark.parametrize(
    ("name", "collection"),
    [("ansible.builtin.mysql_user", "community.mysql"), ("acme.tools.moved", "other.place")],
)
def test_a_module_that_moved_to_a_collection_that_is_not_installed(
    collections: list[Path], name: str, collection: str
) -> None:
    message, hint = module_fault(name, collections) or ("", None)
    assert message == f"the collection {collection} of the module {name} is not installed"
    assert hint == f"install it with `ansible-galaxy collection install {collection}`"
    assert module_fault(name, collections, [f"tool-{collection}"]) is None


def test_a_module_that_was_removed(collections: list[Path]) -> None:
    runtime = collections[1] / "acme" / "tools" / "meta" / "runtime.yml"
    runtime.write_text("plugin_routing: {modules: {old: {tombstone: {warning_text: use acme.tools.deploy}}}}\n")
    removed = "the module acme.tools.old was removed"
    assert module_fault("acme.tools.old", collections) == (removed, "use acme.tools.deploy")


@pytest.mark.parametrize("tool", ["tool-nobody.knows", "tool-nobody-knows-1.0.tar.gz"])
def test_a_collection_that_is_installed_as_a_tool_first(tmp_path: Path, tool: str) -> None:
    one = operation("nobody.knows.this", base=tmp_path)
    assert configurator_for(one, tmp_path, [tool]).name == "module"
    with pytest.raises(InvalidInput, match=r"the collection nobody\.knows .* is not installed"):
        configurator_for(one, tmp_path, ["tool-nobody.else"])


def test_redirections_are_those_of_the_file_as_it_is_now(collections: list[Path]) -> None:
    runtime = collections[1] / "acme" / "tools" / "meta" / "runtime.yml"
    assert module_fault("acme.tools.gone", collections) is not None
    runtime.write_text("plugin_routing: {modules: {gone: {redirect: acme.tools.deploy}}}\n")
    assert module_fault("acme.tools.gone", collections) is None
    assert module_fault("acme.tools.moved", collections) is not None
    for text in ("[]\n", "plugin_routing: [a]\n", "plugin_routing: {modules: [a, b]}\n", "{", ""):
        runtime.write_text(text)
        assert module_fault("acme.tools.moved", collections) is not None
