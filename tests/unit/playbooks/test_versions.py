"""What excludes the ansible-core that is installed is told at import."""

from __future__ import annotations

import pytest
from ansible.release import __version__

from .conftest import Import

VERSION = "ansible_version.full is version"
TASKS = {
    f"{{assert: {{that: \"{VERSION}('99', '>=')\"}}}}": f"asserts that {VERSION}('99', '>=')",
    f"{{assert: {{that: [1 == 1, \"{VERSION}('2.5', '<')\"]}}}}": f"asserts that {VERSION}('2.5', '<')",
    f"{{fail: {{msg: x}}, when: \"{VERSION}('99', '<')\"}}": f"fails when {VERSION}('99', '<')",
    "{block: [{assert: {that: [ansible_version.major == 1]}}]}": "asserts that ansible_version.major == 1",
    "{assert: {that: ansible_version.major == 1}, when: ansible_version.major < 3}": "asserts that ansible_version",
    f"{{assert: {{that: \"{VERSION}('2.5', '>=')\"}}}}": "",
    "{assert: {that: ansible_version.major == 1}, when: false}": "",
    "{assert: {that: ansible_version.major == 1 or other}}": "",
    "{assert: {that: 1 == 2}}": "",
    "{fail: {msg: x}, when: other}": "",
}


@pytest.mark.parametrize(("task", "told"), TASKS.items())
@pytest.mark.parametrize("where", ["site.yml", "roles/app/tasks/main.yml"])
def test_a_condition_on_the_version(imported: Import, task: str, told: str, where: str) -> None:
    if where == "site.yml":
        files = {where: f"- hosts: web\n  tasks:\n  - {task}\n"}
    else:
        files = {where: f"- {task}\n", "site.yml": "- {hosts: web, roles: [app]}\n"}
    remarks = imported(files).remarks
    assert bool(remarks) == bool(told)
    for one in remarks:
        assert one.text.startswith(told)
        assert one.text.endswith(f"this is ansible-core {__version__}")
        assert one.place.file.endswith(where) and one.place.line
        assert not one.written


@pytest.mark.parametrize(("wanted", "told"), [("99.1", True), ("2.9", False), ("any", False)])
def test_what_a_role_wants(imported: Import, wanted: str, told: bool) -> None:
    role = {
        "roles/app/meta/main.yml": f"galaxy_info: {{min_ansible_version: '{wanted}'}}\n",
        "roles/app/tasks/main.yml": "",
    }
    remarks = imported({"site.yml": "- {hosts: web, roles: [app]}\n", **role}).remarks
    assert [one.text.partition(",")[0] for one in remarks] == (
        ["the role app wants 99.1 or newer (min_ansible_version)"] if told else []
    )


@pytest.mark.parametrize(
    ("wanted", "told"), [(">=99", True), ("<2.10", True), (">=2.15.0", False), ("nonsense", False)]
)
def test_what_a_collection_wants(imported: Import, wanted: str, told: bool) -> None:
    home = "collections/ansible_collections/acme/tools"
    files = {
        f"{home}/meta/runtime.yml": f"requires_ansible: '{wanted}'\n",
        "roles/app/tasks/more.yml": "- acme.tools.thing: {}\n- acme.tools.thing: {}\n",
        "roles/app/tasks/main.yml": "- ping: {}\n",
        "site.yml": "- {hosts: web, roles: [app]}\n",
    }
    remarks = imported(files).remarks
    assert [one.text.partition(", and")[0] for one in remarks] == (
        [f"the collection acme.tools wants {wanted} (requires_ansible)"] if told else []
    )
