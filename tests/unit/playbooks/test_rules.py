from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Import

PLAY = """\
- hosts: web
  vars: {{base: /srv, place: "{{{{ base }}}}/www", of_facts: "{{{{ ansible_facts.os_family }}}}"}}
  tasks:
    - name: it
      {task}
"""


def only(found: Any) -> tuple[Any, Any]:
    """The row and the node of a play with one task."""
    (row,) = found.rows
    return row, found.nodes[row.node]


FOLDER = {"path": "/a", "state": "directory", "mode": "0755"}
RESOURCES = [
    (
        "file: path=/a state=directory mode=0755",
        {"path": "/a", "state": "directory", "mode": "0755"},
        "file with state absent",
    ),
    ("ansible.builtin.user: {name: x}", {"name": "x"}, "user with state absent"),
    (
        "file: {path: /a, state: directory, mode: 0755}",
        {"path": "/a", "state": "directory", "mode": "0755"},
        "file with state absent",
    ),
    ("copy: {content: x, dest: /a/b}", {"content": "x", "dest": "/a/b"}, "removes /a/b"),
    ("template: {src: m.j2, dest: /etc/m}", {"src": "m.j2", "dest": "/etc/m"}, "removes /etc/m"),
    (
        "template: {src: m.conf.j2, dest: /etc/x/}",
        {"src": "m.conf.j2", "dest": "/etc/x/"},
        "removes /etc/x/",
    ),
    (
        "template: {src: m.j2, dest: /etc/conf.d}",
        {"src": "m.j2", "dest": "/etc/conf.d"},
        "removes /etc/conf.d",
    ),
    ("command: make creates=/a/b", {"cmd": "make", "creates": "/a/b"}, ""),
    (
        "service: {name: ntp, state: started}",
        {"name": "ntp", "state": "started"},
        "stops and disables the service, as far as it was",
    ),
    ("file: {path: /a, state: absent}", {"path": "/a", "state": "absent"}, ""),
    (
        "file: {path: /a, state: touch, access_time: preserve, modification_time: preserve}",
        {"path": "/a", "state": "touch", "access_time": "preserve", "modification_time": "preserve"},
        "file with state absent",
    ),
]


@pytest.mark.parametrize(("task", "args", "undo"), RESOURCES, ids=[one[0] for one in RESOURCES])
def test_a_task_that_makes_something_is_a_resource(imported: Import, task: str, args: Any, undo: str) -> None:
    found = imported({"site.yml": PLAY.format(task=task), "templates/m.j2": "hi", "templates/m.conf.j2": "hi"})
    row, node = only(found)
    assert (row.becomes, node["args"], row.undo, node["host"]) == ("resource", args, undo, "web")
    assert bool(row.no_undo) != bool(row.undo)


OTHERS = [
    ("debug: msg=hi", "makes nothing"),
    ("command: make", "runs a command, without creates or removes"),
    ("stat: {path: /a}", "only looks"),
    ("service: {name: ntp, state: restarted}", "does something each time (restarted)"),
    ("file: {path: /a, state: touch, access_time: preserve}", "does something each time (touch)"),
    ("file: {path: /a, mode: '0600'}", "sets the rights of what something else makes"),
    ("apt: {upgrade: dist}", "updates packages, and makes none be there"),
    ("file: {path: /a, state: directory}\n      when: base == 'x'", "runs only on a condition"),
    (
        "file: {path: '{{ item }}', state: directory}\n      loop: '{{ places }}'",
        "loops over what is known only while it runs",
    ),
    ("file: {path: '/{{ ansible_hostname }}', state: directory}", "reads facts (ansible_hostname)"),
    (
        "file: {path: '/{{ of_facts }}', state: directory}",
        "reads the variable of_facts, which is encrypted or made of facts",
    ),
    ("file: {path: /a, state: directory}\n      check_mode: true", "has a check mode of its own"),
    ("file: {path: '/{{ ansible_hostname }}', state: directory}\n      retries:", "reads facts (ansible_hostname)"),
    (
        "file: {path: '{{ item }}', state: directory}\n      loop: [/a]\n      loop_control: {break_when: base}",
        "loops over what is known only while it runs",
    ),
    ("file: {path: /a, state: directory}\n      async: 10", "has the keyword async"),
]


