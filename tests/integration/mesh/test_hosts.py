"""Operations for hosts of the inventory, run from real nodes over real connections, beside the same run from here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.mesh.site import Site, needs_mesh, report_of, site_of
from tests.integration.sshd import SSHD, Servers, serving

pytestmark = [
    *needs_mesh,
    pytest.mark.skipif(SSHD is None, reason="there is no sshd"),
    pytest.mark.slow,
]
ENDED = ("status", "changed", "host", "attributes", "outputs", "error", "rc", "diff", "target_status", "target_state")
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Seen:
    derived_from: tosca.nodes.Root
    attributes: {seen: {type: any}, stdout: {type: string}}
topology_template:
  node_templates:
    module:
      type: Seen
      interfaces:
        Standard:
          operations:
            create: {implementation: {primary: ansible.builtin.command, operation_host: web1}, inputs: {cmd: id -un}}
    line:
      type: Seen
      interfaces:
        Standard: {operations: {create: {implementation: {primary: "id -un", operation_host: web2}}}}
    copy:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create:
              implementation: {primary: ansible.builtin.copy, operation_host: web1}
              inputs: {src: motd, dest: PLACE/copied, mode: "0644"}
    delegated:
      type: Seen
      interfaces:
        Standard:
          operations:
            create:
              implementation: {primary: ansible.builtin.command, operation_host: web1, delegate_to: web2}
              inputs: {cmd: hostname}
    tasks:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: tasks.yaml, operation_host: web1}}}}}
    role:
      type: Seen
      interfaces:
        Standard: {operations: {create: {implementation: {primary: greet, operation_host: web2, vars: {word: hi}}}}}
    playbook:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: plays/site.yaml, operation_host: web1}}}}}
    script:
      type: Seen
      interfaces:
        Standard: {operations: {create: {implementation: look.sh, inputs: {color: red, arguments: [one]}}}}
    sent:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: look.sh, operation_host: web2}}}}}
    failing:
      type: Seen
      interfaces:
        Standard: {operations: {create: {implementation: {primary: ansible.builtin.command, operation_host: web2},
          inputs: {cmd: /bin/false}}}}
    away:
      type: Seen
      interfaces:
        Standard: {operations: {create: {implementation: {primary: ansible.builtin.ping, operation_host: gone}}}}
"""
TASKS = """\
- ansible.builtin.command: id -un
  register: who
  changed_when: false
- ansible.builtin.command: "echo {{ item }} {{ shared }}"
  loop: [1, 2]
  register: echoed
  changed_when: item == 2
- ansible.builtin.set_fact: {mine: "{{ inventory_hostname }} {{ deep.map[1] }} {{ later }}"}
- ansible.builtin.command: "echo {{ inventory_hostname }} {{ port_there }}"
  delegate_to: web2
  vars: {port_there: "{{ hostvars['web2'].word }}"}
  register: there
- ansible.builtin.template: {src: word.j2, dest: PLACE/word, mode: "0644"}
- ansible.builtin.set_stats:
    data:
      seen:
        who: "{{ who.stdout }}"
        echoed: "{{ echoed.results | map(attribute='stdout') }}"
        mine: "{{ mine }}"
        there: "{{ there.stdout }}"
        groups: "{{ groups }}"
        in: "{{ group_names }}"
        words: "{{ groups['web'] | map('extract', hostvars, 'word') }}"
        secret: "{{ vaulted | length }}"
        given: "{{ given }}"
"""
FILES = {
    "files/motd": "welcome\n",
    "templates/word.j2": "{{ word }} {{ vaulted }} {{ hostvars['web2'].word }}\n",
    "tasks.yaml": TASKS,
    "roles/greet/tasks/main.yml": """\
- ansible.builtin.setup: {gather_subset: ["!all", "!min", "user"]}
- ansible.builtin.copy: {content: "{{ word }} {{ ansible_facts['user_id'] }}", dest: PLACE/greeting, mode: "0644"}
- ansible.builtin.set_stats: {data: {seen: "{{ word }} {{ inventory_hostname }}"}}
""",
    "plays/group_vars/web.yaml": "beside: the playbook\nword: play\n",
    "plays/site.yaml": """\
- hosts: all
  gather_facts: true
  gather_subset: ["!all", "!min", "user"]
  tasks:
    - ansible.builtin.debug: {msg: "this is {{ inventory_hostname }}"}
    - ansible.builtin.file: {path: PLACE/played, state: directory, mode: "0755"}
    - ansible.builtin.set_stats: {data: {seen: "{{ beside }} {{ word }} {{ ansible_facts['user_id'] }}"}}
""",
    "look.sh": "#!/bin/sh\ncat files/motd 2>/dev/null || echo none\necho $1 $color; touch left-behind\n",
    "group_vars/web.yaml": "word: grouped\nshared: '{{ word }}!'\nlater: '{{ given }}'\n",
    "host_vars/web2.yaml": "word: its own\n",
    "ansible.cfg": "[defaults]\nhost_key_checking = false\n",
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(tmp_path_factory.mktemp("ssh") / "d", ["web1", "web2"]) as made:
        yield made


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        yield made


def prepare(site: Site, servers: Servers, project: Path, place: Path, become: dict[str, Any]) -> None:
    """A project, with the hosts in its inventory, whose operations write in a folder of the hosts."""
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    place.chmod(0o777)
    for name, content in {**FILES, "service.yaml": SERVICE}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content.replace("PLACE", str(place)))
    (project / "look.sh").chmod(0o755)
    variables = {**servers.variables(site.folder / "known"), **become}
    hosts = {name: {"ansible_host": "127.0.0.1", "ansible_port": port} for name, port in servers.ports.items()}
    groups = {"web": {"hosts": hosts}, "all_of_it": {"children": {"web": None}}}
    gone = {"gone": {"ansible_host": "127.0.0.1", "ansible_port": 1}}
    inventory = {"all": {"vars": {**variables, "deep": {"map": {1: "one"}}}, "children": groups, "hosts": gone}}
    (project / "hosts.yaml").write_text(json.dumps(inventory).replace('"1": "one"', '1: "one"'))
    (site.folder / "password").write_text("open")
    words = ["ansible-vault", "encrypt_string", "--vault-password-file", str(site.folder / "password")]
    made = subprocess.run([*words, "--name", "vaulted", "hushhush"], check=True, capture_output=True, text=True)
    (project / "group_vars" / "all.yaml").write_text(made.stdout)


