"""A key of an implementation acts, or is refused by name with where to say it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.command import CommandConfigurator
from ansible_ensemble.configurators.registry import configurator_for
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, ModuleCall, Outcome
from ansible_ensemble.language.entities import ParameterDefinition, Schema

from .conftest import carry_out, operation

#: className -> keys that act with it.
HONOURED = {
    "command": (
        "preConditions",
        "become",
        "changed_when",
        "failed_when",
        "no_log",
        "until",
        "retries",
        "serial",
        "idempotent",
        "vars",
    ),
    "script": ("environment", "delegate_to", "fast", "description"),
    "module": ("changed_when", "failed_when", "until", "check_mode", "become_flags", "connection", "port"),
    "tasks": ("gather_facts", "become", "environment", "vars"),
    "role": ("remote_user", "no_log"),
    "playbook": ("environment", "check_mode"),
    "python": ("environment",),
    "terraform": ("environment", "retries"),
    "delegate": ("metadata",),
}
_TARGETS = {"script": "x.sh", "tasks": "t.yml", "playbook": "p.yml", "role": "web", "module": "ping", "command": "true"}


def implemented(project: Path, name: str, **more: Any) -> Any:
    (project / "roles/web/tasks").mkdir(parents=True, exist_ok=True)
    files = {"t.yml": "- ping:\n", "x.sh": "", "p.yml": "- hosts: all\n", "roles/web/tasks/main.yml": "- ping:\n"}
    for file, text in files.items():
        (project / file).write_text(text)
    inputs = more.pop("inputs", None)
    named = {"python": "x.sh#Mine"}.get(name, name)
    return operation({"class_name": named, "primary": _TARGETS.get(name, ""), **more}, base=project, inputs=inputs)


@pytest.mark.parametrize(("name", "key"), [(name, key) for name, keys in HONOURED.items() for key in keys])
def test_keys_that_act(tmp_path: Path, name: str, key: str) -> None:
    value = {"connection": "local", "become_method": "su", "vars": {}, "port": 22, "preConditions": {}}.get(key, "yes")
    configurator_for(implemented(tmp_path, name, **{key: value}), tmp_path)


#: className, key -> a part of the hint.
REFUSED = {
    ("module", "when"): "a workflow's step has a filter",
    ("module", "loop"): "`count` of a node template",
    ("module", "with_items"): "`count` of a node template",
    ("module", "register"): "in its outputs",
    ("module", "ignore_errors"): "failed_when: false",
    ("module", "tags"): "--instance",
    ("module", "async"): "`timeout` limits one",
    ("module", "gather_facts"): "only a role and tasks",
    ("module", "becom"): "did you mean become?",
    ("command", "check_mode"): "the input dryrun",
    ("command", "shell"): "className: Cmd",
    ("role", "until"): "a task file",
    ("role", "delegate_to"): "operation_host:",
    ("tasks", "throttle"): "serial:",
    ("playbook", "become"): "write it in the playbook",
    ("playbook", "failed_when"): "write it in the playbook",
    ("terraform", "become"): None,
    ("template", "environment"): None,
    ("delegate", "until"): "a task file",
}


def test_preconditions_are_a_json_schema(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"`preConditions` of .* is no JSON Schema"):
        configurator_for(implemented(tmp_path, "command", preConditions={"properties": 1}), tmp_path)


@pytest.mark.parametrize(("name", "key"), REFUSED)
def test_keys_that_do_not(tmp_path: Path, name: str, key: str) -> None:
    with pytest.raises(InvalidInput, match=f"service.yaml:7:3: .* `{key}`, which is not supported") as caught:
        configurator_for(implemented(tmp_path, name, **{key: "x"}), tmp_path)
    hint = REFUSED[name, key]
    assert hint is None or hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "key", "hint"),
    [
        ("command", "become", "write it into the implementation"),
        ("role", "when", "a workflow's step"),
        ("module", "register", "in its outputs"),
        ("playbook", "no_log", "write it in the playbook"),
    ],
)
def test_keywords_among_the_inputs(tmp_path: Path, name: str, key: str, hint: str) -> None:
    one = implemented(tmp_path, name, inputs={key: "x"})
    with pytest.raises(InvalidInput, match=f"the input {key} of Standard.create is a keyword") as caught:
        configurator_for(one, tmp_path)
    assert hint in (caught.value.hint or "")
    one.input_definitions[key] = ParameterDefinition(key, Schema("string"))
    configurator_for(one, tmp_path)  # whoever declares it means it


def test_a_delegate_has_an_input_when(tmp_path: Path) -> None:
    configurator_for(implemented(tmp_path, "delegate", inputs={"when": False}), tmp_path)


@pytest.mark.parametrize(
    ("written", "order"),
    [
        ({}, Command),
        ({"environment": {"A": "b"}}, Command),
        ({"become": False}, Command),
        ({"retries": 3, "delay": 1}, Command),
        ({"become": True}, ModuleCall),
        ({"no_log": True}, ModuleCall),
        ({"failed_when": False}, ModuleCall),
        ({"changed_when": "false"}, ModuleCall),
        ({"until": "x is done", "retries": 3}, ModuleCall),
        ({"delegate_to": "other"}, ModuleCall),
    ],
)
def test_a_command_on_the_controller_runs_by_ansible_where_a_keyword_asks_for_it(task, written, order) -> None:
    one = task({"primary": "true", **written})
    _, orders = carry_out(CommandConfigurator("true"), one, Outcome(ok=True, changed=True))
    assert [type(made) for made in orders] == [order]
    if order is ModuleCall:
        assert written.items() <= orders[0].keywords.items()


@pytest.mark.parametrize(
    ("name", "key", "hint"),
    [
        ("role", "inventory", "operation_host names a host"),
        ("script", "keeplines", "kept as they are"),
    ],
)
def test_inputs_of_other_tools(tmp_path: Path, name: str, key: str, hint: str) -> None:
    one = implemented(tmp_path, name, inputs={key: "x"})
    with pytest.raises(InvalidInput, match=f"the input {key} of Standard.create is not supported") as caught:
        configurator_for(one, tmp_path)
    assert hint in (caught.value.hint or "")
    one.input_definitions[key] = ParameterDefinition(key, Schema("string"))
    configurator_for(one, tmp_path)  # it is a variable of the user's own


@pytest.mark.parametrize("key", ["entry_state", "postConditions"])
def test_keys_of_unfurl_that_do_nothing_are_taken(tmp_path: Path, key: str) -> None:
    configurator_for(operation({"primary": "true", "class_name": "command", key: "started"}), tmp_path)


@pytest.mark.parametrize("key", ["become", "no_log"])
def test_a_keyword_that_is_neither_true_nor_false_is_refused(tmp_path: Path, key: str) -> None:
    for value in (True, "yes", "{{ wanted }}", {"get_input": "wanted"}, None):
        configurator_for(operation({"primary": "ping", "class_name": "module", key: value}), tmp_path)
    with pytest.raises(InvalidInput, match=f"`{key}` of the implementation of .* is neither true nor false"):
        configurator_for(operation({"primary": "ping", "class_name": "module", key: "maybe"}), tmp_path)
