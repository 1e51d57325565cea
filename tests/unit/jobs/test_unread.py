"""Validate names inputs and variables that nothing reads, and none that something may read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.validate import validate_path

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    port: {type: integer, default: 80}
    prot: {type: integer, default: 80, description: the port}
  node_templates:
    web:
      role: web
      vars: {port: {get_input: port}, colour: red, ansible_become: false}
    list:
      tasks: tasks.yml
      vars: {item_name: a, itme: b}
"""
FILES = {
    "roles/web/tasks/main.yml": "- debug: {msg: '{{ port }} {{ color }}'}\n",
    "tasks.yml": "- debug: {msg: '{{ item_name }}'}\n",
    "README.md": "prot, colour and itme are set.\n",
}
UNREAD = [
    "service.yaml:5:11: nothing reads the input 'prot'",
    "service.yaml:9:47: nothing reads the variable 'colour' of 'web'",
    "service.yaml:12:34: nothing reads the variable 'itme' of 'list'",
]


def unread(folder: Path, service: str, files: dict[str, str]) -> list[str]:
    for name, text in {**FILES, **files, "service.yaml": service}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = validate_path(str(folder / "service.yaml"), JobOptions())
    assert found["errors"] == []
    codes = [notice["code"] for notice in found["notices"]]
    told = [text for text, code in zip(found["warnings"], codes, strict=True) if code == "unread"]
    return [text.replace(f"{folder}/", "") for text in told]


def test_what_nothing_reads_is_named_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert unread(tmp_path, SERVICE, {}) == UNREAD


@pytest.mark.parametrize(
    "files",
    [
        {"roles/web/templates/a.j2": "{{ prot }}{{ colour }}{{ itme }}"},
        {"group_vars/all.yml": "other: '{{ prot ~ colour ~ itme }}'\n"},
        {"roles/web/tasks/more.yml": "- debug: {msg: \"{{ lookup('vars', 'col' ~ 'our') }}\"}\n"},
        {"roles/web/tasks/more.yml": "- debug: {msg: \"{{ vars['col' ~ 'our'] }}\"}\n"},
        {"roles/web/tasks/more.yml": "- include_role:\n    name: '{{ item }}'\n"},
        {"playbooks/site.yml": "- {hosts: all, tasks: [{debug: {msg: '{{ prot }}{{ colour }}{{ itme }}'}}]}\n"},
        {"files/large": "x" * 600_000},
    ],
)
def test_what_may_be_read_is_not_named(tmp_path: Path, files: dict[str, str]) -> None:
    assert unread(tmp_path, SERVICE, files) == []


def test_an_input_that_is_read_by_a_template_or_an_output_is_read(tmp_path: Path) -> None:
    service = SERVICE.replace("colour: red", "color: '{{ inputs.prot }}'").replace("itme: b", "item_name2: b")
    service += "  outputs: {o: {value: {get_input: prot}}}\n"
    assert unread(tmp_path, service, {"tasks.yml": "- debug: {msg: '{{ item_name }}{{ item_name2 }}'}\n"}) == []
