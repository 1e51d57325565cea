from __future__ import annotations

import platform
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.language.entities import Implementation


@pytest.mark.parametrize(
    ("host", "name"),
    [("HOST", "server"), ("SELF", "app"), ("db", "db"), (None, "localhost"), ("ORCHESTRATOR", "localhost")],
)
def test_the_host_of_an_operation(model: Any, host: str | None, name: str) -> None:
    operation = model.operation(x="{{ OPERATION_HOST['.name'] }}")
    operation.implementation = Implementation("true", operation_host=host)
    assert model.evaluator().scope(model.instance("app"), operation=operation).inputs["x"] == name


def test_the_orchestrator_is_the_instance_localhost_where_there_is_one(model: Any) -> None:
    model.node("localhost", {"home": "/root"})
    assert model.evaluate({"get_property": ["ORCHESTRATOR", "home"]}, "app") == "/root"


def test_the_orchestrator_is_an_instance_of_its_own_where_there_is_none(model: Any) -> None:
    found = [model.evaluate({"eval": f"$ORCHESTRATOR::{key}"}, "app") for key in (".type", ".status", ".state")]
    assert found == ["unfurl.nodes.Localhost", "ok", "started"]
    assert model.evaluate({"eval": {"external": "localhost"}, "select": "os_type"}, "app") == platform.system().lower()
    assert "localhost" not in model.evaluate({"eval": "::*::.name"}, "app")
    assert model.evaluate({"get_attribute": ["ORCHESTRATOR", "architecture"]}, "app") == platform.machine()


def test_what_templates_know_of_the_task(model: Any) -> None:
    model.environment.job = {"workflow": "deploy", "reason": "add"}
    model.environment.check = True
    operation = model.operation(
        x="{{ task.name }} {{ task.target }} {{ task.workflow }} {{ task.reason }} {{ task.dryrun }} {{ task.timeout }}"
    )
    operation.implementation = Implementation("true", timeout=5.0)
    scope = model.evaluator().scope(model.instance("app"), operation=operation)
    assert scope.inputs["x"] == "configure app deploy add True 5.0"


def test_variables_of_the_scope(model: Any) -> None:
    model.environment.variables = {"a": "job", "b": "job"}
    scope = model.evaluator().scope(model.instance("app"), variables={"b": "scope", "item": {"k": 1}})
    assert scope.evaluate("{{ a }} {{ b }} {{ item.k }}") == "job scope 1"
    assert scope.evaluate({"eval": "$b"}) == "scope"
    assert scope.query("$item::k") == 1
    assert scope.evaluate({"eval": {"template": "{{ b }}"}, "vars": {"b": "inner"}}) == "inner"


def test_relative_files_start_where_the_scope_says(model: Any) -> None:
    (model.root / "sub").mkdir()
    (model.root / "sub" / "a").write_text("in sub")
    scope = model.evaluator().scope(model.instance("app"), base=model.root / "sub")
    assert scope.evaluate({"eval": {"file": "a"}, "select": "contents"}) == "in sub"
    assert scope.evaluate("{{ lookup('ansible.builtin.file', 'a') }}") == "in sub"


def test_encrypted_values(model: Any) -> None:
    from ansible.parsing.dataloader import DataLoader
    from ansible.parsing.vault import VaultLib, VaultSecret

    secrets = [("default", VaultSecret(b"password"))]
    text = VaultText(VaultLib(secrets).encrypt("clear text").decode())
    with pytest.raises(InvalidInput, match="no vault password to decrypt"):
        model.evaluate({"a": text}, "app")
    loader = DataLoader()
    loader.set_vault_secrets(secrets)
    model.environment.loader = lambda: loader
    value = model.evaluate({"a": text}, "app")
    assert value == {"a": "clear text"}
    assert is_sensitive(value)
    written = {"eval": {"file": "s", "contents": text, "encoding": "vault"}, "select": "contents"}
    assert model.evaluate(written, "app") == "clear text"
    assert (model.root / "s").read_text().startswith("$ANSIBLE_VAULT")
    assert model.environment.redactor.text("clear text") == "<<REDACTED>>"


def test_relationships_of_an_instance_whose_template_is_gone(model: Any) -> None:
    old = model.instance("old", "gone")
    old.host = "server"
    old.relationships = dict(model.instance("app").relationships)
    assert model.evaluate({"eval": "::old::.targets::db::name"}) == "orders"
    assert model.evaluate({"get_property": ["HOST", "os"]}, "old") == "linux"
    live = old.relationships["db#1"]
    live.attributes["session"] = 5
    assert model.evaluator().scope(old, relationship=live).evaluate({"get_attribute": ["SELF", "session"]}) == 5


def test_several_targets_of_one_requirement(model: Any) -> None:
    model.node("web", count=2)
    model.require("app", "web", "web")
    app = model.instance("app")
    scope = model.evaluator().scope(app)
    model.instance("web", url="one")
    model.instance("web_1", "web", url="two")
    assert scope.query(".requirements[.name=web]::.target::url") == ["one", "two"]
    link = type(app.relationships["db#1"])("web#2.1", "web_1")
    other = model.evaluator().scope(app, relationship=link)
    assert other.evaluate({"get_attribute": ["TARGET", "url"]}) == "two"
