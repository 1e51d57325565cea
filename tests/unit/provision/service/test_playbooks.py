"""Playbooks and roles that carry out actions, run by Ansible."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.provision.service.actions import ActionFailed, Invocation
from ansible_ensemble.provision.service.declared_actions import declared_actions

TASKS = """
    - ansible.builtin.copy:
        dest: "{{ playbook_dir }}/told"
        content: "{{ machine.Name }}: {{ params.address }}, {{ params.deep[0].word }}"
        mode: "0600"
"""
#: What a machine may have written into its own params, so as to be evaluated on the server.
EVIL = "{{ lookup('ansible.builtin.pipe', 'touch evil') }}"
PARAMS = {"address": EVIL, "deep": [{"word": "a\tb: \u00e9\U0001f600\x7f\n"}], EVIL: 1, "playbook_dir": "/nowhere"}


#: Shows the command line that a process was started by, and the mode of the folder of its variables.
LOOK = """
tr "\\0" "\\n" < /proc/$(ps -o ppid= $PPID | tr -d " ")/cmdline | while read -r word; do
  echo "$word"
  case $word in @*) stat -c "mode %a" "$(dirname "${word#@}")" ;; esac
done
"""


def _done(folder: Path, params: Any, **fields: Any) -> Any:
    [action] = declared_actions([{"name": "poweron", **fields}], folder)
    return asyncio.run(Invocation(action, {"Name": "m1"}, params).run())


def _playbook(folder: Path, tasks: str) -> None:
    (folder / "on.yml").write_text(f"- hosts: localhost\n  gather_facts: false\n  tasks:{tasks}")


def test_a_playbook_gets_machine_and_params_and_evaluates_none(tmp_path: Path) -> None:
    _playbook(tmp_path, TASKS)
    said = _done(tmp_path, PARAMS, playbook="on.yml")
    assert (tmp_path / "told").read_text() == f"m1: {EVIL}, {PARAMS['deep'][0]['word']}"  # type: ignore[index]
    assert "changed=1" in said
    assert not list(tmp_path.rglob("evil"))


def test_a_role_of_the_folder(tmp_path: Path) -> None:
    tasks = tmp_path / "roles" / "power" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text("- ansible.builtin.debug: {msg: 'on: {{ machine.Name }} {{ params.n + 1 }}'}\n")
    assert "on: m1 3" in _done(tmp_path, {"n": 2}, role="power")


def test_the_variables_are_on_no_command_line_and_in_no_file_that_others_can_read(tmp_path: Path) -> None:
    (tmp_path / "look").write_text(LOOK)
    _playbook(tmp_path, "\n    - debug: {msg: \"{{ lookup('pipe', 'sh ' ~ playbook_dir ~ '/look') }}\"}")
    said = _done(tmp_path, {"password": "s3cret"}, playbook="on.yml")
    assert "variables.yml" in said
    assert "mode 700" in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("tasks", "seconds", "message"),
    [
        ("\n    - ansible.builtin.fail: {msg: no answer of the BMC}", 60, "on.yml exited with status 2\n"),
        ("\n    - ansible.builtin.pause: {seconds: 600}", 1, "on.yml took longer than 1 seconds"),
    ],
)
def test_failures(tmp_path: Path, tasks: str, seconds: float, message: str) -> None:
    _playbook(tmp_path, tasks)
    with pytest.raises(ActionFailed) as failed:
        _done(tmp_path, {}, playbook="on.yml", seconds=seconds)
    assert str(failed.value).startswith(message)
    assert ("no answer of the BMC" in str(failed.value)) == ("fail" in tasks)
