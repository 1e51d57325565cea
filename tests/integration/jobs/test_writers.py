"""Several tasks write one path: the ensemble ends as ansible-playbook does, whatever is changed on the host."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run

Command = Callable[..., Run]
COLLECTIONS = Path(__file__).parents[3] / ".build/community"

INVENTORY = """\
[web]
web1
web2
[web:vars]
ansible_connection=local
ansible_python_interpreter="{{ ansible_playbook_python }}"
[all:vars]
out=%s
"""
SITE = """\
- hosts: all
  gather_facts: false
  vars: {folder: "{{ out }}/{{ inventory_hostname }}"}
  tasks:
    - name: Folder
      file: {path: "{{ folder }}", state: directory, mode: "0755"}
    - name: Base
      copy: {dest: "{{ folder }}/app.conf", content: "a=1\\nb=2\\n", mode: "0644"}
    - name: Set b
      lineinfile: {path: "{{ folder }}/app.conf", regexp: "^b=", line: b=3}
    - name: Mode
      file: {path: "{{ folder }}/app.conf", mode: "0600"}
    - name: Page
      template: {src: page.j2, dest: "{{ folder }}/page.conf"}
    - name: Block
      blockinfile: {path: "{{ folder }}/page.conf", block: "inside"}
    - name: Replaced
      replace: {path: "{{ folder }}/page.conf", regexp: "inside", replace: "within"}
      notify: Tell
    - name: Files
      copy: {src: many/, dest: "{{ folder }}/many/"}
    - name: One of them
      lineinfile: {path: "{{ folder }}/many/../many/one", line: more}
  handlers:
    - name: Tell
      debug: {msg: told}
"""
FILES = {"site.yml": SITE, "templates/page.j2": "page of {{ inventory_hostname }}\n", "files/many/one": "one\n"}
OK = ("-i", "hosts.ini")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {**FILES, "hosts.ini": INVENTORY % (tmp_path / "out")}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "out").mkdir()
    return tmp_path


def tree(folder: Path) -> dict[str, Any]:
    """What is in a folder: of each file its text and mode."""
    return {
        str(path.relative_to(folder)): (path.read_text() if path.is_file() else None, path.stat().st_mode)
        for path in folder.rglob("*")
    }


def drifted(command: Command, *more: str) -> set[str]:
    done = command("check", "--output", "json", *OK, *more)
    return {one["instance"] for one in json.loads(done.stdout)["drift"]}


def deploy(command: Command, *more: str) -> str:
    done = command("deploy", "--approve", *OK, *more)
    assert done.code == 0, done.output
    return done.output


@pytest.mark.matrix
def test_chains_end_as_the_playbook_does(command: Command, project: Path) -> None:
    out = project / "out"
    done = command("site.yml", *OK, program="ansible-playbook")
    assert done.code == 0, done.output
    wanted = tree(out)
    for path in sorted(out.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()

    done = command("import", "site.yml", "--approve", *OK)
    assert done.code == 0, done.output
    deploy(command)
    assert tree(out) == wanted
    assert "No changes" in command("plan", *OK).output
    assert drifted(command) == set()

    spoilt = {
        "web1/app.conf": ("a=1\nb=2\n", "mode@web1"),
        "web2/app.conf": ("a=9\nb=3\n", "mode@web2"),
        "web1/page.conf": ("page of web1\n", "replaced@web1"),
        "web2/many/one": ("one\n", "one_of_them@web2"),
    }
    for name, (text, _node) in spoilt.items():
        (out / name).write_text(text)
    (out / "web1/many/one").chmod(0o640)
    assert drifted(command) == {*(node for _text, node in spoilt.values()), "one_of_them@web1"}
    plan = command("plan", *OK).output
    assert "mode@web1 runs again, so base@web1 runs before it" in plan
    deploy(command)
    assert tree(out) == {**wanted, "web1/many/one": ("one\nmore\n", 0o100640)}, "nothing says which mode it has"
    (out / "web1/many/one").chmod(0o644)
    (out / "web2/app.conf").unlink()
    (out / "web1/app.conf").chmod(0o666)
    assert drifted(command) == {"mode@web2", "mode@web1", "one_of_them@web1"}
    deploy(command)
    assert tree(out) == wanted
    assert drifted(command) == set()

    service = (project / "service-template.yaml").read_text()
    (project / "service-template.yaml").write_text(service.replace("line: b=3", "line: c=4"))
    deploy(command)
    assert (out / "web1/app.conf").read_text() == "a=1\nc=4\n", "as if it had been so from the first"
    assert drifted(command) == set()
    done = command("undeploy", "--approve", *OK)
    assert done.code == 0, done.output
    assert [name for name in tree(out) if name.endswith("app.conf")] == []


RESOURCES = """\
resources:
  base: {module: copy, args: {dest: %(out)s/app.conf, content: "a=1\\n"}}
  set_b: {module: lineinfile, args: {path: %(out)s/app.conf, line: b=3}, requirements: [{dependency: base}]}
