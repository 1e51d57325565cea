from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput

from .conftest import Import

ROLE = {
    "roles/app/tasks/main.yml": "- file: {path: /app, state: directory}\n  notify: again\n",
    "roles/app/handlers/main.yml": "- name: again\n  debug: msg=again\n",
    "roles/app/defaults/main.yml": "app_port: 80\n",
}

#: The plays -> the nodes in their order, each with what it is: `NAME KIND`.
CASES = {
    "each step comes after the one before it": (
        "- hosts: web\n  pre_tasks: [{name: a, file: {path: /a, state: directory}}]\n"
        "  roles: [app]\n  post_tasks: [{name: z, debug: {msg: z}}]\n"
        "- hosts: db\n  tasks: [{name: b, file: {path: /b, state: directory}}]\n",
        ["a module web", "app role web", "z tasks web", "b module db"],
    ),
    "what is registered and read is one file of tasks": (
        "- hosts: web\n  tasks:\n"
        "  - {name: look, stat: {path: /a}, register: found}\n"
        "  - {name: between, file: {path: /b, state: directory}}\n"
        "  - {name: tell, debug: {msg: '{{ found.stat }}'}}\n"
        "  - {name: later, file: {path: /c, state: directory}}\n",
        ["look tasks web", "later module web"],
    ),
    "tasks from the first to the last that notifies a handler are one play": (
        "- hosts: web\n  handlers: [{name: again, debug: {msg: x}}]\n  tasks:\n"
        "  - {name: a, copy: {content: a, dest: /a}, notify: again}\n"
        "  - {name: b, file: {path: /b, state: directory}}\n"
        "  - {name: c, copy: {content: c, dest: /c}, notify: again}\n"
        "  - {name: d, file: {path: /d, state: directory}}\n",
        ["a playbook web", "d module web"],
    ),
    "a handler of a role that a task notifies": (
        "- hosts: web\n  roles: [app]\n  tasks: [{name: a, copy: {content: a, dest: /a}, notify: again}]\n",
        ["app playbook web"],
    ),
    "a default of a role that a task reads": (
        "- hosts: web\n  roles: [app]\n  tasks: [{name: a, copy: {content: '{{ app_port }}', dest: /a}}]\n",
        ["app playbook web"],
    ),
    "a role on a condition": (
        "- hosts: web\n  roles: [{role: app, when: root is defined}]\n",
        ["app playbook web"],
    ),
    "hosts in batches": (
        "- name: Roll\n  hosts: web\n  serial: 1\n  roles: [app]\n  tasks: [{name: a, copy: {content: a, dest: /a}}]\n",
        ["app role web_in_turn", "a module web_in_turn"],
    ),
    "hosts in batches of a computed size": (
        "- name: Roll\n  hosts: web\n  serial: '{{ size }}'\n  roles: [app]\n",
        ["roll playbook"],
    ),
    "hosts in batches, and what is about all of them": (
        "- name: Roll\n  hosts: web\n  serial: 1\n  tasks: [{debug: {msg: '{{ ansible_play_batch }}'}}]\n",
        ["roll playbook"],
    ),
    "hosts in batches with a connection": (
        "- name: Roll\n  hosts: web\n  serial: 1\n  connection: local\n  tasks: [{debug: {}}]\n",
        ["roll playbook"],
    ),
    "one host of all": (
        "- hosts: web\n  tasks:\n  - {name: a, debug: {msg: x}, run_once: true}\n  - {name: b, debug: {msg: x}}\n"
        "  - {name: c, copy: {content: c, dest: /c}, run_once: true}\n"
        "  - {name: d, copy: {content: d, dest: /d}, run_once: '{{ once }}'}\n",
        ["a tasks web once", "b tasks web", "c module web once", "d playbook"],
    ),
    "a play on one host of all": (
        "- hosts: web\n  run_once: true\n  roles: [app]\n  tasks: [{name: a, copy: {content: a, dest: /a}}]\n",
        ["app role web once", "a module web once"],
    ),
    "what one host finds for all": (
        "- hosts: web\n  tasks:\n  - {name: a, command: token, register: token, run_once: true}\n"
        "  - {name: b, copy: {content: '{{ token.stdout }}', dest: /b}}\n"
        "  - {name: c, copy: {content: c, dest: /c}}\n",
        ["a playbook", "c module web"],
    ),
    "what is done elsewhere": (
        "- hosts: web\n  tasks:\n  - {name: a, copy: {content: a, dest: /a}, delegate_to: d1}\n"
        "  - {name: b, local_action: copy content=b dest=/b}\n",
        ["a module web", "b module web"],
    ),
    "a part about all hosts of the play": (
        "- hosts: web\n  tasks:\n  - {name: a, copy: {content: a, dest: /a}}\n"
        "  - {name: b, debug: {msg: '{{ ansible_play_hosts }}'}}\n  - {name: c, copy: {content: c, dest: /c}}\n",
        ["a module web", "b playbook", "c module web"],
    ),
    "what may end a play": (
        "- hosts: web\n  tasks:\n  - {name: a, copy: {content: a, dest: /a}}\n"
        "  - {name: b, meta: end_host, when: root is defined}\n  - {name: c, copy: {content: c, dest: /c}}\n"
        "- hosts: db\n  tasks:\n  - {name: e, meta: end_play, when: root is defined}\n"
        "  - {name: f, copy: {content: c, dest: /c}}\n",
        ["a module web", "b tasks web", "e playbook"],
    ),
    "hosts that an earlier play adds": (
        "- hosts: web\n  tasks: [{name: a, add_host: {name: new, groups: fresh}}]\n"
        "- hosts: fresh\n  tasks: [{name: b, debug: {}}]\n- hosts: db\n  tasks: [{name: c, debug: {}}]\n",
        ["play_of_web playbook", "c tasks db"],
    ),
    "facts that each play gathers": (
        "- hosts: db\n  tasks: [{name: a, setup: {}}]\n"
        "- hosts: web\n  tasks: [{name: b, debug: {msg: '{{ ansible_facts.system }}'}}]\n",
        ["a tasks db", "b tasks web"],
    ),
    "facts that only a task gathers": (
        "- hosts: db\n  tasks: [{service_facts: {}}]\n"
        "- hosts: db\n  tasks: [{name: b, debug: {msg: '{{ ansible_facts.services }}'}}]\n",
        ["play_of_db playbook"],
    ),
    "what a later play reads": (
        "- hosts: web\n  tasks: [{set_fact: {port: 1}}]\n- hosts: web\n  tasks: [{debug: {msg: '{{ port }}'}}]\n",
        ["play_of_web playbook"],
    ),
    "the controller": ("- hosts: localhost\n  tasks: [{name: a, file: {path: /a, state: directory}}]\n", ["a module"]),
    "a connection of the play": (
        "- hosts: web\n  connection: local\n  tasks: [{name: a, file: {path: /a, state: directory}}]\n",
        ["a module hosts=web"],
    ),
    "a file of tasks that all are resources": ("- hosts: web\n  tasks: [{import_tasks: some.yml}]\n", ["s module web"]),
    "a role that a task runs": (
        "- hosts: web\n  tasks: [{name: x, include_role: {name: app, tasks_from: main}, vars: {a: 1}}]\n",
        ["app role web"],
    ),
    "a role that a task runs on a condition": (
        "- hosts: web\n  tasks: [{name: x, include_role: {name: app}, when: root is defined}]\n",
        ["x playbook web"],
    ),
    "a role that a block runs, whose variables come before those of the play": (
        "- hosts: web\n  tasks: [{name: x, block: [{import_role: {name: app}}], when: root is defined}]\n",
        ["x playbook web"],
    ),
    "what needs a play around it shares one": (
        "- hosts: web\n  vars_files: [nosuch.yml]\n  tasks: [{debug: {msg: a}}, {debug: {msg: b}}]\n",
        ["debug playbook web"],
    ),
    "facts of other hosts": (
        "- hosts: db\n  tasks: [{name: a, file: {path: /a, state: directory}}]\n- hosts: web\n  tasks:\n"
        "  - {name: b, copy: {content: \"{{ hostvars['d1'].ansible_facts.system }}\", dest: /b}}\n",
        ["a module db", "b playbook"],
    ),
    "variables of other hosts": (
        "- hosts: db\n  tasks: [{name: a, file: {path: /a, state: directory}}]\n- hosts: web\n  tasks:\n"
        "  - {name: b, copy: {content: \"{{ hostvars['d1'].size }}\", dest: /b}}\n",
        ["a module db", "b module web"],
    ),
    "what the tasks of other hosts set": (
        "- hosts: web\n  tasks:\n"
        '  - {name: a, set_fact: {own_id: "{{ inventory_hostname }}"}}\n'
        "  - name: b\n    copy: {content: \"{{ groups.web | map('extract', hostvars, 'own_id') }}\", dest: /b}\n",
        ["a playbook"],
    ),
    "what the tasks of its own host set": (
        "- hosts: web\n  tasks:\n"
        "  - {name: a, set_fact: {own_id: \"{{ hostvars['d1'].size }}\"}}\n"
        '  - {name: b, copy: {content: "{{ own_id }}", dest: /b}}\n',
        ["a tasks web"],
    ),
    "a task without a name": (
        "- hosts: web\n  tasks: [{file: path=/srv/x state=directory}]\n",
        ["file_srv_x module web"],
    ),
    "a play elsewhere": ("- import_playbook: sub/play.yml\n", ["far playbook"]),
    "a play on a condition": ("- import_playbook: sub/play.yml\n  when: 1 == 1\n", ["play playbook"]),
    "the handler's own service, which is started later": (
        "- hosts: web\n  handlers: [{name: again, service: {name: x, state: restarted}}]\n  tasks:\n"
        "  - {name: a, copy: {content: a, dest: /a}, notify: again}\n"
        "  - {name: b, file: {path: /b, state: directory}}\n"
        "  - {name: c, service: {name: x, state: started}}\n"
        "  - {name: d, service: {name: y, state: started}}\n",
        ["a playbook web", "d module web"],
    ),
    "variables that are included": (
        "- hosts: web\n  tasks:\n  - {name: a, include_vars: vars/some.yml}\n"
        "  - {name: b, copy: {content: '{{ included }}', dest: /b}}\n"
        "  - {name: c, file: {path: /c, state: directory}}\n",
        ["a tasks web", "c module web"],
    ),
    "a template that includes another one with facts": (
        "- hosts: web\n  tasks: [{name: a, template: {src: outer.j2, dest: /a}}]\n",
        ["a tasks web"],
    ),
    "the items of lists in a list": (
        "- hosts: web\n  tasks: [{name: a, file: {path: '{{ item }}', state: directory}, with_items: [[x, y], z]}]\n",
        ["a_x module web", "a_y module web", "a_z module web"],
    ),
    "what tasks of a file set": (
        "- hosts: web\n  tasks:\n  - {name: a, include_tasks: set.yml, when: root is defined}\n"
        "  - {name: b, copy: {content: '{{ set_there }}', dest: /b}}\n"
        "  - {name: c, file: {path: /c, state: directory}}\n",
        ["a tasks web", "c module web"],
    ),
    "what tasks of a file that is computed set": (
        "- hosts: web\n  tasks:\n  - {name: a, include_tasks: '{{ of }}et.yml'}\n"
        "  - {name: b, copy: {content: '{{ set_there }}', dest: /b}}\n",
        ["a tasks web"],
    ),
    "tasks of a file that notify a handler": (
        "- hosts: web\n  handlers: [{name: again, debug: {}}]\n  tasks: [{name: a, include_tasks: tell.yml}]\n",
        ["a playbook web"],
    ),
    "tasks that notify a handler of a file": (
        "- hosts: web\n  handlers: [{import_tasks: again.yml}]\n  tasks:\n"
        "  - {name: a, copy: {content: a, dest: /a}, notify: again}\n"
        "  - {name: b, file: {path: /b, state: directory}}\n"
        "  - {name: c, copy: {content: c, dest: /c}, notify: again}\n"
        "  - {name: d, service: {name: x, state: started}}\n"
        "  - {name: e, file: {path: /e, state: directory}}\n",
        ["a playbook web", "e module web"],
    ),
    "a role with the name of a group": ("- hosts: db\n  roles: [db]\n", ["db_role role db"]),
    "a role that is given facts": (
        "- hosts: web\n  roles: [{role: app, size: '{{ ansible_facts.memtotal_mb }}'}]\n",
        ["app playbook web"],
    ),
    "what a handler reads": (
        "- hosts: web\n  handlers: [{name: again, debug: {msg: '{{ found }}'}}]\n  tasks:\n"
        "  - {name: a, stat: {path: /a}, register: found}\n"
        "  - {name: b, copy: {content: b, dest: /b}, notify: again}\n",
        ["a playbook web"],
    ),
    "a handler for one host of all": (
        "- hosts: web\n  handlers: [{name: again, run_once: true, debug: {}}]\n"
        "  tasks: [{name: b, copy: {content: b, dest: /b}, notify: again}]\n",
        ["b playbook"],
    ),
    "a file of variables that another variable needs": (
        "- hosts: web\n  vars: {a: '{{ included }}'}\n  vars_files: [vars/some.yml]\n"
        "  tasks: [{name: a, debug: {msg: '{{ a }}'}}]\n",
        ["a tasks web"],
    ),
    "a role with a keyword that a node has not": (
        "- hosts: web\n  roles: [{role: app, check_mode: true, remote_user: me}]\n",
        ["app playbook web"],
    ),
    "a bound of the time of a play": (
        "- hosts: web\n  timeout: 3\n  tasks: [{file: {path: /a, state: directory}}]\n",
        ["play_of_web playbook"],
    ),
    "a role by its path": ("- hosts: web\n  roles: [sub/roles/there]\n", ["there role web"]),
    "several patterns": (
        "- hosts: [web, db]\n  tasks: [{name: a, file: {path: /a, state: directory}}]\n",
        ["a module web_db"],
    ),
    "a file of other tasks": ("- hosts: web\n  tasks: [{import_tasks: other.yml}]\n", ["other tasks web"]),
}
FILES = {
    "vars/some.yml": "included: 1\n",
    "set.yml": "- set_fact: {set_there: 1}\n- {include_tasks: set.yml, when: false}\n",
    "tell.yml": "- {copy: {content: a, dest: /a}, notify: again}\n",
    "again.yml": "- {name: again, service: {name: x, state: restarted}}\n",
    "roles/db/tasks/main.yml": "- ping: {}\n",
    "fleet.yml": "not: a list\n",
    "wet.yml": "- [: no YAML\n",
    "templates/outer.j2": "{% include 'inner.j2' %}\n",
    "templates/inner.j2": "{{ ansible_facts.system }}{% if deep %}{% include 'outer.j2' %}{% endif %}\n",
    "sub/roles/there/tasks/main.yml": "- ping: {}\n",
    "sub/play.yml": "- {name: Far, hosts: web, tasks: [{ping: {}}]}\n",
    "some.yml": "- {name: s, file: {path: /s, state: directory}}\n",
    "other.yml": "- {name: s, file: {path: /s, state: directory}}\n- {name: t, command: make}\n",
}


