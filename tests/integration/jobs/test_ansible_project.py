"""A folder of somebody who has used Ansible for long: what lies in it is found as by ansible-playbook."""

from __future__ import annotations

from pathlib import Path

import pytest

FILES = {
    "ansible.cfg": "[defaults]\nroles_path = mine/roles\ninventory = inventory/hosts.ini\n",
    "inventory/hosts.ini": "[near]\nhere ansible_connection=local\n",
    "group_vars/near.yml": "greeting: good day\nansible_python_interpreter: '{{ ansible_playbook_python }}'\n",
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
    "ensemble.yaml": """
apiVersion: tosca-ensemble/v1
kind: Ensemble
spec: {service_template: topology/service.yaml}
""",
    "topology/service.yaml": """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    here: {type: tosca.nodes.Compute}
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
            inputs: {path: {eval: {abspath: [log, project]}}, text: a module by its short name}
""",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    return folder


def test_what_lies_in_the_project_is_found(command, project: Path):
    """Roles by `roles_path`; `library`, `filter_plugins` and `group_vars` beside the ensemble."""
    done = command("deploy", "--approve", cwd=project)
    assert done.code == 0, done.output
    assert (project / "log").read_text().splitlines() == ["GOOD DAY YOU", "a module by its short name"]
    journal = next((project / "jobs").glob("*.events.jsonl")).read_text()
    assert '"name":"greet : Greet"' in journal, "a role is called as in ansible-playbook"
