"""Third-party policies act on the notifications they are made for."""

from __future__ import annotations

import json

import pytest


@pytest.mark.parametrize(
    ("trigger", "operations", "options"),
    [
        ("scale_down_trigger", ["scaling_down.scale_down"], []),
        ("scale_up_trigger", ["scaling_up.scale_up"], []),
        # its schedule ended in 2022
        ("auto_scale_trigger", ["autoscaling.retrieve_info", "autoscaling.autoscale"], ["--force"]),
    ],
)
def test_an_event_sets_off_the_actions_of_its_trigger(command, corpus, trigger, operations, options):
    folder = corpus("opera-policy-triggers")
    assert command("deploy", "--approve", "service.yaml", cwd=folder).code == 0
    told = ("--approve", "--output", "json", "--ensemble", "service.yaml")
    done = command("notify", trigger, *told, *options, cwd=folder)
    assert done.code == 0, done.output
    tasks = json.loads(done.stdout)["tasks"]
    assert [(task["instance"], task["operation"], task["status"]) for task in tasks] == [
        ("openstack_vm", operation, "ok") for operation in operations
    ]


def test_a_dry_run_is_in_the_plan_and_changes_nothing(command, tmp_path):
    target = tmp_path / "site.conf"
    target.write_text("old\n")
    (tmp_path / "service.yaml").write_text(
        f"""
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    web:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create: echo made > made
            configure:
              implementation: ansible.builtin.copy
              inputs: {{dest: {target}, content: "new\\n"}}
"""
    )
    done = command("plan", "--check", "--output", "json", "service.yaml")
    assert done.code == 0, done.output
    predictions = {
        operation["operation"]: operation["prediction"] for operation in json.loads(done.stdout)["operations"]
    }
    assert "unpredictable" in predictions["create"]
    assert predictions["configure"]["changed"] is True
    assert [(one["before"], one["after"]) for one in predictions["configure"]["diff"]] == [("old\n", "new\n")]
    assert target.read_text() == "old\n"
    assert not (tmp_path / "made").exists()
    assert not (tmp_path / "ensemble.yaml").exists()


SITE = """\
- hosts: web
  gather_facts: false
  tasks:
    - {name: Plain, shell: "true"}
    - {name: Between, copy: {content: x, dest: "{{ inventory_dir }}/x"}}
    - {name: Always, command: "true", check_mode: false}
    - {name: Too, copy: {content: x, dest: "{{ inventory_dir }}/y"}}
    - {name: Told, command: "echo new", check_mode: false, register: told, changed_when: "told.stdout == 'new'"}
"""
HOSTS = 'web: {hosts: {w1: {ansible_connection: local, ansible_python_interpreter: "{{ ansible_playbook_python }}"}}}'


def test_a_command_of_a_playbook_is_not_checked(command, tmp_path):
    (tmp_path / "site.yml").write_text(SITE)
    (tmp_path / "hosts.yaml").write_text(HOSTS)
    given = ("-i", "hosts.yaml", "--approve")
    for words in (("import", "site.yml"), ("deploy",)):
        done = command(*words, *given, cwd=tmp_path)
        assert done.code == 0, done.output
    assert "ansible_system" not in (tmp_path / "ensemble.yaml").read_text(), "nothing reads facts"
    report = json.loads(command("check", "-i", "hosts.yaml", "--output", "json", cwd=tmp_path).stdout)
    assert {one["instance"] for one in report["tasks"] if one["basis"] == "not-run"} == {"plain@w1", "always@w1"}
    assert [one["instance"] for one in report["drift"]] == ["told@w1"], "this one says itself what it changed"