@pytest.mark.parametrize("case", CASES)
def test_the_steps_of_plays(imported: Import, case: str) -> None:
    text, expected = CASES[case]
    found = imported({"site.yml": text, **ROLE, **FILES})
    steps = {name: node for name, node in found.nodes.items() if node.get("type") != "ansible.Group"}
    made = []
    for name, node in steps.items():
        kind = next(kind for kind in ("module", "role", "tasks", "playbook") if kind in node)
        where = node.get("host") or (f"hosts={node['hosts']}" if "hosts" in node else "")
        made.append(" ".join(filter(None, [name, kind, where, "once" * node.get("run_once", False)])))
    assert made == expected
    names = list(steps)
    for before, name in pairwise(names):
        assert steps[name]["requirements"] == [{"dependency": before}]


def test_a_cluster_of_many_plays_is_a_node_for_each_play_and_role(imported: Import) -> None:
    plays = [
        f"- {{name: Part {number}, hosts: web, roles: [{{role: app, vars: {{n: {number}}}}}], {more}}}\n"
        for number, more in enumerate(
            3 * ["gather_facts: false", "serial: 1", "become: true", "any_errors_fatal: true"]
        )
    ]
    last = """\
- {hosts: web, tasks: [{name: Join, copy: {content: a, dest: /join}, run_once: true, delegate_to: d1}]}
- {hosts: web, handlers: [{name: A, debug: {}}], tasks: [{name: Set, copy: {content: a, dest: /set}, notify: A}]}
- {hosts: web, tasks: [{block: [{name: Try, file: {path: /try, state: touch}}], rescue: [{name: Mend, debug: {}}]}]}
"""
    nodes = imported({"site.yml": "".join(plays) + last, **ROLE}).nodes.values()
    steps = [node for node in nodes if node.get("type") != "ansible.Group"]
    assert len(steps) == 15
    assert sum(node.get("role") == "app" for node in steps) == 12
    (join,) = (node for node in steps if node.get("run_once"))
    assert join["keywords"]["delegate_to"] == "d1"


