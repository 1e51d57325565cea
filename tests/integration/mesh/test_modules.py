"""Modules, task files and roles on real nodes: what they find there, what they bring back, what is sent once."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import pytest

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.site import Site, needs_mesh, site_of

pytestmark = needs_mesh
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Told:
    derived_from: tosca.nodes.Root
    attributes: {stdout: {type: string}, greeting: {type: string}, seen: {type: string}}
topology_template:
  inputs:
    word: {type: string, metadata: {sensitive: true}}
  node_templates:
    command:
      type: Told
      interfaces:
        Standard:
          operations: {create: {implementation: ansible.builtin.command, inputs: {argv: [cat, files/motd]}}}
    copy:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create: {implementation: ansible.builtin.copy, inputs: {src: motd, dest: FOLDER/copied, mode: "0640"}}
    file:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations: {create: {implementation: ansible.builtin.file, inputs: {path: FOLDER/made, state: directory}}}
    template:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create:
              implementation: {primary: ansible.builtin.template, vars: {word: {get_input: word}}}
              inputs: {src: word.j2, dest: FOLDER/word}
    own:
      type: Told
      interfaces: {Standard: {operations: {create: {implementation: greeting, inputs: {name: world}}}}}
    tasks:
      type: Told
      interfaces: {Standard: {operations: {create: {implementation: tasks.yaml, inputs: {name: all}}}}}
    role:
      type: tosca.nodes.Root
      interfaces: {Standard: {operations: {create: greet}}}
    failing:
      type: tosca.nodes.Root
      interfaces: {Standard: {operations: {create: {implementation: ansible.builtin.fail, inputs: {msg: not today}}}}}
"""
FILES = {
    "files/motd": "welcome\n",
    "templates/word.j2": "the word is {{ word }}\n",
    "tasks.yaml": """\
- ansible.builtin.template: {src: word.j2, dest: "FOLDER/tasks"}
  vars: {word: "{{ name }}"}
- ansible.builtin.set_stats: {data: {seen: "{{ lookup('file', 'motd') }}"}}
""",
    "roles/greet/tasks/main.yml": "- ansible.builtin.copy: {src: greeting, dest: 'FOLDER/greeting'}\n",
    "roles/greet/files/greeting": "hello\n",
    "library/greeting.py": """\
#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule({"name": {"type": "str"}}, supports_check_mode=True)
module.exit_json(changed=False, greeting="hello " + module.params["name"])
""",
}


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        for name, content in FILES.items():
            (made.project / name).parent.mkdir(parents=True, exist_ok=True)
            (made.project / name).write_text(content.replace("FOLDER", str(made.folder)))
        yield made


def deploy(site: Site, *words: str) -> dict[str, dict[str, Any]]:
    """The tasks of a deploy, by instance."""
    report = site.deployed("--input", "word=s3cret", *words)
    return {task["instance"]: task for task in report["tasks"]}


def contents(site: Site) -> set[str]:
    """Digests of what was sent, whichever node it went to: a job places its operations anew."""
    return {path.name for path in site.folder.glob("*.kept/contents/*")}


def test_modules_task_files_and_roles_run_on_nodes(site: Site) -> None:
    a_dry_run_changes_nothing_and_shows_what_would(site)
    they_run_on_nodes_with_the_files_of_the_project(site)
    only_what_has_changed_is_sent_and_run_again(site)


def a_dry_run_changes_nothing_and_shows_what_would(site: Site) -> None:
    tasks = deploy(site, "--check", "--diff")
    assert {tasks[name]["node"] for name in ("copy", "file", "template", "tasks")} <= {"b1", "b2"}
    assert [tasks[name]["changed"] for name in ("copy", "file", "template")] == [True, True, True]
    assert "welcome" in str(tasks["copy"])
    assert not [site.folder / name for name in ("copied", "made", "word") if (site.folder / name).exists()]


def they_run_on_nodes_with_the_files_of_the_project(site: Site) -> None:
    tasks = deploy(site)
    failed = tasks.pop("failing")
    assert {name: task["status"] for name, task in tasks.items()} == dict.fromkeys(tasks, "ok"), tasks
    assert {task["node"] for task in tasks.values()} == {"b1", "b2"}
    assert failed["status"] == "error"
    assert failed["node"] in ("b1", "b2")
    assert "not today" in failed["error"]
    assert (site.folder / "copied").read_text() == "welcome\n"
    assert (site.folder / "copied").stat().st_mode & 0o777 == 0o640
    assert (site.folder / "made").is_dir()
    assert (site.folder / "word").read_text() == "the word is s3cret\n"
    assert (site.folder / "tasks").read_text() == "the word is all\n"
    assert (site.folder / "greeting").read_text() == "hello\n"
    told = {name: tasks[name]["attributes"][name] for name in ("command", "own", "tasks")}
    assert told == {"command": {"stdout": "welcome"}, "own": {"greeting": "hello world"}, "tasks": {"seen": "welcome"}}
    wait_for(lambda: not [*site.folder.glob("*.kept/orders/*/*")], "the orders to be forgotten")


def only_what_has_changed_is_sent_and_run_again(site: Site) -> None:
    before = contents(site)
    (site.project / "files" / "motd").write_text("good bye\n")
    tasks = deploy(site)
    assert {"copy", "failing"} <= tasks.keys()
    assert not {"file", "role", "own"} & tasks.keys()
    assert (site.folder / "copied").read_text() == "good bye\n"
    changed = [site.project / name for name in ("files/motd", ".gitignore")]  # the first deploy wrote the second
    assert contents(site) - before == {sha256(file.read_bytes()).hexdigest() for file in changed}


def test_no_secret_is_in_what_a_worker_keeps(site: Site) -> None:
    (site.project / "server.key").write_text("k3y")
    deploy(site)
    kept = [path for path in site.folder.glob("*.kept/**/*") if path.is_file()]
    assert [path for path in kept if b"s3cret" in path.read_bytes() or b"k3y" in path.read_bytes()] == []
    assert [path for path in kept if b"welcome" in path.read_bytes()]
