"""Old spellings are told, and written anew where it is certain what they mean."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Import

#: A task -> the remark, whether it is written so, and what the node has then.
TASKS: list[tuple[str, str, bool, dict[str, Any]]] = [
    (
        "{name: a, file: {path: /a, state: directory}, sudo: true, sudo_user: me}",
        "sudo is an old spelling (write become: true)",
        True,
        {"keywords": {"become": True, "become_user": "me"}},
    ),
    (
        "{name: a, apt: {name: x, state: installed}}",
        "state: installed of apt is an old spelling (write state: present)",
        True,
        {"args": {"name": "x", "state": "present"}},
    ),
    (
        "{name: a, apt: name=x state=installed}",
        "state: installed of apt is an old spelling (write state: present)",
        True,
        {"args": {"name": "x", "state": "present"}},
    ),
    (
        "{name: a, yum: {name: x, state: present}}",
        "the module yum is ansible.builtin.dnf today (write ansible.builtin.dnf)",
        False,
        {"module": "ansible.builtin.dnf"},
    ),
    (
        "{name: a, git: {repo: r, dest: /a, gpg_whitelist: [x]}}",
        "gpg_whitelist of git is an old spelling (write gpg_allowlist)",
        True,
        {"args": {"repo": "r", "dest": "/a", "gpg_allowlist": ["x"]}},
    ),
    ("{name: a, include: some.yml}", "include is an old spelling (write import_tasks: some.yml)", True, {}),
    (
        "{name: a, debug: {msg: x}, always_run: true}",
        "always_run is an old spelling (write check_mode: false)",
        True,
        {},
    ),
    (
        "{name: a, block: [{file: {path: /a, state: directory}, sudo: true}]}",
        "sudo is an old spelling (write become: true)",
        True,
        {"keywords": {"become": True}},
    ),
    (
        "{name: a, mine: {old_name: x}}",
        "old_name of mine is an old spelling (write new_name)",
        True,
        {"args": {"new_name": "x"}},
    ),
]
SOME = "- {name: a, file: {path: /s, state: directory}}\n"
MINE = """\
from ansible.module_utils.basic import AnsibleModule
DOCUMENTATION = "{module: mine, short_description: x, options: {new_name: {description: x, aliases: [old_name]}}}"
SPEC = {"new_name": {"aliases": ["old_name"], "deprecated_aliases": [{"name": "old_name", "version": "3.0"}]},
        "gone": {"removed_in_version": "3.0"}}
if __name__ == "__main__":
    AnsibleModule(SPEC, supports_check_mode=True)
"""


@pytest.mark.parametrize(("task", "told", "written", "has"), TASKS, ids=[one[0] for one in TASKS])
def test_a_task(imported: Import, task: str, told: str, written: bool, has: dict[str, Any]) -> None:
    found = imported({"site.yml": f"- hosts: web\n  tasks:\n  - {task}\n", "some.yml": SOME, "library/mine.py": MINE})
    first = found.remarks[0]
    assert (f"{first.text} ({first.hint})", first.written) == (told, written)
    assert (first.place.file.endswith("site.yml"), first.place.line) == (True, 3)
    (row,) = found.rows
    assert found.nodes[row.node].items() >= has.items()


def test_a_play(imported: Import) -> None:
    found = imported(
        {
            "site.yml": "- hosts: web\n  sudo: true\n  order: sorted\n  tasks: [{name: a, ping: {}}]\n"
            "  handlers: [{name: h, ping: {}, sudo: false}]\n",
        }
    )
    assert [(one.hint, one.written) for one in found.remarks] == [
        ("write become: true", True),
        ("write become: false", True),
    ]
    (play,) = found.files["imported-play_of_web.yml"]
    assert play["become"] is True and play["handlers"] == [{"name": "h", "ping": {}, "become": False}]


def test_an_included_playbook(imported: Import) -> None:
    found = imported(
        {"site.yml": "- include: other.yml\n", "other.yml": "- hosts: web\n  tasks: [{name: a, ping: {}}]\n"}
    )
    assert list(found.nodes) == ["web", "a"]
    assert found.remarks[0].hint == "write import_playbook: other.yml"


def test_in_a_role_it_is_told_only(imported: Import) -> None:
    role = {"roles/app/tasks/main.yml": "- {apt: {name: x, state: installed}}\n- {mine: {gone: 1}}\n"}
    site = {"site.yml": "- {hosts: web, roles: [app]}\n", "library/mine.py": MINE}
    found = imported({**site, **role})
    assert [(one.text, one.place.line, one.written) for one in found.remarks] == [
        ("state: installed of apt is an old spelling", 1, False),
        ("the argument gone of mine is deprecated", 2, False),
    ]
    assert found.remarks[0].place.file.endswith("roles/app/tasks/main.yml")


def test_what_collections_say_of_their_modules(imported: Import) -> None:
    routing = {"old": {"redirect": "acme.tools.new"}, "late": {"deprecation": {"warning_text": "Use new."}}}
    module = MINE.replace("mine", "new")
    names = ["acme.tools.old", "acme.tools.late", "acme.tools.new"]
    home = "collections/ansible_collections/acme/tools"
    found = imported(
        {
            f"{home}/meta/runtime.yml": f"plugin_routing: {{modules: {routing}}}\n",
            f"{home}/plugins/modules/new.py": module,
            f"{home}/plugins/modules/late.py": module,
            "roles/app/tasks/more.yml": "".join(f"- {name}: {{}}\n" for name in names),
            "roles/app/tasks/main.yml": "- ping: {}\n",
            "site.yml": "- {hosts: web, roles: [app]}\n",
        }
    )
    assert [f"{one.text} ({one.hint})" for one in found.remarks] == [
        "the module acme.tools.old is acme.tools.new today (write acme.tools.new)",
        "the module acme.tools.late is deprecated (Use new)",
    ]


@pytest.mark.parametrize(
    ("task", "hint"),
    [
        ("{firewalld: {service: http}}", "write ansible.posix.firewalld"),
        ("{bigip_facts: {}}", "bigip_facts has been removed please use bigip_device_info module"),
    ],
)
def test_a_module_that_is_not_there_is_refused_with_where_it_went(imported: Import, task: str, hint: str) -> None:
    with pytest.raises(Exception, match=r"site.yml:2") as caught:
        imported({"site.yml": f"- hosts: web\n  tasks: [{task}]\n"})
    assert hint in str(caught.value)