def test_what_is_read_of_a_file_of_variables_is_read_there_from_then_on(imported: Import) -> None:
    nodes = imported(
        {
            "site.yml": "- hosts: web\n  vars: {a: '{{ b }}', d: 1}\n"
            "  vars_files: [one.yml, vars/two.yml, ../out.yml]\n  tasks:\n"
            "  - {name: t, copy: {content: '{{ a }}{{ c }}', dest: /a}, vars: {c: 0}}\n"
            "  - {name: u, copy: {content: '{{ d }}{{ f }}', dest: /b}}\n  roles: [app]\n",
            "../out.yml": "{f: 1}",
            "one.yml": "{b: 1, c: 1, e: 1}",
            "vars/two.yml": "{b: '{{ e }}', x: 2}",
            "roles/app/tasks/main.yml": "- debug: {msg: '{{ x }}'}\n",
        }
    ).nodes
    assert nodes["t"]["keywords"] == {
        "vars": {"a": "{{ b }}", "c": 0},
        "vars_files": {"one.yml": ["e"], "vars/two.yml": ["b"]},
    }
    assert nodes["u"]["keywords"] == {"vars": {"d": 1, "f": 1}}
    assert nodes["app"]["keywords"] == {"vars_files": {"vars/two.yml": ["x"]}}


