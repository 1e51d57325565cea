"""What is around orders is the same in a process elsewhere, which has none of the files that it comes from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LOOK = """
import json, sys
from pathlib import Path
from ansible_ensemble.lanes.session import standalone_session
from ansible_ensemble.lanes.surroundings import session_in, surroundings_of

do, root, file = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
if do == "here":
    session = standalone_session(str(root / "hosts.yml"), {"default": "open"}, base=root, extra_variables={"x": 1})
    session.variable_manager.set_nonpersistent_facts("web1", {"noted": "before"})
    session.variable_manager.set_host_facts("web2", {"distribution": "Debian", "ansible_local": {"own": 1}})
    session.groups = {"made": ["web1"]}
    file.write_bytes(surroundings_of(session, root, root / "plays" if len(sys.argv) > 4 else None))
else:
    session = session_in(file.read_bytes(), root, lambda text: text.replace("/srv/project", str(root)))

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