"""
MODE = "  mode: {module: file, args: {path: %(out)s/app.conf, mode: '0600'}, requirements: [{dependency: set_b}]}\n"


def test_resources_by_hand(command: Command, project: Path) -> None:
    file, out = project / "out/app.conf", {"out": project / "out"}
    (project / "service.yaml").write_text((RESOURCES + MODE) % out)
    done = command("deploy", "service.yaml", "--approve", *OK)
    assert done.code == 0, done.output
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("a=1\nb=3\n", 0o600)
    assert drifted(command) == set()

    # a job that ended before those that come after: the next one knows
    done = command("run", "--operation", "Standard.configure", "--instance", "base", "--approve", *OK)
    assert done.code == 0, done.output
    assert file.read_text() == "a=1\n"
    assert "base ran after it" in command("plan", *OK).output
    deploy(command)
    assert file.read_text() == "a=1\nb=3\n"

    (project / "service.yaml").write_text(RESOURCES % out)
    assert "stays: base writes it" in deploy(command, "--prune")
    assert file.read_text() == "a=1\nb=3\n"
    assert drifted(command) == set()
    (project / "service.yaml").write_text((RESOURCES % out).partition("  set_b")[0])
    assert "set_b is deleted, so base runs" in deploy(command, "--prune")
    assert file.read_text() == "a=1\n"
    assert drifted(command) == set()
    assert command("undeploy", "--approve", *OK).code == 0
    assert not file.exists()


READERS = """\
resources:
  part: {module: copy, args: {dest: %(out)s/parts/1, content: "a\\n"}}
  whole: {module: assemble, args: {src: %(out)s/parts, dest: %(out)s/whole}, requirements: [{dependency: part}]}
  link: {module: file, args: {src: parts, path: %(out)s/link, state: link}, requirements: [{dependency: whole}]}
  mode: {module: file, args: {path: %(out)s/link/1, mode: '0600'}, requirements: [{dependency: link}]}
"""


def test_readers(command: Command, project: Path) -> None:
    out = project / "out"
    (out / "parts").mkdir()
    service = READERS % {"out": out}
    (project / "service.yaml").write_text(service)
    done = command("deploy", "service.yaml", "--approve", *OK)
    assert done.code == 0, done.output
    assert drifted(command) == set(), "that the link leads to the part was seen"
    assert "No changes" in command("plan", *OK).output

    (project / "service.yaml").write_text(service.replace("a\\n", "b\\n"))
    done = command("deploy", "--approve", "--instance", "part", *OK)
    assert done.code == 0, done.output
    assert ((out / "whole").read_text(), (out / "parts/1").stat().st_mode & 0o777) == ("b\n", 0o600)
    done = command("run", "--operation", "Standard.configure", "--instance", "part", "--approve", *OK)
    assert done.code == 0, done.output
    assert f"part ran after it: it reads {out}/parts/1" in command("plan", *OK).output
    deploy(command)
    assert "No changes" in command("plan", *OK).output


ROLE = {
    "site.yml": "- {hosts: web1, gather_facts: false, roles: [app]}\n",
    "group_vars/web.yml": 'at: "{{ out }}/{{ inventory_hostname }}"\n',
    "roles/app/defaults/main.yml": "at: /nowhere\n",
    "roles/app/templates/conf.j2": "a=1\n",
    "roles/app/tasks/main.yml": """\