def test_tags_are_groups_and_what_is_tagged_never_is_left_out(imported: Import) -> None:
    found = imported(
        {
            "site.yml": "- hosts: web\n  tags: all_of_it\n  tasks:\n"
            "  - {name: a, file: {path: /a, state: directory}, tags: [x]}\n"
            "  - {name: b, file: {path: /b, state: directory}, tags: never}\n"
        }
    )
    assert {name: group["members"] for name, group in found.groups.items()} == {"all_of_it": ["a"], "x": ["a"]}
    assert [(row.name, row.becomes, row.node) for row in found.rows] == [("a", "resource", "a"), ("b", "left out", "")]


def test_a_play_for_each_host_has_what_is_around_it(imported: Import) -> None:
    found = imported(
        {
            "site.yml": "- hosts: web\n  vars: {port: 1}\n  become: true\n  gather_facts: false\n"
            "  handlers: [{name: again, debug: {msg: x}}]\n"
            "  tasks: [{name: a, copy: {content: a, dest: /a}, notify: again}]\n"
        }
    )
    (play,) = found.files["imported-a.yml"]
    assert play == {
        "name": "a",
        "hosts": "all",
        "vars": {"port": 1},
        "become": True,
        "gather_facts": False,
        "handlers": [{"name": "again", "debug": {"msg": "x"}}],
        "tasks": [{"name": "a", "copy": {"content": "a", "dest": "/a"}, "notify": "again"}],
    }


