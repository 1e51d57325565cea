"""What is around orders is the same in a process elsewhere, which has none of the files that it comes from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOOK = """
import base64, json, sys
from pathlib import Path
from ansible_ensemble.core.orders import ModuleCall
from ansible_ensemble.lanes.session import standalone_session
from ansible_ensemble.lanes.surroundings import Surroundings, session_in

do, root, file = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if do == "here":
    session = standalone_session(str(root / "hosts.yml"), {"default": "open"}, base=root, extra_variables={"x": 1})
    session.variable_manager.set_nonpersistent_facts("web1", {"noted": "before"})
    session.variable_manager.set_host_facts("web2", {"distribution": "Debian", "ansible_local": {"own": 1}})
    session.groups = {"made": ["web1"]}
    around = Surroundings(session, root, root / "plays" if len(sys.argv) > 4 else None)
    order = ModuleCall("ansible.builtin.debug", {"msg": "{{ hostvars[item] }} {{ groups.all }} localhost"})
    file.write_text(json.dumps([base64.b64encode(around.common).decode(), around.hosts(order, root, {})]))
else:
    common, hosts = json.loads(file.read_text())
    session = session_in(base64.b64decode(common), root, lambda text: text.replace("/srv/project", str(root)))
    session.brought.learn(hosts)

from ansible import constants
from ansible.template import Templar
from ansible_ensemble.lanes import core

def see(name):
    manager = session.variable_manager
    variables = manager.get_vars(play=session.play, host=session.inventory.get_host(name))
    templar = Templar(loader=session.loader, variables=variables)
    kept = {key: value for key, value in variables.items() if key not in LEFT_OUT}
    return core.jsonable(templar.template(kept)), templar.template(session_text)

LEFT_OUT = {"ansible_config_file", "hostvars", "omit", "playbook_dir", "vars", "inventory_dir", "inventory_file"}
from ansible.template import trust_as_template
session_text = trust_as_template("{{ hostvars['web2'].word }} {{ hostvars | sort }} {{ groups['web'] }}")
found = {name: see(name) for name in ("web1", "web2", "db1", "localhost")}
print(json.dumps([found, core.masked("hushhush"), session.groups, constants.DEFAULT_FORKS]))
"""
HOSTS = """\
all:
  vars: {told: "{{ word | default('none') }}-{{ ports[80] }}-{{ secret }}", ports: {80: http}, raw: !unsafe "{{ no }}"}
  children:
    web: {hosts: {web1: {ansible_port: 22, word: own, key: /srv/project/key}, web2: }}
    db: {children: {web: }, hosts: {db1: }, vars: {word: db}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, content in {
        "hosts.yml": HOSTS,
        "group_vars/web.yml": "word: web",
        "host_vars/web2.yml": "word: '{{ x }}'",
        "plays/group_vars/db.yml": "beside: the play",
        "ansible.cfg": "[defaults]\nforks = 7\n",
        "password": "open",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    words = ["ansible-vault", "encrypt_string", "--vault-password-file", "password", "--name", "secret", "hushhush"]
    made = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    (folder / "group_vars" / "all.yml").write_text(made.stdout)
    (folder / "password").unlink()
    return folder


def look(do: str, folder: Path, file: Path, *more: str) -> Any:
    words = [sys.executable, "-c", LOOK, do, str(folder), str(file), *more]
    return json.loads(subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout)


@pytest.mark.parametrize("more", [[], ["plays"]])
def test_variables_groups_and_settings_are_the_same_elsewhere(project: Path, tmp_path: Path, more: list[str]) -> None:
    here = look("here", project, tmp_path / "around", *more)
    there = tmp_path / "there"
    there.mkdir()
    (there / "ansible.cfg").write_text((project / "ansible.cfg").read_text())
    elsewhere = look("there", there, tmp_path / "around")
    if more:  # the variables are those of another folder then, which holds this one's alone
        beside = {name: elsewhere[0][name][0].get("beside") for name in ("web1", "db1", "localhost")}
        assert beside == {"web1": "the play", "db1": "the play", "localhost": None}
        return
    assert here[0]["web1"][0]["told"] == "own-http-hushhush"
    here[0]["web1"][0]["key"] = str(there / "key")
    assert elsewhere == here
    assert here[1] != "hushhush"
    assert here[3] == 7


REFUSE = """
import base64, json, sys
from pathlib import Path
from ansible_ensemble.core.orders import Host, ModuleCall
from ansible_ensemble.lanes.session import standalone_session
from ansible_ensemble.lanes.surroundings import Surroundings, session_in

do, root, file = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if do == "here":
    session = standalone_session(str(root / "hosts.yml"), {"default": "open"}, base=root, extra_variables={"x": 1})
    around = Surroundings(session, root)
    orders = [ModuleCall("ansible.builtin.ping", host=Host(name)) for name in ("web1", "db1")]
    hosts = [around.hosts(order, root, {}) for order in orders]
    file.write_text(json.dumps([base64.b64encode(around.common).decode(), *hosts]))
    print("null")
    raise SystemExit
from ansible.errors import AnsibleError
from ansible.template import Templar, trust_as_template

common, *hosts = json.loads(file.read_text())
session = session_in(base64.b64decode(common), root, str)
found = []
for host in hosts:
    session.brought.learn(host)
    for name in ("web1", "web2", "db1", "localhost"):
        try:
            session.variable_manager.get_vars(play=session.play, host=session.inventory.get_host(name))
        except AnsibleError as error:
            found.append(str(error))
own = session.variable_manager.get_vars(play=session.play, host=session.inventory.get_host("db1"))
session.brought.learn(hosts[1])
before = session.brought.refused()
text = trust_as_template("{{ hostvars['web2'].word | default('none') }}")
try:
    Templar(loader=session.loader, variables=own).template(text)
except AnsibleError:
    pass
print(json.dumps([found, before, session.brought.refused()]))
"""


def test_variables_of_hosts_that_an_order_did_not_bring_are_refused(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "around"
    for do in ("here", "there"):
        words = [sys.executable, "-c", REFUSE, do, str(project), str(file)]
        done = subprocess.run(words, cwd=project, check=True, capture_output=True, text=True)
    found, before, refused = json.loads(done.stdout)
    named = [text.split(" are not on this node")[0].removeprefix("the variables of ") for text in found]
    assert named == ["web2", "db1", "localhost", "web1", "web2", "localhost"]
    assert before is None
    assert refused.startswith("the variables of web2 are not on this node")
