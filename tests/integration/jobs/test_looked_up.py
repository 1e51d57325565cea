"""Variables that a role looks up by itself count as read by its operation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Shop:
    derived_from: tosca.nodes.SoftwareComponent
    interfaces: {Standard: {configure: {implementation: shop}}}
topology_template:
  node_templates:
    web1: {type: tosca.nodes.Compute}
    shop: {type: Shop, requirements: [{host: web1}]}
"""
TASKS = """
- ansible.builtin.include_vars: more.yml
- ansible.builtin.set_fact: {shop_made: here}
- ansible.builtin.command: "echo {{ shop_made }} {{ shop_more }}"
  register: shop_said
- ansible.builtin.template: {src: page.j2, dest: "{{ playbook_dir }}/page", mode: "600"}
"""
FILES = {
    "service.yaml": SERVICE,
    "hosts.ini": f"[web]\nweb1 ansible_connection=local ansible_python_interpreter={sys.executable}\n",
    "group_vars/web.yml": "port: 80\nunread: 1\ntitle: '{{ brand }} shop'\nbrand: Acme\nshop_more: of-the-group\n",
    "host_vars/web1.yml": "shop_name: one\nshop_made: of-the-host\nshop_said: {stdout: of-the-host}\n",
    "roles/shop/defaults/main.yml": "shop_color: red\n",
    "roles/shop/vars/more.yml": "shop_more: included\n",
    "roles/shop/tasks/main.yml": TASKS,
    "roles/shop/templates/page.j2": "{{ port }} {{ shop_name }} {{ title }} {{ shop_color }} {{ shop_said.stdout }}",
}
#: Edits of a file, with what the plan says of them; where that is nothing, nothing changes.
EDITS = [
    ("group_vars/web.yml", "port: 80", "port: 81", "(port changed)"),
    ("group_vars/web.yml", "Acme", "Best", "(brand changed, title changed)"),
    ("group_vars/web.yml", "unread: 1", "unread: 2\nshop_color: blue", "(shop_color changed)"),
    ("group_vars/web.yml", "unread: 1", "unread: 2", ""),
    ("host_vars/web1.yml", "one", "two", "(shop_name changed)"),
    ("host_vars/web1.yml", "of-the-host", "other", ""),
    ("roles/shop/defaults/main.yml", "red", "blue", "(shop_color of roles/shop/defaults/main.yml changed)"),
    ("roles/shop/vars/more.yml", "included", "another", "(shop_more of roles/shop/vars/more.yml changed)"),
    ("roles/shop/files/new", "", "new", "(roles/shop/files/new (new) changed)"),
]


def test_a_changed_variable_that_a_role_looked_up_is_planned_by_its_name(command: Callable, tmp_path: Path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done = command("deploy", "service.yaml", "--approve", "-i", "hosts.ini", "-e", "shop_name=one")
    assert done.code == 0, done.output
    plan = ("plan", "service.yaml", "-i", "hosts.ini")
    assert "No changes" in command(*plan).output
    for name, old, new, said in EDITS:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(FILES[name].replace(old, new) if name in FILES else new)
        output = command(*plan).output
        assert said in output if said else "No changes" in output, (name, new, output)
        if name in FILES:
            (tmp_path / name).write_text(FILES[name])
        else:
            (tmp_path / name).unlink()
    assert "(shop_name changed)" in command(*plan, "-e", "shop_name=three").output