def test_a_role_that_reads_facts_gathers_them(imported: Import) -> None:
    role = {"roles/app/tasks/main.yml": "- copy: {content: '{{ ansible_facts.os_family }}', dest: /a}\n"}
    found = imported({"site.yml": "- hosts: web\n  vars: {a: 1}\n  roles: [{role: app, size: 3}]\n", **role})
    assert found.nodes["app"] == {
        "role": "app",
        "vars": {"size": 3},
        "keywords": {"gather_facts": True},
        "absent": {"tasks": "imported-app-remove.yml"},
        "host": "web",
    }


def test_what_takes_away_what_a_role_made(imported: Import) -> None:
    role = {
        "roles/app/defaults/main.yml": "place: /opt/app\n",
        "roles/app/meta/main.yml": "dependencies: [base]\n",
        "roles/base/tasks/main.yml": "- {name: below, copy: {content: x, dest: /x}}\n",
        "roles/app/tasks/main.yml": "- {name: folder, file: {path: '{{ place }}', state: directory}}\n"
        "- {import_tasks: more.yml, when: place is defined}\n"
        "- {name: found, command: ls, register: found}\n"
        "- {name: tool, copy: {src: tool, dest: /usr/bin/tool}}\n"
        "- {name: each, copy: {content: a, dest: '/{{ item }}'}, loop: '{{ found.stdout_lines }}'}\n",
        "roles/app/tasks/more.yml": "- {name: more, copy: {content: a, dest: '{{ place }}/a'}}\n"
        "- include_tasks: main.yml\n",
    }
    found = imported({"site.yml": "- hosts: web\n  roles: [app]\n", **role})
    variables, tool, block, folder = found.files["imported-app-remove.yml"]
    assert variables == {
        "name": "Variables of the role app",
        "ansible.builtin.import_role": {"name": "app"},
        "when": False,
        "tags": ["never"],
    }
    assert tool["ansible.builtin.command"]["removes"] == "/usr/bin/tool"
    assert block["when"] == "place is defined"
    assert [one["name"] for one in block["block"]] == ["Take away: more"]
    assert folder["ansible.builtin.file"] == {"path": "{{ place }}", "state": "absent"}
    assert found.rows[0].undo == "takes away what 3 of its 5 tasks made"


def test_what_a_role_makes_by_what_it_found_stays(imported: Import) -> None:
    role = {
        "roles/app/defaults/main.yml": "place: '{{ found.stdout }}/app'\n",
        "roles/app/tasks/main.yml": "- {name: found, command: ls, register: found}\n"
        "- {name: made, copy: {content: a, dest: '{{ place }}'}}\n"
        "- {name: plain, copy: {content: a, dest: /plain}}\n"
        "- {name: around, when: place == '/', block: [{name: inside, copy: {content: a, dest: /inside}}]}\n",
    }
    found = imported({"site.yml": "- hosts: web\n  roles: [app]\n", **role})
    assert [task["name"] for task in found.files["imported-app-remove.yml"][1:]] == ["Take away: plain"]


