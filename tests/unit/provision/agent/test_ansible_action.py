"""Which actions are Ansible's."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.agent.job_run import is_ansible
from ansible_ensemble.provision.objects.job import JobAction

TASKS = "- name: say\n  ansible.builtin.debug:\n    msg: hello\n"


@pytest.mark.parametrize(
    ("name", "content", "meta", "expected"),
    [
        ("say.yml", TASKS, None, True),
        ("say.yaml", TASKS, {}, True),
        ("say.yml", f"---\n# comment\n{TASKS}", {}, True),
        ("say.yml", "- hosts: all\n  tasks: []\n", {}, True),
        ("say.yml", "- debug:\n    msg: !unsafe '{{ x }}'\n- debug: {msg: !vault secret}\n", {}, True),
        ("say.yml", "- when: 2022-13-45\n", {}, True),
        ("say.yml", "- when: !!python/none x\n", {}, True),
        ("say.yml", "[" * 5000, {}, False),
        ("say", TASKS, {}, False),
        ("say.sh", TASKS, {}, False),
        ("say.yml", "key: value\n", {}, False),
        ("say.yml", "- one\n- two\n", {}, False),
        ("say.yml", "[]\n", {}, False),
        ("say.yml", "", {}, False),
        ("say.yml", "- {broken\n", {}, False),
        ("say.yml", f"#!/usr/bin/env ansible-playbook\n{TASKS}", {}, False),
        ("say", TASKS, {"Interpreter": "ansible"}, True),
        ("say", "anything", {"Interpreter": "ansible"}, True),
        ("say.yml", TASKS, {"Interpreter": "python3"}, False),
    ],
)
def test_an_action(name: str, content: str, meta: dict[str, str] | None, expected: bool) -> None:
    assert is_ansible(JobAction(name=name, path="", content=content, meta=meta)) is expected
