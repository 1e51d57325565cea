"""The inventory plugin turns an ensemble's instances into hosts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

MACHINES = """
plugin: tosca.ensemble.ensemble
ensemble: web/ensemble.yaml
"""
INVENTORY = f"""{MACHINES}
hosts: all
values: true
group_by: [type, status]
compose:
  service: ensemble_instance.properties.port | default(80)
groups:
  working: ensemble_instance.status == 'ok'
"""


def listed(run) -> dict:
    assert run.code == 0, run.output
    decoder = json.JSONDecoder(object_hook=lambda item: item.get("__ansible_unsafe", item))
    found, _end = decoder.raw_decode(run.output)
    return found


def test_machines_are_hosts_and_other_sources_say_how_they_are(ansible: Callable, tmp_path: Path) -> None:
    """Neither services nor groups and variables that change with jobs are among them unless they are asked for."""
    (tmp_path / "web.inventory.yml").write_text(MACHINES)
    (tmp_path / "hosts.ini").write_text(
        "db ansible_host=198.51.100.9\nhouse\n[front:vars]\nof_the_group=own\n[front]\n"
    )
    found = listed(ansible("ansible-inventory", "-i", "hosts.ini", "-i", "web.inventory.yml", "--list"))
    hosts = found["_meta"]["hostvars"]
    assert hosts.keys() == {"db"}, "the others of the ensemble are services, or absent; house has no variables"
    assert hosts["db"].keys() == {"ansible_host", "ensemble_instance", "of_the_group"}
    assert (hosts["db"]["ansible_host"], hosts["db"]["of_the_group"]) == ("198.51.100.9", "own")
    groups = {"front", "template_one", "type_tosca_nodes_Database", "ungrouped"}
    assert groups <= set(found["all"]["children"]) and not any(name.startswith("status_") for name in found)
    assert found["front"]["hosts"] == found["type_tosca_nodes_Database"]["hosts"] == ["db"]


def test_instances_are_hosts_in_groups(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "web.inventory.yml").write_text(INVENTORY)
    run = ansible("ansible-inventory", "-i", "web.inventory.yml", "--list")
    found = listed(run)
    assert run.call("inventory")["path"] == str(tmp_path.resolve() / "web/ensemble.yaml")
    database = found["_meta"]["hostvars"]["db"]
    assert database.pop("ensemble_instance")["properties"] == {"port": 5432, "engine": "sqlite"}
    del database["note"], database["tables"]
    assert database == {"ansible_host": "192.0.2.1", "engine": "sqlite", "of_the_group": "well", "service": 5432}
    assert found["_meta"]["hostvars"]["app"]["service"] == 80
    assert "reserved name" not in run.output
    assert "gone" not in found["_meta"]["hostvars"], "what is absent is no host"
    assert found["status_ok"]["hosts"] == found["working"]["hosts"] == ["db"]
    assert found["type_tosca_nodes_Database"]["hosts"] == ["db"]
    assert not any(name.startswith("template_") for name in found)


#: Asks for a password as sudo does, and writes it down.
SUDO = """#!/bin/sh
while [ "$1" != -p ]; do shift || exit 1; done
printf '%s' "$2" >&2
read -r given
echo "$given" >> "$PWD/given"
exit 1
"""


def test_passwords_are_those_of_the_machine_or_else_those_asked_for(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "web.inventory.yml").write_text(INVENTORY)
    (tmp_path / "hosts.ini").write_text(
        "house ansible_connection=local\ninn ansible_connection=local ansible_become_pass=of-the-inn\n"
    )
    (tmp_path / "password").write_text("asked-for\n")
    sudo = tmp_path / "sudo"
    sudo.write_text(SUDO.replace("$PWD", str(tmp_path)))
    sudo.chmod(0o755)
    become = ("-b", "--become-user", "nobody", "--become-password-file", "password", "-e", f"ansible_become_exe={sudo}")
    inventory = ("-i", "web.inventory.yml", "-i", "hosts.ini")
    run = ansible("ansible", *inventory, "tenant:lodger", *become, "-m", "ansible.builtin.raw", "-a", "true")
    assert sorted((tmp_path / "given").read_text().split()) == ["asked-for", "of-the-inn"], run.output


def test_values_of_the_status_are_no_templates(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "web.inventory.yml").write_text(INVENTORY)
    run = ansible("ansible", "-i", "web.inventory.yml", "app", "-m", "ansible.builtin.debug", "-a", "msg={{ note }}")
    assert "{{ not_rendered }}" in run.output, run.output


def test_texts_without_a_template_are_plain_where_they_are_listed(ansible: Callable, tmp_path: Path) -> None:
    """As AWX reads them."""
    (tmp_path / "web.inventory.yml").write_text(INVENTORY)
    run = ansible("ansible-inventory", "-i", "web.inventory.yml", "--list")
    found, _end = json.JSONDecoder().raw_decode(run.output)
    hosts = found["_meta"]["hostvars"]
    assert hosts["db"]["engine"] == hosts["db"]["ensemble_instance"]["properties"]["engine"] == "sqlite"
    assert hosts["app"]["note"] == {"__ansible_unsafe": "{{ not_rendered }}"}


def test_an_error_of_the_ensemble_is_one_message(ansible: Callable, tmp_path: Path) -> None:
    (tmp_path / "web.inventory.yml").write_text(INVENTORY)
    run = ansible("ansible-inventory", "-i", "web.inventory.yml", "--list", fail="inventory")
    assert "the ensemble has no status" in run.output
    assert "Traceback" not in run.output