def test_what_rests_on_the_folders_of_a_role_stays(imported: Import) -> None:
    role = {
        "roles/app/tasks/main.yml": "- {name: glob, copy: {src: '{{ item }}', dest: /srv/}, with_fileglob: '*.conf'}\n"
        "- {name: path, copy: {content: a, dest: '/{{ role_path | basename }}'}}\n"
        "- {name: looked up, copy: {content: a, dest: \"/{{ lookup('file', 'a') }}\"}}\n"
        "- {name: plain, copy: {content: a, dest: /plain}}\n",
    }
    found = imported({"site.yml": "- {hosts: web, roles: [app]}\n", **role})
    assert [task["name"] for task in found.files["imported-app-remove.yml"][1:]] == ["Take away: plain"]


def test_what_rests_on_what_an_earlier_play_found_stays(imported: Import) -> None:
    plays = (
        "- {hosts: web, tasks: [{set_fact: {which: a}}]}\n"
        "- hosts: web\n  tasks:\n  - {name: fact, copy: {content: a, dest: '/{{ which }}'}}\n"
        "  - {name: plain, copy: {content: a, dest: /plain}}\n"
    )
    text = str(imported({"site.yml": plays}).files)
    assert "Take away: plain" in text
    assert "Take away: fact" not in text


@pytest.mark.parametrize("content", ["[a, b]", "- {copy: {dest: /a}, file: {path: /b}}"])
def test_files_that_are_no_tasks_stop_no_import(imported: Import, content: str) -> None:
    role = {
        "roles/app/tasks/main.yml": "- {include_tasks: never.yml, when: false}\n- copy: {content: a, dest: /a}\n",
        "roles/app/tasks/never.yml": content,
    }
    assert imported({"site.yml": "- hosts: web\n  roles: [app]\n", **role}).rows[0].becomes == "role"


def test_questions_become_inputs(imported: Import) -> None:
    prompts = "[{name: who, prompt: Who?, private: false, default: me}, {name: key}]"
    found = imported({"site.yml": f"- name: Ask\n  hosts: web\n  vars_prompt: {prompts}\n  tasks: [{{debug: {{}}}}]\n"})
    assert found.files["service-template.yaml"]["topology_template"]["inputs"] == {
        "who": {"type": "string", "description": "Who?", "default": "me"},
        "key": {"type": "string", "metadata": {"sensitive": True}},
    }
    assert found.nodes["ask"]["vars"] == {"who": {"get_input": "who"}, "key": {"get_input": "key"}}
    assert found.files["imported-ask.yml"] == [{"name": "Ask", "hosts": "web", "tasks": [{"debug": {}}]}]


def test_all_hosts_of_a_play_are_not_the_one_of_an_operation(imported: Import) -> None:
    found = imported({"site.yml": "- {name: Roll, hosts: all, order: sorted, tasks: [{ping: {}}]}\n"})
    assert found.files["imported-roll.yml"][0]["hosts"] == "all:all"


def test_facts_that_an_earlier_play_gathered_are_gathered_again(imported: Import) -> None:
    task = "tasks: [{name: %s, debug: {msg: '{{ ansible_facts.system }}'}}]"
    found = imported(
        {"site.yml": f"- hosts: db\n  {task % 'a'}\n- hosts: web\n  gather_facts: false\n  {task % 'b'}\n"}
    )
    assert found.nodes["b"]["keywords"] == {"gather_facts": True}


def test_what_takes_away_what_tasks_made(imported: Import) -> None:
    found = imported(
        {
            "site.yml": "- hosts: web\n  become: true\n  vars: {base: /srv, other: 1}\n  tasks:\n"
            "  - {name: a, file: {path: '{{ base }}/a', state: directory}, when: base is defined}\n"
            "  - {name: b, local_action: copy content=b dest=/b, when: base is defined}\n"
            "  - {name: c, command: make}\n"
        }
    )
    (block,) = found.files["imported-a-remove.yml"]
    assert {key: value for key, value in block.items() if key not in ("name", "block")} == {
        "become": True,
        "vars": {"base": "/srv"},
    }
    assert [task["name"] for task in block["block"]] == ["Take away: b", "Take away: a"]
    assert block["block"][0] == {
        "name": "Take away: b",
        "ansible.builtin.file": {"path": "/b", "state": "absent"},
        "delegate_to": "localhost",
        "when": "base is defined",
    }
    assert block["block"][1]["when"] == "base is defined"
    assert [bool(row.undo) for row in found.rows] == [True, True, False]


