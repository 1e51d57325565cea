"""The schema of a module's arguments takes what Ansible takes, and what it refuses is refused by validate as well."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ansible_ensemble.configurators.argument_schema import argument_schema
from ansible_ensemble.configurators.arguments import argument_faults
from ansible_ensemble.configurators.module_spec import ModuleSpec, Option, module_spec
from ansible_ensemble.documents.yaml import parse_yaml

COMPUTED = {"anyOf": [{"type": "object", "required": ["get_input"]}, {"type": "string", "pattern": "{{"}]}
#: Beside those of validate: what a schema cannot tell.
UNTOLD = ("{path: null}",)


def _cases() -> Any:
    """The cases that validate is held to."""
    path = Path(__file__).with_name("test_arguments.py")
    spec = importlib.util.spec_from_file_location("_arguments", path)
    assert spec is not None
    assert spec.loader is not None
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    return cases


CASES = _cases()


def is_taken(spec: ModuleSpec, text: str) -> bool:
    schema = argument_schema(spec, COMPUTED, r"^\+")
    Draft202012Validator.check_schema(schema)
    return bool(Draft202012Validator(schema).is_valid(parse_yaml(text, "s.yaml").data))


@pytest.mark.parametrize("text", [*CASES.TAKEN, "{+&: others}"])
def test_taken(text: str) -> None:
    assert is_taken(CASES.SPEC, text)


@pytest.mark.parametrize("text", [text for text, _ in CASES.REFUSED])
def test_refused(text: str) -> None:
    assert is_taken(CASES.SPEC, text) == any(one in text for one in UNTOLD)


ODD = ModuleSpec(
    {
        "level": Option("int", choices=(1, 2)),
        "port": Option(choices=("80", "443")),
        "on": Option("bool", choices=(True,)),
        "flag": Option("bool"),
        "ratio": Option("float"),
        "items": Option("list"),
    }
)


@pytest.mark.parametrize("name", ODD.options)
@pytest.mark.parametrize(
    "value",
    [*(1, 2, 3, "1", "2", 80, "80", 443, "x", True, False, "YES", "off", "true", 1.5, "1.5", "nan", "1e3"), [1]],
)
def test_it_takes_whatever_validate_takes(name: str, value: Any) -> None:
    refused = list(argument_faults(ODD, {name: value}, "x", None))
    taken = Draft202012Validator(argument_schema(ODD, COMPUTED, r"^\+")).is_valid({name: value})
    assert taken or refused


@pytest.mark.parametrize(
    ("module", "text", "taken"),
    [
        ("copy", "{dest: /a, content: x, mode: '0644'}", True),
        ("copy", "{dest: /a, contnt: x}", False),
        ("copy", "{content: x}", False),
        ("file", "{path: /a, state: directory, recurse: yes}", True),
        ("file", "{name: /a, state: folder}", False),
        ("lineinfile", "{path: /a, line: x, insertbefore: BOF}", True),
        ("lineinfile", "{path: /a, line: x, create: maybe}", False),
        ("get_url", "{url: 'http://a', dest: /a, headers: {a: b}, timeout: 5}", True),
        ("get_url", "{url: 'http://a', dest: /a, timeout: long}", False),
    ],
)
def test_modules_of_ansible(module: str, text: str, taken: bool) -> None:
    spec = module_spec(f"ansible.builtin.{module}", ())
    assert spec is not None
    assert is_taken(spec, text) == taken


def test_what_an_argument_is_for_and_its_default_are_told() -> None:
    spec = module_spec("ansible.builtin.copy", ())
    assert spec is not None
    told = argument_schema(spec, COMPUTED, r"^\+")["properties"]
    assert told["content"]["description"].startswith("When used instead of src, sets the contents")
    spec = module_spec("ansible.builtin.get_url", ())
    assert spec is not None
    assert argument_schema(spec, COMPUTED, r"^\+")["properties"]["timeout"]["default"] == 10


def test_the_default_of_a_secret_is_not_told() -> None:
    schema = argument_schema(ModuleSpec({"code": Option(default="x1", secret=True)}), COMPUTED, r"^\+")
    assert "x1" not in str(schema)
