"""Resources of Ansible in a few lines: deployed, drifted, repaired and taken down; and modules one by one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.sshd import SSHD, serving

from .conftest import Run
from .modules import BUILTIN, COMMUNITY, Row, is_there, make_programs, resources, spoil

Command = Callable[..., Run]

COLLECTIONS = Path(__file__).parents[3] / ".build/community"

INVENTORY = """\
[web]
web1
web2
[web:vars]
ansible_connection=local
ansible_python_interpreter="{{ ansible_playbook_python }}"
"""
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {folder: {type: string}}
  node_templates:
    web1: {type: ansible.Host}
    site: {role: site, hosts: web, vars: {folder: {get_input: folder}}, absent: {tasks_from: remove}}
    page:
      module: template
      args: {src: page.j2, dest: {concat: [{get_input: folder}, /page]}, mode: "0644"}
      absent: {module: file, args: {path: {concat: [{get_input: folder}, /page]}, state: absent}}
    worker: {module: worker, args: {name: w, folder: {get_input: folder}, token: geheim}, host: web1}
"""
#: A stand-in for the manager of services of a machine.
WORKER = '''\
DOCUMENTATION = """
options:
  name: {type: str, required: true}
  folder: {type: path, required: true}
  token: {type: str}
  state: {type: str, choices: [started, absent], default: started}
"""
from pathlib import Path
from ansible.module_utils.basic import AnsibleModule


def main():
    spec = dict(name=dict(required=True), folder=dict(type="path", required=True), token=dict(no_log=True),
                state=dict(choices=["started", "absent"], default="started"))
    module = AnsibleModule(spec, supports_check_mode=True)
    file = Path(module.params["folder"], module.params["name"] + ".running")
    wanted = module.params["state"] == "started"
    changed = file.exists() != wanted
    if changed and not module.check_mode:
        file.write_text("") if wanted else file.unlink()
    module.exit_json(changed=changed, file=str(file))


if __name__ == "__main__":
    main()
'''
FILES = {
    "hosts.ini": INVENTORY,
    "service.yaml": SERVICE,
    "page.j2": "a page\n",
    "library/worker.py": WORKER,
    "roles/site/tasks/main.yml": "- copy: {dest: '{{ folder }}/{{ inventory_hostname }}', content: hello}\n",
    "roles/site/tasks/remove.yml": "- file: {path: '{{ folder }}/{{ inventory_hostname }}', state: absent}\n",
    "roles/site/meta/argument_specs.yml": "argument_specs: {main: {options: {folder: {type: path, required: true}}}}\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "there").mkdir()
    return tmp_path


def there(project: Path) -> list[str]:
    return sorted(file.name for file in (project / "there").iterdir())


BY_SSH = [pytest.mark.matrix, pytest.mark.skipif(SSHD is None, reason="needs sshd")]


@pytest.fixture(params=["local", pytest.param("ssh", marks=BY_SSH)])
def hosts(request: pytest.FixtureRequest, project: Path) -> Iterator[None]:
    """The hosts of the inventory: connections to here, and servers for SSH."""
    if request.param == "local":
        yield
        return
    with serving(project / "ssh", ["web1", "web2"]) as servers:
        given = servers.variables(project / "known").items()
        variables = "".join(f"{name}={value}\n" for name, value in given)
        ports = "".join(f"{name} ansible_host=127.0.0.1 ansible_port={port}\n" for name, port in servers.ports.items())
        (project / "hosts.ini").write_text(f"[web]\n{ports}[web:vars]\n{variables}")
        yield


@pytest.mark.usefixtures("hosts")
def test_fifteen_lines(command: Command, project: Path) -> None:
    assert len(FILES["service.yaml"].splitlines()) <= 15
    inventory = ("-i", "hosts.ini")
    done = command("deploy", "service.yaml", "--approve", *inventory, "--input", f"folder={project / 'there'}")
    assert done.code == 0, done.output
    assert there(project) == ["page", "w.running", "web1", "web2"]
    assert "ansible_system: Linux" in (project / "ensemble.yaml").read_text(), "facts are attributes"

    (project / "there/web2").write_text("by hand\n")
    (project / "there/page").unlink()
    (project / "there/w.running").unlink()
    given = (*inventory, "--input", f"folder={project / 'there'}")
    done = command("check", "--output", "json", "--diff", *given)
    statuses = json.loads(done.stdout)
    assert done.stderr == "" or "geheim" not in done.stderr
    drifted = {one["instance"] for one in statuses["drift"]}
    assert drifted == {"site@web2", "page", "worker"}, done.output
    assert "by hand" in done.stdout

    done = command("deploy", "--approve", *given)
    assert "3 changed" in done.output, done.output
    assert there(project) == ["page", "w.running", "web1", "web2"]
    assert (project / "there/web2").read_text() == "hello"

    done = command("undeploy", "--approve", *given)
    assert done.code == 0, done.output
    assert there(project) == []
    written = [file for file in project.rglob("*") if file.is_file() and file.name != "service.yaml"]
    assert not [file for file in written if b"geheim" in file.read_bytes()]


def test_what_is_written_out_is_the_same(command: Command, project: Path) -> None:
    given = ("-i", "hosts.ini", "--input", f"folder={project / 'there'}")
    long = command("validate", "--expanded", "service.yaml")
    assert long.code == 0, long.output
    plans = []
    for text in (FILES["service.yaml"], long.stdout):
        (project / "service.yaml").write_text(text)
        plan = json.loads(command("plan", "service.yaml", "--output", "json", *given).stdout)
        plans.append([(one["name"], one["type"], one["change"]["after"]) for one in plan["resource_changes"]])
    assert plans[0] == plans[1]
    assert [name for name, *_ in plans[0]] == ["web1", "site@web1", "site@web2", "page", "worker"]


GROUP = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {folder: {type: string}}
  node_templates:
    machines: {type: ansible.Group, properties: {hosts: web}}
    site: {role: site, host: machines, vars: {folder: {get_input: folder}}, absent: {tasks_from: remove}}
    page:
      module: template
      args: {src: page.j2, dest: {concat: [{get_input: folder}, "/{{ inventory_hostname }}.page"]}}
      absent:
        {module: file, args: {path: {concat: [{get_input: folder}, "/{{ inventory_hostname }}.page"]}, state: absent}}
      host: machines
    worker: {module: worker, args: {name: "{{ inventory_hostname }}", folder: {get_input: folder}}, host: machines}
"""


def of(*hosts: str) -> list[str]:
    """What is there on some hosts."""
    return sorted(f"{host}{suffix}" for host in hosts for suffix in ("", ".page", ".running"))


def test_hosts_join_a_group_and_leave_it(command: Command, project: Path) -> None:
    assert len(GROUP.splitlines()) <= 15
    given = ("-i", "hosts.ini", "--input", f"folder={project / 'there'}")
    (project / "service.yaml").write_text(GROUP)
    done = command("deploy", "service.yaml", "--approve", *given)
    assert done.code == 0, done.output
    assert there(project) == of("web1", "web2")

    moved = INVENTORY.replace("web1\n", "").replace("web2\n", "web2\nweb3\n") + "[all]\nweb1\n"
    (project / "hosts.ini").write_text(moved.replace("[web:vars]", "[all:vars]"))
    done = command("deploy", "--approve", *given)
    assert done.code == 0, done.output
    assert there(project) == of("web1", "web2", "web3"), "one that leaves stays without --prune"
    assert "site@web1" in done.output and "--prune is not set" in done.output

    (project / "there/web3").write_text("by hand\n")
    (project / "there/web2.page").unlink()
    (project / "there/web3.running").unlink()
    done = command("check", "--output", "json", *given)
    drifted = {one["instance"] for one in json.loads(done.stdout)["drift"]}
    assert drifted == {"site@web3", "page@web2", "worker@web3"}

    done = command("deploy", "--prune", "--approve", *given)
    assert done.code == 0, done.output
    assert there(project) == of("web2", "web3")
    assert (project / "there/web3").read_text() == "hello"

    status = command("status", "--output", "json")
    assert status.code == 0, status.output
    done = command("undeploy", "--approve", *given)
    assert done.code == 0, done.output
    assert there(project) == []


OF_HOSTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    machines: {type: ansible.Group, properties: {hosts: web}}
    note: {module: debug, args: {msg: "{{ inventory_hostname }} is {{ word }}"}, host: machines}
    page: {module: debug, args: {msg: "{{ word }}"}, hosts: [web1]}
    line: {module: debug, args: {msg: "{{ word }}"}, host: web2}
"""


def test_values_and_limits_are_those_of_the_host(command: Command, project: Path) -> None:
    (project / "service.yaml").write_text(OF_HOSTS)
    (project / "hosts.ini").write_text(
        INVENTORY.replace("web1\n", "web1 word=one\n").replace("web2\n", "web2 word=two\n")
    )
    assert command("trust", ".").code == 0

    def planned(*options: str) -> dict[str, Any]:
        done = command("plan", "service.yaml", "-i", "hosts.ini", "--output", "json", *options)
        assert done.code == 0, done.output
        changes = {one["name"]: one["change"]["after"] for one in json.loads(done.stdout)["resource_changes"]}
        return {name: after["args"]["msg"] for name, after in changes.items() if "args" in after}

    of_web2 = {"note@web2": "web2 is two", "line": "two"}
    assert planned() == {"note@web1": "web1 is one", "page@web1": "one", **of_web2}
    assert planned("-l", "web2") == planned("-l", "web:!web1") == of_web2


def test_hosts_that_are_none(command: Command, project: Path) -> None:
    (project / "service.yaml").write_text(GROUP)
    assert command("validate", "service.yaml").code == 0, "which hosts there are is a matter of the inventory"
    folder = ("--input", f"folder={project / 'there'}")
    done = command("plan", "service.yaml", *folder)
    assert done.code == 3
    assert "service.yaml:5:" in done.stderr
    assert 'no host and no group of the inventory is "web" (no inventory is named' in done.stderr
    (project / "empty.ini").write_text("[web]\n")
    done = command("plan", "service.yaml", "-i", "empty.ini", *folder)
    assert done.code == 0, done.output
    assert "no host of the inventory is one of web (-i names the inventory)" in done.output
    assert "site      its hosts are unknown" in done.output
    assert "No changes" not in done.output
    (project / "service.yaml").write_text(GROUP.replace("hosts: web", "hosts: 'web[7]'"))
    done = command("plan", "service.yaml", "-i", "hosts.ini", *folder)
    assert done.code == 3, "Ansible, too, fails by it"
    assert "No hosts matched the subscripted pattern 'web[7]'" in done.stderr


THERE_ALREADY = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    same: {module: copy, args: {dest: there/same, content: same, mode: "0644"}}
    other: {module: copy, args: {dest: there/other, content: other}}
    none: {module: copy, args: {dest: there/none, content: none}}
    deed: {module: command, args: {cmd: touch there/deed}}
    deeds: {tasks: deeds.yml}
    shy: {tasks: shy.yml}
    looks: {tasks: looks.yml}
    partly: {tasks: partly.yml}
"""
TASKS = {
    "deeds.yml": "- command: touch there/deeds\n- copy: {dest: there/fixed, content: same}\n",
    "shy.yml": "- copy: {dest: there/shy, content: shy}\n  when: not ansible_check_mode\n",
    "looks.yml": "- {command: cat there/same, register: told, changed_when: false, check_mode: false}\n"
    "- assert: {that: told.stdout == 'same'}\n- {command: touch there/never, when: told.stdout != 'same'}\n",
    "partly.yml": "- copy: {dest: there/whole, content: same}\n- copy: {dest: there/more, content: more}\n",
}


def test_what_is_there_is_adopted_as_it_is_found(command: Command, project: Path) -> None:
    for name, text in {"service.yaml": THERE_ALREADY, **TASKS}.items():
        (project / name).write_text(text)
    for name in ("same", "fixed", "whole"):
        (project / "there" / name).write_text("same")
        (project / "there" / name).chmod(0o644)
    (project / "there/other").write_text("by hand\n")
    before = {file.name: file.stat().st_mtime_ns for file in (project / "there").iterdir()}

    done = command("adopt", "--ensemble", "service.yaml", "--approve", "--output", "json")
    assert done.code == 0, done.output
    report = json.loads(done.stdout)
    assert {kind: set(found) for kind, found in report["adoption"].items()} == {
        "adopted": {"same", "looks"},
        "differ": {"other", "partly"},
        "absent": {"none"},
        "unseen": {"deed", "deeds", "shy"},
    }
    assert "command" in report["adoption"]["unseen"]["deeds"] and "command" in report["adoption"]["unseen"]["deed"]
    assert "by hand" in str([task["diff"] for task in report["tasks"] if task["instance"] == "other"])
    assert {file.name: file.stat().st_mtime_ns for file in (project / "there").iterdir()} == before

    def planned() -> dict[str, str]:
        done = command("plan", "--output", "json")
        assert done.code == 0, done.output
        changes = json.loads(done.stdout)["resource_changes"]
        return {one["name"]: one["change"]["actions"][0] for one in changes}

    created = dict.fromkeys(("none", "deed", "deeds", "shy"), "create")
    assert planned() == {**created, "other": "update", "partly": "update"}
    assert command("deploy", "--approve").code == 0
    assert there(project) == ["deed", "deeds", "fixed", "more", "none", "other", "same", "shy", "whole"]
    assert planned() == {}
    (project / "service.yaml").write_text(THERE_ALREADY.replace("content: same, mode", "content: new, mode"))
    assert planned() == {"same": "update"}, "no operation has deployed it yet, but it was compared"
    done = command("undeploy", "--approve", "--output", "json")
    assert "same" in there(project) and "other" in there(project), "only what it made is the ensemble's"


COLLECTIONS_THERE = pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="make community installs the collections")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(BUILTIN, id="builtin"),
        pytest.param(COMMUNITY, id="community", marks=[COLLECTIONS_THERE, pytest.mark.matrix]),
    ],
)
def test_modules(command: Command, project: Path, rows: list[Row]) -> None:
    folder = project / "there"
    nodes = resources(rows, folder)
    service = {
        "tosca_definitions_version": "tosca_simple_yaml_1_3",
        "topology_template": {"node_templates": {"web1": {"type": "ansible.Host"}, **nodes}},
    }
    (project / "service.yaml").write_text(json.dumps(service))
    make_programs(project / "programs")
    path = f"{project / 'programs'}:{os.environ['PATH']}"
    extra = {"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS), "PATH": path}

    def run(*arguments: str) -> Run:
        done = command(*arguments, "-i", "hosts.ini", extra=extra)
        assert "Traceback" not in done.output
        return done

    done = run("deploy", "service.yaml", "--approve")
    assert done.code == 0, done.output
    assert [row[0] for number, row in enumerate(rows) if not is_there(row, folder / str(number))] == []

    done = run("check", "--output", "json")
    assert json.loads(done.stdout)["drift"] == [], done.stdout

    for number, row in enumerate(rows):
        spoil(row, folder / str(number))
    done = run("check", "--output", "json")
    assert sorted(one["instance"] for one in json.loads(done.stdout)["drift"]) == sorted(nodes), done.stdout

    done = run("deploy", "--approve")
    assert done.code == 0, done.output
    assert [row[0] for number, row in enumerate(rows) if not is_there(row, folder / str(number))] == []

    done = run("undeploy", "--approve")
    assert done.code == 0, done.output
    left = [row[0] for number, row in enumerate(rows) if is_there(row, folder / str(number))]
    assert left == [row[0] for row in rows if not row[4]]
