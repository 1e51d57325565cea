"""Playbooks of all kinds, imported: the ensemble does what ansible-playbook does, and more."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.conftest import Run

FILES = {
    "group_vars/web.yml": "greeting: hello\nfolders: [x, y]\n",
    "host_vars/w2.yml": "greeting: hi\n",
    "vars/site.yml": "owner_name: nobody in particular\n",
    "templates/page.j2": "{{ greeting }} of {{ inventory_hostname }} for {{ owner_name }}\n",
    "roles/app/defaults/main.yml": "app_port: 80\n",
    "roles/app/handlers/main.yml": "- name: Restart the app\n"
    "  ansible.builtin.copy: {content: restarted, dest: '{{ root }}/app-restarted'}\n",
    "roles/app/tasks/main.yml": "- name: Configuration\n"
    "  ansible.builtin.copy: {content: \"{{ app_port }} {{ ansible_facts.system }}\\n\", dest: '{{ root }}/app.conf'}\n"
    "  notify: Restart the app\n",
    "roles/app/tasks/remove.yml": "- ansible.builtin.file: {path: '{{ root }}/{{ item }}', state: absent}\n"
    "  loop: [app.conf, app-restarted]\n",
    "more.yml": "- name: One more\n  ansible.builtin.copy: {content: more, dest: '{{ root }}/more'}\n",
    "rolling.yml": "- name: One after the other\n  hosts: web\n  serial: 1\n  gather_facts: false\n  tasks:\n"
    "  - name: Version\n    ansible.builtin.copy: {content: '2', dest: '{{ root }}/version'}\n",
    "site.yml": """\
- name: The web
  hosts: web
  gather_facts: true
  vars: {place: "{{ root }}/www"}
  vars_files: [vars/site.yml]
  pre_tasks:
    - name: Place
      file: path={{ place }} state=directory mode=0750
  roles:
    - {role: app, app_port: 8080}
  tasks:
    - name: Page
      ansible.builtin.template: {src: page.j2, dest: "{{ place }}/index.html", mode: "0640"}
      tags: content
    - name: Each
      ansible.builtin.copy: {content: "{{ item.text }}", dest: "{{ place }}/{{ item.name }}.txt"}
      loop: [{name: one, text: "1"}, {name: two, text: "2"}]
    - name: Folders
      ansible.builtin.file: {path: "{{ place }}/{{ item }}", state: directory}
      loop: "{{ folders }}"
    - name: Look
      ansible.builtin.stat: {path: "{{ place }}/index.html"}
      register: page
    - name: Size
      ansible.builtin.copy: {content: "{{ page.stat.size }}", dest: "{{ root }}/size"}
    - name: Settings
      ansible.builtin.copy: {content: "a=1\\n", dest: "{{ root }}/settings"}
      notify: Again
    - name: More settings
      ansible.builtin.copy: {content: "b=1\\n", dest: "{{ root }}/more-settings"}
      notify: Again
    - import_tasks: more.yml
    - name: Only there
      ansible.builtin.copy: {content: there, dest: "{{ root }}/there"}
      when: inventory_hostname == 'w1'
  post_tasks:
    - name: Made by a command
      ansible.builtin.command: {cmd: "mkdir {{ root }}/made", creates: "{{ root }}/made"}
  handlers:
    - name: Again
      ansible.builtin.copy: {content: again, dest: "{{ root }}/again"}
