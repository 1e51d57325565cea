"""A folder of somebody who has used Ansible for long: what lies in it is found as by ansible-playbook."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

FILES = {
    "ansible.cfg": """
[defaults]
roles_path = mine/roles
inventory = inventory
vault_password_file = vault-password
""",
    "inventory/ensemble.yml": "plugin: tosca.ensemble.ensemble\nensemble: ../ensemble.yaml\nhosts: all\n",
    "inventory/hosts.ini": """
elsewhere city=Rome
remote ansible_host=192.0.2.7 ansible_port=2222
[near]
here ansible_connection=local
""",
    "group_vars/near.yml": """
greeting: "{{ 'good' }} {{ time_of_day }}"
time_of_day: day
ansible_python_interpreter: "{{ ansible_playbook_python }}"
password: "{{ vaulted_password }}"
""",
    "vault-password": "open\n",
    "library/keep.py": """
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule({"path": {"type": "path"}, "text": {}})
with open(module.params["path"], "a") as file:
    file.write(module.params["text"] + "\\n")
module.exit_json(changed=True)
""",
    "filter_plugins/loud.py": 'class FilterModule:\n    def filters(self):\n        return {"loud": str.upper}\n',
    "mine/roles/greet/tasks/main.yml": """
- name: Greet
  keep: {path: "{{ folder }}/log", text: "{{ greeting | loud }} {{ who }}"}
""",
    "mine/roles/page/tasks/main.yml": """
- name: Write
  ansible.builtin.copy: {dest: "{{ playbook_dir }}/page.html", content: Welcome}
""",
    "ensemble.yaml": """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: topology/service.yaml}
""",
    "topology/service.yaml": """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {word: {type: string, default: first}}
  node_templates:
    here: {type: tosca.nodes.Compute}
    remote: {type: tosca.nodes.Compute}
    nowhere: {type: tosca.nodes.Compute}
    tenant: {type: tosca.nodes.SoftwareComponent, requirements: [host: remote]}
    page:
      type: tosca.nodes.Root
      interfaces:
        Standard: {configure: page}
        Install: {check: {implementation: {primary: page, check_mode: true}}}
    lodger:
      type: tosca.nodes.SoftwareComponent
      requirements: [host: nowhere]
      interfaces:
        Standard:
          create:
            implementation: ansible.builtin.command
            inputs: {argv: [echo, {get_input: word}]}
    guest:
      type: tosca.nodes.SoftwareComponent
      requirements: [host: here]
      interfaces:
        Standard:
          create:
            implementation: greet
            inputs: {folder: {eval: {get_dir: project}}, who: "{{ 'you' | loud }}"}
          configure:
            implementation: {className: module, primary: keep}
            inputs:
              path: "{{ playbook_dir }}/log"
              text: "{{ greeting }} {{ hostvars.elsewhere.city }} {{ password | hash('md5') }}"
""",
}


PLAN = """
- hosts: localhost
  gather_facts: false
  tasks:
    - tosca.ensemble.plan: {ensemble: ensemble.yaml}
"""
SECRET = "sesame seeds"
DIGEST = hashlib.md5(SECRET.encode()).hexdigest()


@pytest.fixture
def project(command, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    encrypt = ["encrypt_string", "--name", "vaulted_password", SECRET]
    vaulted = command(*encrypt, cwd=folder, program="ansible-vault")
    assert vaulted.code == 0, vaulted.output
    (folder / "group_vars" / "all.yml").write_text(vaulted.stdout)
    return folder


def test_what_lies_in_the_project_is_found(command, project: Path):
    """Roles by `roles_path`; `library`, `filter_plugins` and `group_vars` beside the ensemble."""
    done = command("deploy", "--approve", cwd=project)
    assert done.code == 0, done.output
    assert (project / "log").read_text().splitlines() == ["GOOD DAY YOU", f"good day Rome {DIGEST}"]
    journal = next((project / "jobs").glob("*.events.jsonl")).read_text()
    assert '"name":"greet : Greet"' in journal, "a role is called as in ansible-playbook"
    records = [
        path.read_text(errors="replace") for path in project.rglob("*") if path.is_file() and path != project / "log"
    ]
    assert not [text for text in [done.output, *records] if SECRET in text or DIGEST in text]

    # the inventory's variables are read like any other value: what has not changed is up to date, what has is not
    assert "No changes" in command("plan", cwd=project).output
    variables = project / "group_vars" / "near.yml"
    variables.write_text(variables.read_text().replace("time_of_day: day", "time_of_day: night"))
    (project / "plan.yml").write_text(PLAN)
    plan = command("plan.yml", program="ansible-playbook", cwd=project)
    assert plan.code == 0 and "guest will be updated in place (greeting changed, time_of_day changed)" in plan.output, (
        plan.output
    )
    assert "null" not in plan.output
    changed = json.loads(command("plan", "--output", "json", cwd=project).stdout)
    # the role of create looks it up by itself
    assert [one["key"] for one in changed["operations"]] == ["guest:Standard.create", "guest:Standard.configure"]


SHOW = """
- hosts: tenant:remote:lodger
  gather_facts: false
  tasks:
    - ansible.builtin.debug:
        msg: "{{ inventory_hostname }} by {{ ansible_connection }}
          to {{ ansible_host | default(inventory_hostname) }}, {{ ansible_port | default(22) }}"
"""


def test_what_other_sources_say_of_a_machine_holds(command, project: Path):
    """A machine without an address is what the inventory says, beside the plugin and for what it hosts.

    Jobs do not take a machine for a host of the inventory because it is recorded.
    """
    deploy = ("deploy", "--approve", "--limit", "lodger,nowhere,tenant,remote")
    assert command(*deploy, cwd=project).code == 0
    done = command(*deploy, "--input", "word=second", cwd=project)
    assert done.code == 0 and "lodger: create changed" in done.output, done.output
    (project / "show.yml").write_text(SHOW)
    shown = command("show.yml", program="ansible-playbook", cwd=project)
    assert shown.code == 0, shown.output
    assert '"msg": "remote by ssh to 192.0.2.7, 2222"' in shown.output
    assert '"msg": "tenant by ssh to 192.0.2.7, 2222"' in shown.output
    assert '"msg": "lodger by ssh to nowhere, ' in shown.output


def test_a_role_in_check_mode_finds_drift(command, project: Path):
    page = project / "page.html"
    assert command("deploy", "--approve", "--limit", "page", cwd=project).code == 0
    assert command("check", "--detailed-exitcode", cwd=project).code == 0
    page.write_text("Go away")
    found = command("check", "--detailed-exitcode", cwd=project)
    assert found.code == 2, found.output
    assert "status: ok -> drifted" in found.output
    assert "page: check found drifted:\n  it would be changed by page : Write" in found.output
    assert "- Go away" in found.output and page.read_text() == "Go away"
    again = command("check", "--detailed-exitcode", cwd=project)
    assert again.code == 2 and "Check complete! 1 instance: 1 drifted." in again.output, again.output
    assert command("deploy", "--approve", "--limit", "page", cwd=project).code == 0
    assert page.read_text() == "Welcome"