def deployed(site: Site, project: Path, *words: str) -> dict[str, dict[str, Any]]:
    command = ["ansible-ensemble", "deploy", "service.yaml", "--approve", "--output", "json", "-i", "hosts.yaml"]
    command += ["-e", "given=by-job", *words]
    environment = {**os.environ, "ANSIBLE_VAULT_PASSWORD_FILE": str(site.folder / "password")}
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, text=True, cwd=project, env=environment, **piped)  # type: ignore[call-overload]
    return {task["instance"]: task for task in report_of(process)["tasks"]}


def made_in(place: Path) -> dict[str, tuple[str, str, int]]:
    """What is in a folder: owners, contents, modes."""
    return {
        path.name: (path.owner(), path.read_text() if path.is_file() else "", path.stat().st_mode)
        for path in place.iterdir()
    }


def ended(tasks: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """How tasks ended, without headers of diffs, which name files with names of the moment."""
    for task in tasks.values():
        task["diff"] = [{key: one[key] for key in one if "header" not in key} for one in task.get("diff") or ()]
    return {name: {key: task.get(key) for key in ENDED} for name, task in tasks.items()}


def differences(here: dict[str, Any], there: dict[str, Any], *path: str) -> Iterator[tuple[Any, ...]]:
    """Where two results are not the same, and how."""
    for key in sorted({*here, *there}):
        one, other = here.get(key), there.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from differences(one, other, *path, key)
        elif one != other:
            yield (*path, key, one, other)


SUDO = {"ansible_become": True, "ansible_become_method": "sudo", "ansible_become_user": "nobody"}


@pytest.mark.parametrize(
    "become",
    [
        pytest.param({}, id="plain"),
        pytest.param(
            SUDO, id="sudo", marks=pytest.mark.skipif(shutil.which("sudo") is None, reason="there is no sudo")
        ),
    ],
)
def test_what_nodes_do_for_hosts_ends_as_what_is_done_from_here(
    site: Site, servers: Servers, become: dict[str, Any]
) -> None:
    place = site.folder / "place"
    place.parent.chmod(0o755)
    found: dict[str, Any] = {}
    for where in ("here", "there"):
        prepare(site, servers, site.project.with_name("both"), place, become)
        if where == "there":
            settings = site.project / "ensemble-project.yaml"
            shutil.copy(settings, site.project.with_name("both"))
        previews = deployed(site, site.project.with_name("both"), "--check", "--diff")
        assert made_in(place) == {}
        tasks = deployed(site, site.project.with_name("both"), "--diff")
        nodes = {task.get("node") for task in tasks.values()}
        assert nodes <= {"b1", "b2"} if where == "there" else nodes == {None}, tasks
        found[where] = {"preview": ended(previews), "deploy": ended(tasks), "made": made_in(place)}
    assert found["here"]["deploy"]["tasks"]["status"] == "ok"
    different = list(differences(found["here"], found["there"]))
    assert different == [], "\n".join(map(str, different))
    kept = [path for path in site.folder.glob("*.kept/**/*") if path.is_file()]
    assert [path for path in kept if b"hushhush" in path.read_bytes()] == []
    assert [path for path in kept if path.name == "left-behind"] == []