- import_playbook: rolling.yml
""",
}


LOCAL = f"[all:vars]\nansible_connection=local\nansible_python_interpreter={sys.executable}\n"
PAGE = Path(__file__).parents[3] / "docs" / "import.md"


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def write_site(folder: Path) -> None:
    hosts = "".join(f"{name} root={folder}/out/{name}\n" for name in ("w1", "w2"))
    write_files(folder, {**FILES, "hosts.ini": f"[web]\n{hosts}{LOCAL}"})
    for name in ("w1", "w2"):
        (folder / "out" / name).mkdir(parents=True)


def tree(folder: Path) -> dict[str, Any]:
    found = sorted((folder / "out").rglob("*"))
    return {str(one.relative_to(folder)): (one.stat().st_mode, one.is_file() and one.read_text()) for one in found}


@pytest.fixture
def done(command: Callable[..., Run], tmp_path: Path) -> Callable[..., Run]:
    """Run a command in the folder of the site, which succeeds."""

    def run(*words: str, site: str = "site", code: int = 0, **more: Any) -> Run:
        done = command(*words, cwd=tmp_path / site, **more)
        assert done.code == code, done.output
        return done

    return run


def told(entries: list[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    return [(entry["name"], entry["becomes"], entry["undo"] or "no") for entry in entries]


REPORT = [
    ("Place", "resource", "file with state absent"),
    ("app", "role", "its tasks remove"),
    ("Page", "resource", "removes {{ place }}/index.html"),
    ("Each", "resource", "removes {{ place }}/{{ item.name }}.txt"),
    ("Each", "resource", "removes {{ place }}/{{ item.name }}.txt"),
    ("Folders", "tasks", "file with state absent"),
    ("Look", "tasks", "no"),
    ("Size", "tasks", "removes {{ root }}/size"),
    ("Settings", "playbook", "removes {{ root }}/settings"),
    ("More settings", "playbook", "removes {{ root }}/more-settings"),
    ("One more", "resource", "removes {{ root }}/more"),
    ("Only there", "tasks", "removes {{ root }}/there"),
    ("Made by a command", "resource", "no"),
    ("Version", "resource", "removes {{ root }}/version"),
]


@pytest.mark.matrix
def test_an_imported_site_does_the_same(done: Callable[..., Run], tmp_path: Path) -> None:
    site, other = tmp_path / "site", tmp_path / "other"
    write_site(site)
    write_site(other)
    report = json.loads(done("import", "site.yml", "-i", "hosts.ini", "--output", "json").stdout)
    assert told(report["entries"]) == REPORT

    done("deploy", "--approve", "-i", "hosts.ini")
    done("-i", "hosts.ini", "site.yml", site="other", program="ansible-playbook")
    assert {name.replace("other", "site"): what for name, what in tree(other).items()} == tree(site)
    done("plan", "-i", "hosts.ini", "--detailed-exitcode")

    page = site / "out" / "w1" / "www" / "index.html"
    right = page.read_text()
    page.write_text("somebody was here")
    done("check", "-i", "hosts.ini", "--detailed-exitcode", "--instance", "page@w1", code=2)
    done("deploy", "--approve", "-i", "hosts.ini")
    assert page.read_text() == right

    done("undeploy", "--approve", "-i", "hosts.ini")
    left = {Path(name).parts[2] for name in tree(site) if len(Path(name).parts) == 3}
    assert left == {"made"}


def test_the_page_shows_what_is_so(done: Callable[..., Run], tmp_path: Path) -> None:
    site = tmp_path / "site"
    playbook, shown, written = re.findall(
        r"(?s)```(?:yaml|console)\n(.*?)```", PAGE.read_text().partition("## An example\n")[2]
    )
    write_files(
        site,
        {
            "site.yml": playbook,
            "hosts.ini": "[web]\nweb1\nweb2\n",
            "templates/server.conf.j2": "root=/srv\n",
            "roles/application/tasks/main.yml": "- ansible.builtin.copy: {content: x, dest: /srv/version}\n",
        },
    )
    call, _newline, report = shown.partition("\n")
    assert done(*call.split()[2:]).stdout == report
    assert written in (site / "service-template.yaml").read_text().replace(
        "description: Imported from site.yml.\n\n", ""
    )


def test_what_is_there_is_adopted(done: Callable[..., Run], tmp_path: Path) -> None:
    site = tmp_path / "site"
    write_files(
        site,
        {
            "hosts.ini": f"[web]\nw1 root={site}/out\n{LOCAL}",
            "out/a": "1",
            "text.j2": "1",
            "site.yml": "- hosts: web\n  gather_facts: false\n  tasks:\n"
            "  - {name: a, template: {src: text.j2, dest: '{{ root }}/a'}}\n"
            "  - {name: b, copy: {content: '2', dest: '{{ root }}/b'}}\n",
        },
    )
    run = done("import", "site.yml", "-i", "hosts.ini", "--adopt", "-y", "--output", "json")
    assert "adopted: ansible-ensemble undeploy -i hosts.ini --destroyunmanaged\n" in run.stderr
    found = json.loads(run.stdout)
    assert [entry["node"] for entry in found["import"]["entries"]] == ["a", "b"]
    assert not (site / "out" / "b").exists()
    plan = done("plan", "-i", "hosts.ini").stdout
    assert "b@w1 will be created" in plan and "a@w1" not in plan
    (site / "text.j2").write_text("1{{ more | default('') }}")
    assert "a@w1 will be updated in place (text.j2 changed)" in done("plan", "-i", "hosts.ini").stdout
    (site / "text.j2").write_text("1")
    assert "a@w1" not in done("plan", "-i", "hosts.ini").stdout


def test_an_import_that_cannot_be(done: Callable[..., Run], tmp_path: Path) -> None:
    write_site(tmp_path / "site")
    missing = done("import", "nosuch.yml", code=3)
    assert missing.stderr == "Error: nosuch.yml: there is no such playbook\n"
    (tmp_path / "site" / "bad.yml").write_text("- hosts: web\n  tasks:\n    - nosuchmodule: {}\n")
    assert "bad.yml:3" in done("import", "bad.yml", "-i", "hosts.ini", code=3).stderr
    (tmp_path / "site" / "ensemble.yaml").write_text("")
    again = done("import", "site.yml", "-i", "hosts.ini", code=3).stderr
    assert again == (
        "Error: ensemble.yaml: there is an ensemble already "
        "(change its service template; or import again in a copy of the folder without it, and compare)\n"
    )
    assert not (tmp_path / "site" / "service-template.yaml").exists()


#: What is given as the inventory -> what the import says.
INVENTORIES = {
    "nosuch": "nosuch: there is no such inventory (-i names a file or a folder, or hosts with a comma: -i HOST,)",
    "bad.ini": "bad.ini: Ansible cannot read this inventory (Ansible's warnings say why)",
    "other.ini": "site.yml:1: no host of the inventory is one of web (-i names the inventory)",
}


@pytest.mark.parametrize("inventory", [*INVENTORIES, ""])
def test_an_import_without_any_host_is_refused(done: Callable[..., Run], tmp_path: Path, inventory: str) -> None:
    site = tmp_path / "site"
    write_files(site, {"site.yml": "- hosts: web\n  tasks: []\n", "bad.ini": "[web\nw1\n", "other.ini": "[db]\nd1\n"})
    given = ("-i", inventory) if inventory else ()
    refused = done("import", "site.yml", *given, "--adopt", "--approve", code=3)
    assert f"Error: {INVENTORIES.get(inventory, INVENTORIES['other.ini'])}\n" in refused.stderr
    assert not (site / "ensemble.yaml").exists()


def test_an_inventory_can_be_a_folder_and_hosts(done: Callable[..., Run], tmp_path: Path) -> None:
    write_files(tmp_path / "site", {"site.yml": "- hosts: [w1, w2]\n  tasks: []\n", "hosts/all.ini": "w1\n"})
    done("import", "site.yml", "-i", "hosts/", "-i", "w2,")


@pytest.mark.parametrize("name", ["ensemble.yaml", "imported-a.yml", ".gitignore"])
def test_nothing_is_written_outside_of_the_folder(done: Callable[..., Run], tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    write_files(site, {"site.yml": "- hosts: localhost\n  tasks: [{name: a, debug: {}}]\n"})
    (site / name).symlink_to(tmp_path / "elsewhere")
    assert f"Error: {name}: the file '{name}' leads out of the project" in done("import", "site.yml", code=3).stderr
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("inventory", ["hosts.sh", "w1,"])
def test_an_import_runs_nothing_before_consent(done: Callable[..., Run], tmp_path: Path, inventory: str) -> None:
    site, ran = tmp_path / "site", tmp_path / "ran"
    script = f'#!/bin/sh\ntouch {ran}\necho \'{{"web": {{"hosts": ["w1"]}}}}\'\n'
    task = "{import_tasks: \"{{ lookup('pipe', './hosts.sh') and 'a' }}.yml\"}"
    write_files(
        site,
        {
            "ansible.cfg": "[defaults]\ngathering = explicit\n",
            "hosts.sh": script,
            "a.yml": "- debug: {}\n",
            "site.yml": f"- hosts: w1\n  tasks: [{task}]\n",
        },
    )
    (site / "hosts.sh").chmod(0o755)
    nothing_trusted = {"XDG_STATE_HOME": str(tmp_path / "state")}
    refused = done("import", "site.yml", "-i", inventory, extra=nothing_trusted, code=2)
    assert f"{site} is not trusted yet, and an import runs its code as you" in refused.stderr
    assert not ran.exists()
    assert not (site / "ensemble.yaml").exists()

    agreed = done("import", "site.yml", "-i", inventory, "--approve", extra=nothing_trusted)
    assert ran.exists()
    assert "Notice" not in agreed.stderr, "its ansible.cfg counts"
    assert str(site) in done("trust", "--list", extra=nothing_trusted).stdout
