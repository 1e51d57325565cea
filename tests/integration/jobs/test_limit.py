"""A pattern of Ansible's limits a job to the same instances by the command, the module and the playbooks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Service:
    derived_from: tosca.nodes.Root
    capabilities: {host: {type: tosca.capabilities.Container}}
    requirements:
      - host:
          capability: tosca.capabilities.Container
          relationship: tosca.relationships.HostedOn
          occurrences: [0, 1]
    interfaces: {Standard: {create: "echo made"}}
topology_template:
  node_templates:
    web1: {type: tosca.nodes.Compute}
    web2: {type: tosca.nodes.Compute}
    db1: {type: tosca.nodes.Compute}
    shop: {type: Service, requirements: [{host: web1}]}
    cart: {type: Service, requirements: [{host: shop}]}
    news: {type: Service, requirements: [{host: web2}]}
    orders: {type: Service, requirements: [{host: db1}]}
    lone: {type: Service}
  groups:
    front: {type: tosca.groups.Root, members: [shop, news]}
"""
HOSTS = """
all:
  children:
    web: {hosts: {web1: {}, web2: {}}}
    db: {hosts: {db1: {}}}
    prod: {hosts: {web1: {}, db1: {}}}
"""
#: The patterns that name hosts of the inventory, with what they leave; the playbook takes these by `-l`.
OF_HOSTS = {
    "web:&prod": "web1 shop cart",
    "all:!web": "db1 orders lone",
    "web[1]": "web2 news",
    "~w.*2": "web2 news",
    "@retry": "db1 orders",
}
#: Those that name instances and their groups.
OF_INSTANCES = {
    "shop": "shop cart",
    "front": "shop cart news",
    "web*:!cart": "web1 shop web2 news",
    "template_orders,lo*": "orders lone",
    "localhost": "lone",
}
MODULE = """
- hosts: localhost
  gather_facts: false
  tasks:
    - tosca.ensemble.plan: {ensemble: service.yaml, limit: "{{ item }}", show: false}
      loop: "{{ patterns }}"
      register: planned
    - ansible.builtin.copy:
        content: "{{ planned.results | map(attribute='plan') | to_json }}"
        dest: "{{ playbook_dir }}/plans.json"
        mode: "600"
"""


@pytest.fixture
def project(tmp_path: Path, command: Callable) -> Path:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "hosts.yml").write_text(HOSTS)
    (tmp_path / "retry").write_text("db1\n")
    assert command("trust", ".").code == 0
    return tmp_path


def changed(plan: dict) -> set[str]:
    return {change["address"] for change in plan["resource_changes"]}


def test_command_module_and_playbook_choose_the_same(command: Callable, project: Path):
    patterns = OF_HOSTS | OF_INSTANCES
    left = {pattern: set(names.split()) for pattern, names in patterns.items()}
    (project / "module.yml").write_text(MODULE)
    variables = json.dumps({"patterns": list(patterns)})
    done = command("-i", "hosts.yml", "module.yml", "-e", variables, program="ansible-playbook")
    assert done.code == 0, done.output
    by_module = json.loads((project / "plans.json").read_text())
    assert dict(zip(patterns, map(changed, by_module))) == left
    for pattern in ("web:&prod", "template_orders,lo*"):
        done = command("plan", "service.yaml", "-i", "hosts.yml", "-l", pattern, "--output", "json")
        assert changed(json.loads(done.stdout)) == left[pattern], done.output
    for options in (("-l", "web:&prod"), ("-e", "ensemble_limit=web:&prod")):
        arguments = (
            "tosca.ensemble.plan",
            "-i",
            "hosts.yml",
            "-e",
            "ensemble=service.yaml ensemble_plan_file=plan.json",
            *options,
        )
        done = command(*arguments, program="ansible-playbook")
        assert done.code == 0, done.output
        assert changed(json.loads((project / "plan.json").read_text())) == left["web:&prod"]


def test_a_playbook_under_a_limit_does_the_job_once(command: Callable, project: Path):
    """Also where the limit leaves several hosts of the inventory, and the controller is none of them."""
    (project / "hosts.yml").write_text("all: {hosts: {edge1: {}, edge2: {}}}")
    arguments = ("tosca.ensemble.deploy", "-i", "hosts.yml", "-e", "ensemble=service.yaml", "-l", "edge*")
    done = command(*arguments, program="ansible-playbook")
    assert done.code == 2 and 'the limit \\"edge*\\" leaves no instance' in done.output, done.output
    done = command(*arguments, "-e", "ensemble_limit=lone", program="ansible-playbook")
    assert done.code == 0, done.output
    status = yaml.safe_load((project / "ensemble.yaml").read_text())["status"]
    assert list(status["instances"]) == ["lone"]
    assert len((project / "jobs.tsv").read_text().splitlines()) == 2


#: Options that Ansible would skip the job for, and the words that refuse them.
SKIPPED = {
    "-l shop": "--limit shop matches no host of an inventory",
    "--start-at-task none": "without --start-at-task",
}


@pytest.mark.parametrize("options", SKIPPED)
def test_options_that_would_skip_the_job_are_refused(command: Callable, project: Path, options: str):
    done = command("tosca.ensemble.deploy", "-e", "ensemble=service.yaml", *options.split(), program="ansible-playbook")
    assert done.code and SKIPPED[options] in done.output, done.output
    assert not (project / "jobs.tsv").exists()


def test_a_saved_plan_takes_no_other_filter(command: Callable, project: Path):
    assert command("plan", "service.yaml", "-l", "lone", "--out", "plan.json").code == 0
    refused = command("deploy", "plan.json", "-l", "shop")
    assert refused.code == 2 and "is not a plan for limit shop" in refused.output
    assert command("deploy", "plan.json", "-l", "lone", "--check").code == 0
