"""Secrets of modules without documentation that can be read: by their source, or else all that they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.jobs.planned import make_plan

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    one:
      type: ansible.Resource
      properties:
        module: mine
        args: {password: hunter2, user: plain, pw: hunter2, options: {token: hunter2}, computed: hunter2}
        absent: {module: mine, args: {password: hunter2, user: plain}}
"""
ENSEMBLE = "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
SOURCE = """\
from ansible.module_utils.basic import AnsibleModule
HIDE = bool(1)
spec = {"user": {}, "password": {"type": "str", "no_log": True, "aliases": ["pw"]}}
spec["computed"] = dict(no_log=HIDE)
AnsibleModule(argument_spec=dict(spec, options=dict(type="dict", options=dict(token=dict(no_log=True)), no_log=True)))
"""
POWERSHELL = '$spec = @{ options = @{ password = @{ type = "str"; no_log = $true }\n pw = @{ no_log = $True } } }\n'


def plan(folder: Path, name: str, content: bytes) -> str:
    (folder / "library").mkdir()
    (folder / "library" / name).write_bytes(content)
    (folder / "service.yaml").write_text(SERVICE)
    (folder / "ensemble.yaml").write_text(ENSEMBLE)
    outcome = make_plan(str(folder), "deploy", {})
    return outcome.plan.to_text()


@pytest.mark.parametrize(
    "documentation", ["", "DOCUMENTATION = '{'\n", "DOCUMENTATION = 'a'\n", "DOCUMENTATION = []\n"]
)
def test_the_source_tells_which_arguments_are_secrets(tmp_path: Path, documentation: str) -> None:
    text = plan(tmp_path, "mine.py", (documentation + SOURCE).encode())
    assert "hunter2" not in text
    assert "plain" in text


@pytest.mark.parametrize(
    "source",
    [
        "inner = dict(token=dict(no_log=1))\nAnsibleModule(argument_spec=dict(user={}, options=dict(options=inner)))\n",
        "AnsibleModule(argument_spec={'user': {}, 'options': {'options': {'token': {'no_log': True}}}})\n",
    ],
)
def test_an_argument_with_a_secret_in_it_is_one(tmp_path: Path, source: str) -> None:
    text = plan(tmp_path, "mine.py", b"from ansible.module_utils.basic import AnsibleModule\n" + source.encode())
    assert "token" not in text
    assert "plain" in text


@pytest.mark.parametrize(
    ("name", "content"),
    [("mine", b"\x7fELF\0\1"), ("mine.py", b"def ("), ("mine.sh", b"#!/bin/sh\n"), ("mine.py", b"\xff")],
)
def test_what_cannot_be_read_may_take_secrets_in_anything(tmp_path: Path, name: str, content: bytes) -> None:
    text = plan(tmp_path, name, content)
    assert "hunter2" not in text
    assert "plain" not in text


def test_powershell(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "library/mine.yml").write_text("DOCUMENTATION: {options: {}}\n")
    service = SERVICE.replace(", options: {token: hunter2}, computed: hunter2", "")
    (tmp_path / "service.yaml").write_text(service)
    (tmp_path / "ensemble.yaml").write_text(ENSEMBLE)
    (tmp_path / "library/mine.ps1").write_text(POWERSHELL)
    (tmp_path / "library/mine.yml").unlink()
    text = make_plan(str(tmp_path), "deploy", {}).plan.to_text()
    assert "hunter2" not in text
    assert "plain" in text
