"""Undeploy of imported tasks leaves what was there before, also where variables were others when it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.test_teardown import tree

SITE = "- {hosts: web, gather_facts: false, tasks: [{ansible.builtin.import_tasks: made.yml}]}"
#: What runs the tasks -> the file that they are in, and what is around them.
WAYS = {
    "tasks": ("made.yml", SITE),
    "workers": ("made.yml", SITE.replace("gather", "strategy: free, gather")),
    "role": ("roles/made/tasks/main.yml", "- {hosts: web, gather_facts: false, roles: [made]}"),
}
TASKS = """\
- name: Folder
  ansible.builtin.file: {path: "{{ root }}/{{ base }}", state: directory, mode: "0755"}
  when: base is defined
- name: Part
  ansible.builtin.copy: {content: made, dest: "{{ root }}/{{ base }}/{{ item.name }}", mode: "0644"}
  loop: "{{ parts }}"
  when: item.wanted
- name: Same
  ansible.builtin.copy: {content: made, dest: "{{ root }}/first", mode: "0644"}
  when: base is defined
- name: Same
  ansible.builtin.copy: {content: made, dest: "{{ root }}/second", mode: "0644"}
  when: base is defined
- name: Secret
  ansible.builtin.lineinfile: {path: "{{ root }}/{{ base }}.conf", line: "{{ word }}", create: true, mode: "0600"}
  no_log: true
  when: base is defined
"""
VALUES = "base: a\nword: hunter2\nparts: [{name: one, wanted: true}, {name: two, wanted: false}]\n"
OTHERS = "base: b\nword: other\nparts: [{name: one, wanted: true}, {name: two, wanted: true}]\n"
HOSTS = ("w1", "w2")


@pytest.fixture(params=WAYS)
def site(request: pytest.FixtureRequest, tmp_path: Path, command: Callable[..., Any]) -> Path:
    """A site that was imported, with two hosts on which some of what it makes is there."""
    file, playbook = WAYS[request.param]
    (tmp_path / "group_vars").mkdir()
    lines = [f"{host} ansible_connection=local root={tmp_path / host}" for host in HOSTS]
    python = "ansible_python_interpreter='{{ ansible_playbook_python }}'"
    (tmp_path / "hosts.ini").write_text("\n".join(["[web]", *lines, "[web:vars]", python, ""]))
    (tmp_path / "site.yml").write_text(playbook)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(TASKS)
    (tmp_path / "group_vars" / "web.yml").write_text(VALUES)
    for host in HOSTS:
        (tmp_path / host / "b").mkdir(parents=True)
        for name in ("b/one", "b/two", "first", "b.conf"):
            (tmp_path / host / name).write_text("other\n")
    imported = command("import", "site.yml", "-i", "hosts.ini", "--approve", cwd=tmp_path)
    assert imported.code == 0, imported.output
    return tmp_path


def job(command: Callable[..., Any], site: Path, name: str) -> str:
    done = command(name, "-i", "hosts.ini", "--approve", cwd=site)
    assert done.code == 0, done.output
    assert "hunter2" not in done.output
    return str(done.output)


def trees(site: Path) -> dict[str, Any]:
    return {host: tree(site / host) for host in HOSTS}


def test_with_the_same_values_all_that_was_made_goes(site: Path, command: Callable[..., Any]) -> None:
    before = trees(site)
    job(command, site, "deploy")
    (site / "group_vars/web.yml").write_text(VALUES.replace("wanted: false", "wanted: true"))
    job(command, site, "deploy")
    assert (site / "w2/a/two").exists()
    assert "Same: it was there before, and stays" in job(command, site, "undeploy")
    assert {host: left.keys() for host, left in trees(site).items()} == {host: before[host].keys() for host in HOSTS}


@pytest.mark.parametrize("deployed", [False, True])
def test_what_other_values_name_stays(site: Path, command: Callable[..., Any], deployed: bool) -> None:
    job(command, site, "deploy")
    (site / "group_vars/web.yml").write_text(OTHERS)
    if deployed:
        job(command, site, "deploy")
    told = job(command, site, "undeploy")
    for host in HOSTS:
        assert {"b", "b/one", "b/two", "first", "b.conf"} < tree(site / host).keys()
        assert not (site / host / "second").exists()
    assert "Folder: what it made with other values, or on other conditions, stays" in told
    expected = "it was there before, and stays" if deployed else "nobody has looked whether it was there before"
    assert f"Folder: {expected}" in told
    assert f"Part: {expected}" in told
