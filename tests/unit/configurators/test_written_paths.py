"""What modules and the tasks of files write, by their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.written_by_tasks import writing_tasks
from ansible_ensemble.configurators.written_paths import writes_of

#: A module, its arguments, and what it writes: the path, what of it (all of it, what is below it).
WRITES: dict[str, tuple[str, dict[str, Any], tuple[str, bool, bool] | None]] = {
    "content": ("copy", {"dest": "/a/b", "content": "x"}, ("/a/b", True, False)),
    "a file into a folder": (
        "ansible.builtin.copy",
        {"dest": "/a/", "src": "some/one.conf"},
        ("/a/one.conf", True, False),
    ),
    "a folder": ("copy", {"dest": "/a", "src": "many"}, ("/a/many", True, True)),
    "what is in a folder": ("copy", {"dest": "/a", "src": "many/"}, ("/a", True, True)),
    "a download": ("get_url", {"dest": "/a/", "url": "http://example.com/x/y.tar?z=1"}, ("/a/y.tar", True, False)),
    "a line": ("ansible.builtin.lineinfile", {"destfile": "//a/./b/"}, ("/a/b", False, False)),
    "an option": ("community.general.ini_file", {"path": "/a", "section": "s"}, ("/a", False, False)),
    "rights": ("file", {"name": "/a", "mode": "0600"}, ("/a", False, False)),
    "rights of all": ("file", {"path": "/a", "state": "directory", "recurse": "yes"}, ("/a", False, True)),
    "rights of all, said as true": ("file", {"path": "/a", "recurse": True}, ("/a", False, True)),
    "a link": ("file", {"dest": "/a", "src": "/b", "state": "link"}, ("/a", True, False)),
    "an archive": ("unarchive", {"dest": "/a", "src": "x.tar"}, ("/a", True, True)),
    "a look": ("stat", {"path": "/a"}, None),
    "no path": ("lineinfile", {"line": "x"}, None),
    "another collection": ("my.own.copy", {"dest": "/a"}, None),
}


@pytest.mark.parametrize(("module", "args", "wanted"), WRITES.values(), ids=WRITES)
def test_modules(tmp_path: Path, module: str, args: dict[str, Any], wanted: Any) -> None:
    (tmp_path / "files/many").mkdir(parents=True)
    assert [(one.path, one.whole, one.below) for one in writes_of(module, args, tmp_path)] == (
        [wanted] if wanted else []
    )


#: A module, its arguments, and what it sets to what.
SETS: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "a user": (
        "ansible.builtin.user",
        {"name": "joe", "shell": "/bin/sh", "groups": "b, a", "append": False},
        {"the state of user joe": "present", "the shell of user joe": "/bin/sh", "the groups of user joe": "a,b"},
    ),
    "groups that are added": (
        "user",
        {"name": "joe", "groups": ["c"], "append": "yes"},
        {"the state of user joe": "present", "the groups of user joe": "append"},
    ),
    "what is known later": ("user", {"name": "joe", "state": None, "shell": None}, {}),
    "a service": (
        "systemd",
        {"name": "web.service", "state": "restarted", "enabled": "yes"},
        {"the state of service web": "started", "the enabled of service web": "True"},
    ),
    "a job": ("cron", {"name": "nightly", "user": "joe", "job": "x"}, {"the cron job nightly of joe": ""}),
    "a host's name": ("hostname", {"name": "web1"}, {"the host's name": "web1"}),
    "no name": ("group", {"gid": 5}, {}),
}


@pytest.mark.parametrize(("module", "args", "wanted"), SETS.values(), ids=SETS)
def test_modules_that_set_what_is_no_file(module: str, args: dict[str, Any], wanted: dict[str, str]) -> None:
    assert {one.path: one.same for one in writes_of(module, args, None)} == wanted


PLAYBOOK = """\
- hosts: [web, db]
  vars: {folder: /srv}
  pre_tasks: [{copy: {dest: "{{ folder }}/a", content: x}, notify: Told}]
  roles: [app, {role: app, vars: {where: /two}}]
  tasks:
    - block: [{include_tasks: more.yml}]
      rescue: [{ansible.builtin.file: path=/srv/b mode=0600, delegate_to: localhost}]
    - lineinfile: {path: "/srv/{{ one }}", line: x}
      loop: [c, d]
      loop_control: {loop_var: one}
  handlers: [{name: Told, debug: {}}]