@pytest.mark.parametrize(("task", "why"), OTHERS, ids=[one[0] for one in OTHERS])
def test_any_other_task_stays_one_and_is_told_why(imported: Import, task: str, why: str) -> None:
    row, node = only(imported({"site.yml": PLAY.format(task=task)}))
    assert (row.becomes, row.why) == ("tasks", why)
    assert (node["tasks"], "absent" in node) == ("imported-it.yml", bool(row.undo))
    assert bool(row.undo) != bool(row.no_undo)


def test_variables_of_the_play_that_a_task_reads_go_with_it(imported: Import) -> None:
    task = "file: {path: '{{ place }}', state: directory}\n      become: true\n      vars: {more: 1}"
    _row, node = only(imported({"site.yml": PLAY.format(task=task)}))
    assert node["keywords"] == {"become": True, "vars": {"base": "/srv", "place": "{{ base }}/www", "more": 1}}


@pytest.mark.parametrize(("item", "undo"), [(one, "removes /x/{{ item }}") for one in ("a.html", "folder")])
def test_a_file_of_a_loop_is_removed_if_it_is_one(imported: Import, item: str, undo: str) -> None:
    task = f"copy: {{src: '{{{{ item }}}}', dest: '/x/{{{{ item }}}}'}}\n      loop: [{item}]"
    row, _node = only(imported({"site.yml": PLAY.format(task=task)}))
    assert row.undo == undo


@pytest.mark.parametrize("key", ["loop", "with_items"])
def test_each_item_of_a_list_is_a_resource(imported: Import, key: str) -> None:
    task = f"file: {{path: '{{{{ item.a }}}}', state: directory}}\n      {key}: [{{a: /x}}, {{a: /y}}]"
    found = imported({"site.yml": PLAY.format(task=task)})
    assert [row.node for row in found.rows] == ["it_x", "it_y"]
    assert found.nodes["it_y"]["keywords"] == {"vars": {"item": {"a": "/y"}}}


@pytest.mark.parametrize("name", ["address", "through", "place"])
def test_what_reads_facts_by_a_variable_is_no_resource_and_gathers_them(imported: Import, name: str) -> None:
    inventory = {"group_vars/web.yml": "address: '{{ ansible_facts.ipv4 }}'\nthrough: '{{ address }}'\n"}
    tasks = f"[{{name: it, file: {{path: '/{{{{ {name} }}}}', state: directory}}}}]"
    play = f"- hosts: web\n  vars: {{place: '{{{{ through }}}}'}}\n  tasks: {tasks}\n"
    row, node = only(imported({**inventory, "site.yml": play}))
    assert row.why == f"reads the variable {name}, which is encrypted or made of facts"
    assert node["keywords"] == {"gather_facts": True}


def test_a_variable_of_the_play_counts_before_that_of_the_inventory(imported: Import) -> None:
    inventory = {"group_vars/web.yml": "place: '{{ ansible_facts.ipv4 }}'\n"}
    task = "file: {path: '{{ place }}', state: directory}"
    row, _node = only(imported({**inventory, "site.yml": PLAY.format(task=task)}))
    assert row.becomes == "resource"


@pytest.mark.parametrize("loop", [{"with_nested": [["a"], ["b"]]}, {"with_dict": {"a": 1}}, {"loop": "{{ places }}"}])
def test_what_a_loop_made_is_taken_away_by_the_same_loop(imported: Import, loop: dict[str, Any]) -> None:
    task = f"copy: {{content: x, dest: '/x/{{{{ item }}}}'}}\n      {json.dumps(loop)[1:-1]}"
    row, _node = only(found := imported({"site.yml": PLAY.format(task=task)}))
    assert row.undo == "removes /x/{{ item }}"
    (removal,) = found.files["imported-it-remove.yml"]
    assert removal.items() >= loop.items()
