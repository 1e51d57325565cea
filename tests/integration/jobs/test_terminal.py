"""What a job shows on a terminal: Ansible's colours, tasks of roles as they end, and at last what failed and why."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest
import yaml

from tests.matrix import sampled

from .conftest import PROGRAMS, environment

SERVICE = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    page: {type: tosca.nodes.Root, interfaces: {Standard: {configure: web}}}
    same: {type: tosca.nodes.Root, interfaces: {Standard: {create: {implementation: ansible.builtin.ping}}}}
    needy: {type: tosca.nodes.Root, requirements: [{dependency: page}], interfaces: {Standard: {create: echo hi}}}
"""
ROLE = """
- name: Greet
  ansible.builtin.debug: {msg: "hello {{ item }}"}
  loop: [you]
- name: Rest
  ansible.builtin.command: "true"
  when: false
- name: Write
  ansible.builtin.copy: {content: "new\\n", dest: "{{ playbook_dir }}/page", mode: "0644"}
  diff: true
- name: Hide
  ansible.builtin.command: "echo s3cret"
  no_log: true
- name: Install
  ansible.builtin.command: "sh -c 'echo some output; echo no room for {{ item }} >&2; exit 3'"
  loop: [nginx]
"""
GREEN, YELLOW, CYAN, RED, PLAIN = ("\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[31m", "\x1b[0m")
#: What is shown, and in which colour where there are colours.
WORDS = {
    "TASK [web : Greet] ok: [localhost] => (item=you) hello you": GREEN,
    "TASK [web : Rest] skipped: [localhost]": CYAN,
    "TASK [web : Write] changed: [localhost]": YELLOW,
    "TASK [web : Hide] changed: [localhost]": YELLOW,
    "TASK [web : Install] failed: [localhost]": RED,
    "same: create on localhost ok (": GREEN,
    "page: configure on localhost failed (": RED,
}
LAST = """\
page: configure failed
  TASK [web : Install] (roles/web/tasks/main.yml:14): (item=nginx) non-zero return code: no room for nginx
  cmd: sh -c 'echo some output; echo no room for nginx >&2; exit 3'
  rc: 3
  stdout: some output

What succeeded is recorded. Fix the cause, then run deploy again: only what is left will run.
Details are in {record}.
Type next:
  ansible-ensemble show {job}
  ansible-ensemble deploy

Deploy failed: 1 failed, 1 blocked, 1 ok. ("""


OURS = (str(PROGRAMS / "ansible-ensemble"),)


def on_terminal(folder: Path, columns: int, *arguments: str, program: tuple[str, ...] = OURS, **settings: str) -> str:
    """What `ansible-ensemble ARGUMENTS`, or another program, writes to a terminal that is so wide."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {
        name: value
        for name, value in environment(folder).items()
        if name not in ("ANSIBLE_NOCOLOR", "NO_COLOR", "COLUMNS", "LINES")
    }
    process = subprocess.Popen(
        [*program, *arguments],
        cwd=folder,
        env={**kept, "TERM": "xterm-256color", **settings},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    written = b""
    try:
        while chunk := os.read(ours, 65536):
            written += chunk
    except OSError:  # that is how a terminal tells that nobody writes to it any more
        pass
    finally:
        os.close(ours)
        process.wait()
    return written.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    """The lines that stay, without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"(?m)^.*\r\x1b\[K", "", text))


@pytest.mark.parametrize(
    ("columns", "coloured", "options", "settings"),
    sampled(
        [
            (80, True, [], {}),
            (140, True, [], {}),
            (80, False, [], {"NO_COLOR": "1"}),
            (140, False, ["--no-color"], {}),
        ],
        3,
    ),
)
def test_a_job_that_fails(
    columns: int, coloured: bool, options: list[str], settings: dict[str, str], tmp_path: Path
) -> None:
    role = tmp_path / "roles" / "web" / "tasks" / "main.yml"
    role.parent.mkdir(parents=True)
    role.write_text(ROLE)
    (tmp_path / "service.yaml").write_text(SERVICE)
    text = on_terminal(tmp_path, columns, "deploy", "--approve", "-v", "--diff", *options, "service.yaml", **settings)
    lines = plain(text)
    for words, colour in WORDS.items():
        assert words in lines, text
        painted = re.sub(r" (ok|skipped|changed|failed)\b", " " + colour + r"\1" + PLAIN, words, count=1)
        assert painted != words
        assert not coloured or painted in text, (painted, text)
    assert coloured or not re.search(r"\x1b\[[0-9;]*m", text)
    assert "s3cret" not in text
    assert "page: configure\n  # " in lines and "\n  + new\n" in lines, "the diff of the role's module"
    (record,) = (tmp_path / "changes").glob("*.yaml")
    job = yaml.safe_load(record.read_text())["changes"][0]["changeId"]
    last = LAST.format(record=record.relative_to(tmp_path), job=job).split()
    assert " ".join(last) in " ".join(lines.split()), text
    assert lines.rstrip().rpartition("\n")[2].startswith(LAST.rpartition("\n")[2])
    live = re.findall(r"\r\x1b\[K(\d+ of \d+ done[^\r\n\x1b]*)", text)
    assert all(len(one) < columns for one in live)


LONG = """
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    a_database_with_a_name_of_its_own_that_is_quite_long:
      {type: tosca.nodes.Root, interfaces: {Standard: {create: echo hi, configure: echo hi, delete: echo bye}}}
    needy: {type: tosca.nodes.Root, interfaces: {Standard: {create: "echo no room >&2; exit 3"}}}
    behind: {type: tosca.nodes.Root, requirements: [{dependency: needy}], interfaces: {Standard: {create: echo hi}}}
"""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ensemble with a long name, in which something failed, as its job showed it on 80 columns."""
    folder = tmp_path_factory.mktemp("deployed")
    (folder / "service.yaml").write_text(LONG)
    (folder / "shown").write_text(on_terminal(folder, 80, "deploy", "--approve", "service.yaml"))
    return folder


def test_the_table_of_a_job_fits(deployed: Path) -> None:
    lines = plain((deployed / "shown").read_text()).splitlines()
    (head,) = [number for number, line in enumerate(lines) if line.startswith(("TASK  ", "INSTANCE  "))]
    assert lines[head].split()[-3:] == ["STATE", "CHANGED", "SECONDS"]
    assert max(map(len, lines[head : lines.index("", head)])) <= 80, lines


@pytest.mark.parametrize(
    ("columns", "coloured", "options", "settings"),
    [
        (40, True, [], {}),
        (80, True, [], {}),
        (140, True, [], {}),
        (80, False, [], {"NO_COLOR": "1"}),
        (140, False, ["--no-color"], {}),
    ],
)
def test_what_is_recorded_fits(
    columns: int, coloured: bool, options: list[str], settings: dict[str, str], deployed: Path
) -> None:
    (record,) = (deployed / "changes").glob("*.yaml")
    job = yaml.safe_load(record.read_text())["changes"][0]["changeId"]
    for words in (["status"], ["history"], ["show", job], ["plan"]):
        text = on_terminal(deployed, columns, *words, *options, **settings)
        assert bool(re.search(r"\x1b\[[0-9;]*m", text)) is coloured, text
        lines = plain(text).splitlines()
        assert lines and "Traceback" not in text
        if columns >= 80:
            assert max(map(len, lines)) <= columns, text
        if columns >= 80 and words[0] in ("history", "show"):
            assert re.search(r"\d\d:\d\d:\d\d", text) and re.search(r"\b\d+\.\d\b", text), "when, and how long"