- file: {path: "{{ at }}", state: directory, mode: "0755"}
- template: {src: conf.j2, dest: "{{ at }}/conf", mode: "0644"}
- lineinfile: {path: "{{ at }}/conf", line: b=2}
""",
}


@pytest.mark.matrix
def test_a_role_that_writes_a_file_twice_where_the_inventory_says(command: Command, project: Path) -> None:
    for name, text in ROLE.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    assert command("import", "site.yml", "--approve", *OK).code == 0
    deploy(command)
    assert drifted(command) == set()
    file = project / "out/web1/conf"
    file.write_text("a=7\nb=2\n")
    assert drifted(command) == {"app@web1"}, "the line of the last writer is there, and another one is not"
    deploy(command)
    assert file.read_text() == "a=1\nb=2\n"
    assert drifted(command) == set()

    given = "-e", f"at={project}/out/given"
    deploy(command, *given)
    (project / "out/given/conf").write_text("a=7\nb=2\n")
    assert drifted(command, *given) == {"app@web1"}


ATTRIBUTES = """
resources:
  ini: {module: community.general.ini_file, args: {path: srv/ini, section: a, option: b, value: c, mode: '0640'}}
  line: {module: lineinfile, args: {path: srv/line, line: a, create: true, mode: '0640'}}
  block: {module: blockinfile, args: {path: srv/block, block: a, create: true, mode: '0640'}}
  rendered: {module: template, args: {dest: srv/rendered, src: files/x, mode: '0640'}}
  copied: {module: copy, args: {dest: srv/copied, content: x, mode: '0640'}}
  touched: {module: file, args: {path: srv/touched, state: touch, mode: '0640'}}
  replaced: {module: replace, args: {path: srv/replaced, regexp: hello, replace: bye, mode: '0640'}}
  fetched: {module: get_url, args: {url: 'file://FILES/x', dest: srv/fetched, mode: '0640'}}
  joined: {module: assemble, args: {src: FILES, remote_src: true, dest: srv/joined, mode: '0640'}}
  steps: {tasks: steps.yaml}
"""
STEPS = """
- community.general.ini_file: {path: srv/in_a_task, section: a, option: b, value: c, mode: '0640'}
"""


@pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="make community installs the collections")
def test_a_check_finds_another_mode(command: Command, tmp_path: Path) -> None:
    """Also where the module's check mode overlooks it; what others write into a file is no drift of its part."""
    for folder in ("srv", "files"):
        (tmp_path / folder).mkdir()
    (tmp_path / "files/x").write_text("x\n")
    (tmp_path / "srv/replaced").write_text("hello\n")
    (tmp_path / "service.yaml").write_text(ATTRIBUTES.replace("FILES", str(tmp_path / "files")))
    (tmp_path / "steps.yaml").write_text(STEPS)

    def run(*words: str) -> Any:
        return command(*words, cwd=tmp_path, extra={"ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS)})

    assert run("deploy", "service.yaml", "--approve").code == 0
    with (tmp_path / "srv/ini").open("a") as file:
        file.write("[theirs]\nc = 1\n")
    clean = run("check", "--detailed-exitcode")
    assert clean.code == 0, clean.output
    for path in (tmp_path / "srv").iterdir():
        path.chmod(0o604)
    drifted = run("check", "--detailed-exitcode")
    assert drifted.code == 2, drifted.output
    assert "10 instances: 10 drifted" in drifted.output, drifted.output
    assert "srv/ini (mode 0640 -> 0604)" in drifted.output
    assert run("deploy", "--approve").code == 0
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in (tmp_path / "srv").iterdir()} == dict.fromkeys(
        (path.name for path in (tmp_path / "srv").iterdir()), "0o640"
    )