@pytest.mark.parametrize(
    ("serial", "given"), [("1", 1), ("30%", "30%"), ("[1, '50%']", [1, "50%"]), ("[2]", 2)], ids=str
)
def test_hosts_in_batches_are_a_group_of_their_play(imported: Import, serial: str, given: Any) -> None:
    play = f"- {{hosts: web, serial: {serial}, tasks: [{{name: a, copy: {{content: a, dest: /a}}}}]}}\n"
    nodes = imported({"site.yml": play + play}).nodes
    group = {"type": "ansible.Group", "properties": {"hosts": "web", "gather_facts": False, "serial": given}}
    assert nodes["web_in_turn"] == nodes["web_in_turn_2"] == group
    assert (nodes["a"]["host"], nodes["a_2"]["host"]) == ("web_in_turn", "web_in_turn_2")


def test_what_one_host_made_is_known_to_all(imported: Import) -> None:
    found = imported(
        {
            "site.yml": "- hosts: web\n  tasks:\n"
            "  - {name: a, user: {name: x}, register: made, run_once: true}\n"
            "  - {name: b, user: {name: y}, register: other, run_once: true, delegate_to: d1}\n"
            "  - {name: c, copy: {content: '{{ made.uid }} {{ other.uid }}', dest: /c}}\n"
            "  - {name: d, debug: {msg: '{{ other.uid }}'}}\n"
        }
    )
    result = ["SELF", "dependency", 0, "result"]
    assert found.nodes["b"]["keywords"] == {"delegate_to": "d1"}
    assert found.nodes["c"]["keywords"]["vars"] == {
        "made": {"get_attribute": result},
        "other": {"get_attribute": ["SELF", "dependency", 1, "result"]},
    }
    assert found.nodes["c"]["requirements"] == [{"dependency": "a"}, {"dependency": "b"}]
    assert found.nodes["d"]["vars"] == {"other": {"get_attribute": result}}
    assert found.nodes["d"]["requirements"] == [{"dependency": "b"}, {"dependency": "c"}]


@pytest.mark.parametrize("read", ["made.changed", "hostvars.w1.made", "made is changed"])
def test_what_is_of_a_run_is_read_in_that_run(imported: Import, read: str) -> None:
    once = "{name: a, user: {name: x}, register: made, run_once: true}"
    reader = f"{{name: b, debug: {{msg: '{{{{ {read} }}}}'}}}}"
    found = imported({"site.yml": f"- {{hosts: web, tasks: [{once}, {reader}]}}\n"})
    assert [(row.node, row.becomes) for row in found.rows] == [("a", "playbook"), ("a", "playbook")]
    assert found.files["imported-a.yml"][0]["hosts"] == "web"


def test_facts_of_other_hosts_are_gathered_before(imported: Import) -> None:
    task = "copy: {content: \"{{ hostvars['d1'].ansible_facts.system }}\", dest: /b}"
    play = f"- hosts: web\n  tasks: [{{name: b, {task}}}]\n"
    found = imported({"site.yml": f"- hosts: db\n- hosts: all\n  gather_facts: false\n{play}"})
    first, second, play = found.files["imported-b.yml"]
    assert [one["hosts"] for one in (first, second, play)] == ["db", "web", "web"]
    assert first["gather_facts"] and second["gather_facts"]


REMOVED = """\
- hosts: web
  PLAY
  handlers:
    - {name: again, listen: topic, copy: {content: h, dest: /h}}
    - {name: other, copy: {content: o, dest: /o}}
  tasks:
    - name: try
      when: root is defined
      block: [{name: a, copy: {content: a, dest: /a}}, {name: b, command: make}]
      rescue: [{name: c, copy: {content: c, dest: /c}}]
      always: [{name: d, copy: {content: d, dest: /d}, notify: topic}]
"""


@pytest.mark.parametrize("play", ["gather_facts: false", "order: sorted"])
def test_what_blocks_and_handlers_made_is_taken_away(imported: Import, play: str) -> None:
    found = imported({"site.yml": REMOVED.replace("PLAY", play)})
    (row,) = found.rows
    node = found.nodes[row.node]
    if play.startswith("order"):
        (removing,) = found.files[node["absent"]["playbook"]]
        assert removing["hosts"] == "web"
        tasks = removing["tasks"]
        assert row.undo == "takes away what 1 of its 1 tasks and roles made"
    else:
        tasks = found.files[node["absent"]["tasks"]]
        assert row.undo == "takes away what 3 of its 4 tasks made"
    handler, block = tasks
    assert handler == {
        "name": "Take away: again",
        "ansible.builtin.file": {"path": "/h", "state": "absent"},
    }
    assert block["when"] == "root is defined"
    assert [one["ansible.builtin.file"]["path"] for one in block["block"]] == ["/d", "/c", "/a"]