- import_playbook: other.yml
"""
FILES = {
    "site.yml": PLAYBOOK,
    "other.yml": "- hosts: all\n  roles: 7\n  tasks: 1\n- import_playbook: site.yml\n",
    "more.yml": "- import_tasks: more.yml\n- replace: {path: /srv/e, regexp: x}\n- debug: {}\n- 5\n",
    "roles/app/defaults/main.yml": "where: /one\n",
    "roles/app/tasks/main.yml": "- template: {src: a, dest: '{{ where }}/f'}\n- include_role: {name: app}\n",
}


def test_tasks_of_a_playbook(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tasks = writing_tasks("playbook", str(tmp_path / "site.yml"))
    first = tasks[0]
    assert (first.args["dest"], first.variables, first.hosts) == ("{{ folder }}/a", {"folder": "/srv"}, "web,db")
    assert first.handlers == (f"{tmp_path}/site.yml:11",)
    roles = [task for task in tasks if task.module == "template"]
    assert [(one.variables.get("where"), one.defaults) for one in (roles[0], roles[-1])] == [
        (None, {"where": "/one"}),
        ("/two", {"where": "/one"}),
    ]
    loops = [task.variables["one"] for task in tasks if task.module == "lineinfile"]
    assert loops[:2] == ["c", "d"]
    rescue = next(task for task in tasks if task.delegate)
    assert (rescue.args, rescue.delegate) == ({"path": "/srv/b", "mode": "0600"}, "localhost")
    assert any(task.args.get("path") == "/srv/e" and task.place.file.endswith("more.yml") for task in tasks)
    assert writing_tasks("role", "some.collection.role") == []
    assert writing_tasks("tasks", str(tmp_path / "nowhere.yml")) == []


RUNNING = """\
- hosts: web
  vars: {at: /play}
  roles: [{role: app, where: /parameter}]
  tasks:
    - copy: {dest: "{{ at }}/a", content: x}
    - stat: {path: /srv}
      register: seen
    - set_fact: {at: /fact}
    - copy: {dest: "{{ at }}/a", content: x}
    - include_vars: more.yml
    - copy: {dest: "{{ at }}/a", content: x}
- hosts: web
  vars_files: [more.yml]
  tasks: [{copy: {dest: "{{ at }}/a", content: x}}]
"""
ROLES = """\
- hosts: web
  vars: {where: /play}
  roles: [app, {role: app, where: /parameter}, {role: app, vars: {where: /entry}}]
  tasks:
    - include_role: {name: app}
      vars: {where: /task}
    - set_fact: {other: 1}
- hosts: web
  tasks: [{copy: {dest: "{{ other }}/a", content: x}}]
"""


def test_what_tasks_give_values_as_they_run_is_unknown(tmp_path: Path) -> None:
    for name, text in {**FILES, "site.yml": RUNNING}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    role, *tasks = writing_tasks("playbook", str(tmp_path / "site.yml"))
    assert (role.variables["where"], role.defaults["where"]) == ("/parameter", "/one")
    assert [one.unknown for one in tasks] == [frozenset(), {"seen", "at"}, None, None]


def test_variables_of_a_role_win_as_ansible_has_it(tmp_path: Path) -> None:
    more = {"site.yml": ROLES, "roles/app/vars/main.yml": "where: /role\n"}
    more["roles/app/tasks/main.yml"] = "- template: {src: a, dest: '{{ where }}/f'}\n"
    for name, text in {**FILES, **more}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    *roles, last = writing_tasks("playbook", str(tmp_path / "site.yml"))
    assert [one.variables["where"] for one in roles] == ["/role", "/parameter", "/entry", "/task"]
    assert last.unknown == {"other"}, "a fact lasts"


def test_files_that_include_themselves_are_read_once(tmp_path: Path) -> None:
    folder = tmp_path / "tasks"
    folder.mkdir()
    again = "- include_tasks: ../tasks/main.yml\n"
    (folder / "main.yml").write_text(again * 3 + "- replace: {path: /srv/e, regexp: x}\n")
    assert len(writing_tasks("tasks", str(folder / "main.yml"))) == 1
