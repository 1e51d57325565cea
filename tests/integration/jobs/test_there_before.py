"""Undeploy of imported tasks leaves what was there before, also where variables were others when it was made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.processes import kill_all, wait_for, working_in
from tests.integration.jobs.test_teardown import tree

SITE = "- {hosts: web, gather_facts: false, tasks: [{ansible.builtin.import_tasks: made.yml}]}"
#: What runs the tasks -> the file that they are in, and what is around them.
WAYS = {
    "tasks": ("made.yml", SITE),
    "workers": ("made.yml", SITE.replace("gather", "strategy: free, gather")),
    "role": ("roles/made/tasks/main.yml", "- {hosts: web, gather_facts: false, roles: [made]}"),
}
TASKS = """\
- name: Wait
  ansible.builtin.command: sh -c 'while test -e {{ root }}/held; do touch {{ root }}/began; sleep 0.05; done'
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


def job(command: Callable[..., Any], site: Path, name: str, *, fails: bool = False) -> str:
    done = command(name, "-i", "hosts.ini", "--approve", cwd=site)
    assert (done.code == 0) is (not fails), done.output
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


def change_link(folder: Path) -> None:
    """Have a link lead to what others made, where something of the site was."""
    folder.rename(folder.with_name("moved"))
    other = folder.with_name("other")
    other.mkdir()
    for name in ("one", "two"):
        (other / name).write_text("other\n")
    folder.symlink_to(other)


@pytest.mark.parametrize("site", ["workers"], indirect=True)
@pytest.mark.parametrize("deployed", [False, True])
def test_what_a_path_leads_to_later_stays(site: Path, command: Callable[..., Any], deployed: bool) -> None:
    job(command, site, "deploy")
    change_link(site / "w1/a")
    if deployed:
        (site / "group_vars/web.yml").write_text(VALUES.replace("wanted: false", "wanted: true"))
        job(command, site, "deploy")
    told = job(command, site, "undeploy")
    assert {"a", "other", "other/one", "other/two", "moved/one"} < tree(site / "w1").keys()
    assert not (site / "w2/a").exists()
    why = (
        "it was there before, and stays"
        if deployed
        else "its path leads elsewhere than before it was made, and it stays"
    )
    assert f"Folder: {why}" in told
    assert f"Part: {why}" in told


@pytest.mark.parametrize("site", ["tasks"], indirect=True)
def test_what_is_above_where_a_link_leads_stays(site: Path, command: Callable[..., Any]) -> None:
    (site / "group_vars/web.yml").write_text(VALUES.replace("base: a", "base: link/../a"))
    for host in HOSTS:
        for name in ("one", "two"):
            (site / host / name / "inner").mkdir(parents=True)
        (site / host / "link").symlink_to("one/inner")
    job(command, site, "deploy")
    for host in HOSTS:
        assert (site / host / "one/a/one").exists()
        (site / host / "two/a").mkdir()
        (site / host / "two/a/one").write_text("other\n")
        (site / host / "link").unlink()
        (site / host / "link").symlink_to("two/inner")
    assert "Part: nobody could see whether it was there before, and it stays" in job(command, site, "undeploy")
    for host in HOSTS:
        assert (site / host / "two/a/one").exists()
        assert not (site / host / "second").exists()


@pytest.mark.parametrize("site", ["role"], indirect=True)
def test_what_is_new_where_a_path_leads_later_goes(site: Path, command: Callable[..., Any]) -> None:
    job(command, site, "deploy")
    change_link(site / "w1/a")
    (site / "w1/other/two").unlink()
    (site / "group_vars/web.yml").write_text(VALUES.replace("wanted: false", "wanted: true"))
    job(command, site, "deploy")
    assert (site / "w1/other/two").exists()
    told = job(command, site, "undeploy")
    assert (site / "w1/other/one").exists()
    assert not (site / "w1/other/two").exists()
    assert "Part: what it made on another machine, or where its path led before, stays" not in told


def test_one_that_fails_keeps_no_other_from_going(site: Path, command: Callable[..., Any]) -> None:
    job(command, site, "deploy")
    for name in ("a.conf", "second"):  # what takes a line or a file away fails at a folder, or nothing is left to take
        (site / "w1" / name).unlink()
    (site / "w1/a.conf").mkdir()
    told = job(command, site, "undeploy", fails=True)
    assert "Take away: Secret" in told
    assert not (site / "w1/a").exists()
    assert not (site / "w2/a").exists()
    (site / "w1/a.conf").rmdir()
    (site / "w1/a.conf").write_text("hunter2\nother\n")
    (site / "w1/a").mkdir()
    (site / "w1/a/one").write_text("other\n")
    told = job(command, site, "undeploy")
    assert (site / "w1/a.conf").read_text() == "other\n"
    assert (site / "w1/a/one").read_text() == "other\n", "somebody made it after it was taken away"
    assert "Part" not in told


@pytest.mark.parametrize("site", ["tasks"], indirect=True)
@pytest.mark.parametrize("again", [False, True])
def test_what_others_make_after_a_kill_stays(
    site: Path, command: Callable[..., Any], start: Callable[..., Any], again: bool
) -> None:
    for host in HOSTS:
        (site / host / "held").touch()
    start("deploy", "-i", "hosts.ini", "--approve", cwd=site)
    wait_for(lambda: (site / "w1/began").exists(), "the run to begin")
    kill_all(site)
    wait_for(lambda: not working_in(site), "the end of all processes")
    for host in HOSTS:
        (site / host / "held").unlink()
        assert not (site / host / "a").exists()
    (site / "w1/a").mkdir()
    (site / "w1/a/one").write_text("other\n")
    if again:
        job(command, site, "deploy")
    told = job(command, site, "undeploy")
    assert (site / "w1/a/one").exists()
    assert "Part: a run was cut off, so nobody knows who made it, and it stays" in told
    assert not again or not (site / "w2/a").exists(), "it was not there when it was made"