def test_a_role_that_can_remove_what_it_made(imported: Import) -> None:
    found = imported(
        {**ROLE, "roles/app/tasks/uninstall.yml": "- ping: {}\n", "site.yml": "- {hosts: web, roles: [app]}\n"}
    )
    assert found.nodes["app"]["absent"] == {"tasks_from": "uninstall"}
    assert found.rows[0].undo == "its tasks uninstall"


def test_what_is_on_hosts_that_tasks_make_stays(imported: Import) -> None:
    makes = "- hosts: web\n  tasks: [{group_by: {key: made}}, {copy: {dest: /a, content: a}}]\n"
    found = imported({"site.yml": makes + "- hosts: made\n  tasks: [{copy: {dest: /b, content: b}}]\n"})
    assert [(row.undo, row.no_undo) for row in found.rows] == [
        ("takes away what 1 of its 2 tasks and roles made", ""),
        ("", "its hosts are those that tasks of another play make"),
    ]
    (removing,) = (plays for name, plays in found.files.items() if name.endswith("-remove.yml"))
    assert [play["hosts"] for play in removing] == ["web"]


def test_a_playbook_that_imports_itself_is_refused(imported: Import) -> None:
    with pytest.raises(InvalidInput, match="imports itself"):
        imported({"site.yml": "- import_playbook: site.yml\n"})


def test_variables_of_an_import_go_before_those_of_what_it_imports(imported: Import) -> None:
    play = """\
- hosts: web
  vars: {by: play, how: play, own: play}
  tasks: [{copy: {dest: /a, content: "{{ by }} {{ how }} {{ own }}"}}]
"""
    found = imported(
        {
            "site.yml": "- {import_playbook: middle.yml, vars: {by: site}}\n",
            "middle.yml": "- {import_playbook: play.yml, vars: {by: middle, how: middle}}\n",
            "play.yml": play,
        }
    )
    assert found.nodes["copy_a"]["keywords"]["vars"] == {"by": "site", "how": "middle", "own": "play"}


def test_a_play_outside_of_the_folder_is_refused_if_a_file_would_be_written_there(imported: Import) -> None:
    one, other = "- {name: One, hosts: web, tasks: [{ping: {}}]}\n", "- {name: Two, hosts: db, tasks: [{ping: {}}]}\n"
    site = {"site.yml": "- import_playbook: ../outside/play.yml\n"}
    found = imported({**site, "../outside/play.yml": one})
    assert found.nodes["one"]["playbook"] == "../outside/play.yml"
    with pytest.raises(InvalidInput, match=r"outside/play.yml:1: .* would lie outside of"):
        imported({**site, "../outside/play.yml": one + other})


def test_a_folder_may_be_reached_by_a_link(imported: Import, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    play = "- {name: Two, hosts: db, order: sorted, tasks: [{ping: {}}]}\n"
    found = imported({"site.yml": "- import_playbook: link/play.yml\n", "real/play.yml": play + play})
    assert set(found.files) == {"service-template.yaml", "real/imported-two.yml", "real/imported-two_2.yml"}


@pytest.mark.parametrize("never", ["tags: never", "tags: [never, other]"])
def test_what_is_tagged_never_in_a_block_is_left_out(imported: Import, never: str) -> None:
    task = f"{{name: wipe, file: {{path: /data, state: absent}}, {never}}}"
    other = "{name: b, file: {path: /b, state: directory}}"
    found = imported({"site.yml": f"- hosts: web\n  tasks: [{{block: [{task}, {other}]}}]\n"})
    assert [(row.name, row.becomes) for row in found.rows] == [("b", "resource"), ("wipe", "left out")]


def test_a_file_with_what_is_tagged_never_stays_as_it_is(imported: Import) -> None:
    folder = "file: {path: /%s, state: directory}"
    tasks = f"- {{name: a, {folder % 'a'}, tags: never}}\n- {{name: b, {folder % 'b'}}}\n"
    found = imported({"site.yml": "- hosts: web\n  tasks: [{import_tasks: some.yml, tags: t}]\n", "some.yml": tasks})
    assert [(row.becomes, row.why) for row in found.rows] == [("tasks", "is tagged never")]
    assert [task["name"] for task in found.files["imported-some-remove.yml"]] == ["Take away: b"]


def test_tasks_of_a_file_have_the_tags_of_its_import(imported: Import) -> None:
    found = imported({"site.yml": "- hosts: web\n  tasks: [{import_tasks: some.yml, tags: t}]\n", **FILES})
    assert found.groups["t"]["members"] == ["s"]
