"""The value of an expression from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.jobs.inspection import query
from ansible_ensemble.projects.vault import Vault

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties:
      port: {type: integer, default: 80}
      password: {type: string, default: canary, metadata: {sensitive: true}}
topology_template:
  inputs: {word: {type: string, default: hello}}
  node_templates:
    app: {type: App}
"""
ENSEMBLE = """\
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: service.yaml}
status: {instances: {app: {template: app, readyState: {local: ok}}}}
"""


@pytest.fixture
def ensemble(tmp_path: Path) -> str:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("expression", "instance", "value"),
    [
        ("::app::port", None, 80),
        ("port", "app", 80),
        ("{get_property: [SELF, port]}", "app", 80),
        (" {get_input: word}\n", None, "hello"),
        ("[{get_input: word}, '{{ 1 + 1 }}']", None, ["hello", 2]),
        ("{{ SELF.port + 1 }}", "app", 81),
        ("{% if SELF.port %}there{% endif %}", "app", "there"),
        ("::app::password", None, REDACTED),
        ("[{get_property: [SELF, password]}, {get_property: [SELF, port]}]", "app", [REDACTED, 80]),
        ("{concat: ['it is ', {get_property: [SELF, password]}]}", "app", REDACTED),
        ("::nowhere", None, None),
    ],
)
def test_values(ensemble: str, expression: str, instance: str | None, value: Any) -> None:
    assert query(ensemble, expression, instance, {}) == value


def test_inputs_may_be_given(ensemble: str) -> None:
    assert query(ensemble, "{get_input: word}", None, {"inputs": {"word": "given"}}) == "given"


def test_an_instance_that_is_not_there(ensemble: str) -> None:
    with pytest.raises(InvalidInput, match='no instance "ap"') as caught:
        query(ensemble, ".name", "ap", {})
    assert caught.value.hint == "did you mean app?"


@pytest.mark.parametrize("nested", [False, True])
def test_a_variable_that_is_encrypted_is_no_value(ensemble: str, tmp_path: Path, nested: bool) -> None:
    password = tmp_path / "password"
    password.write_text("open sesame")
    closed = Vault([str(password)]).encrypt("canary")
    given: dict[str, Any] = {"variables": {"login": {"word": closed} if nested else closed}}
    expression = "{{ login.word }}" if nested else "{{ login }}"
    with pytest.raises(InvalidInput, match="no vault password to decrypt"):
        query(ensemble, expression, None, given)
    assert query(ensemble, "{{ 1 + 1 }}", None, given) == 2
    assert query(ensemble, expression, None, {**given, "vault_ids": [str(password)]}) == REDACTED
