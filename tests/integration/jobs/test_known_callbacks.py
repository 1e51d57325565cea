"""What callback plugins that people use make of a deploy, beside what they make of a playbook with the same tasks."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.integration.sshd import free_port

pytestmark = [pytest.mark.slow, pytest.mark.matrix]

CALLBACKS = (
    "ara_default",
    "ansible.posix.profile_tasks",
    "ansible.posix.timer",
    "ansible.builtin.junit",
    "community.general.log_plays",
    "community.general.slack",
)
RESOURCES = """\
resources:
  page:
    module: ansible.builtin.copy
    args: {dest: "FOLDER/{{ inventory_hostname }}", content: hello}
    hosts: web
  listed: {tasks: tasks.yaml, hosts: web}
  broken:
    module: ansible.builtin.command
    args: {cmd: "test {{ inventory_hostname }} = web1"}
    hosts: web
  away: {module: ansible.builtin.ping, host: web3}
"""
PLAYBOOK = """\
- hosts: web
  gather_facts: false
  tasks:
    - name: page
      ansible.builtin.copy: {dest: "FOLDER/{{ inventory_hostname }}", content: hello}
    - import_tasks: tasks.yaml
    - name: broken
      ansible.builtin.command: test {{ inventory_hostname }} = web1
- hosts: web3
  gather_facts: false
  tasks:
    - name: away
      ansible.builtin.ping:
"""
LISTED = """\
- name: Say it
  ansible.builtin.command: echo {{ item }}
  loop: [a, b]
- name: Skip it
  ansible.builtin.command: echo never
  when: inventory_hostname == "web2"
- name: Fail and go on
  ansible.builtin.command: "false"
  ignore_errors: true
"""
JOB = """\
- hosts: localhost
  gather_facts: false
  tasks:
    - ansible.builtin.import_role: {name: tosca.ensemble.job}
      vars: {ensemble: web.yaml, ensemble_workflow: deploy}
"""

#: What a plugin was told of one task on one host: name, host, end, whether it changed something.
Seen = set[tuple[str, str, str, bool]]


@pytest.fixture
def slack() -> Iterator[tuple[str, list[str]]]:
    """A server in place of Slack: its address, and the texts that it was sent."""
    texts: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts.extend(part["fallback"] for part in sent["attachments"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_arguments: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", texts
    server.shutdown()
    thread.join()
    server.server_close()


def _surroundings(folder: Path, repository: Path) -> dict[str, str]:
    community, tools = repository / ".build" / "community", repository / ".build" / "python-tools"
    if not community.is_dir() or not (tools / "ara").is_dir():
        pytest.skip("make community python-tools installs the callback plugins")
    ours = os.environ.get("ANSIBLE_COLLECTIONS_PATH", str(repository / ".build"))
    return {
        "ANSIBLE_COLLECTIONS_PATH": f"{ours}:{community}",
        "ANSIBLE_CALLBACK_PLUGINS": str(tools / "ara" / "plugins" / "callback"),
        "ANSIBLE_CALLBACKS_ENABLED": ",".join(CALLBACKS),
        "ANSIBLE_LOG_FOLDER": str(folder / "log"),
        "ARA_BASE_DIR": str(folder / "ara"),
        "JUNIT_OUTPUT_DIR": str(folder / "junit"),
        "PYTHONPATH": str(tools),
    }


def _plain(name: str) -> str:
    """The name of a task without the instance's host and operation here, and without the arguments that junit adds."""
    return re.split(r" \w+=", name)[0].removesuffix(": configure").partition("@")[0]


def _rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "ara" / "ansible.sqlite") as database:
        return list(database.execute(query))


def _of_ara(folder: Path) -> Seen:
    query = (
        "select tasks.name, hosts.name, results.status, changed.changed from results"
        " join results as changed on changed.id = results.id"
        " join tasks on tasks.id = results.task_id join hosts on hosts.id = results.host_id"
    )
    return {(_plain(name), host, status, bool(changed)) for name, host, status, changed in _rows(folder, query)}


def _of_junit(folder: Path) -> set[tuple[str, str, str]]:
    (file,) = (folder / "junit").iterdir()
    seen = set()
    for case in ElementTree.parse(file).iter("testcase"):
        host, _separator, name = str(case.get("name")).removeprefix("[").partition("] ")
        end = next((part.tag for part in case if part.tag != "system-out"), "ok")
        seen.add((_plain(name.partition(": ")[2]), host, {"error": "failure"}.get(end, end)))
    return seen


def _of_log_plays(folder: Path) -> set[tuple[str, str, str]]:
    line = re.compile(r"^\w{3} \d\d \d{4} [\d:]+ - \S+ - (.*?) - \S+ - (\w+) - ", re.MULTILINE)
    return {
        (_plain(name), file.name, end)
        for file in (folder / "log").iterdir()
        for name, end in line.findall(file.read_text())
    }


def _totals(text: str) -> dict[str, list[int]]:
    """The table of hosts at the end, as Slack gets it."""
    rows = (re.findall(r"[^|\s]+", line) for line in text.splitlines() if line.startswith("| "))
    return {row[0]: [int(number) for number in row[1:]] for row in rows if row[0] != "Host"}


@pytest.mark.parametrize("by", ["command", "playbook"])
def test_plugins_see_of_a_deploy_what_they_see_of_a_playbook(
    command, tmp_path: Path, repository: Path, slack: tuple[str, list[str]], by: str
):
    address, texts = slack
    local = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    seen: dict[str, dict[str, Any]] = {}
    for kind in ("plain", by):
        folder = tmp_path / kind
        (folder / "host").mkdir(parents=True)
        nobody = f"ansible_host=127.0.0.1 ansible_port={free_port()} ansible_ssh_common_args='-F none'"
        (folder / "hosts.ini").write_text(f"[web]\nweb1 {local}\nweb2 {local}\n[other]\nweb3 {nobody}\n")
        for name, text in {
            "web.yaml": RESOURCES,
            "tasks.yaml": LISTED,
            "site.yml": PLAYBOOK,
            "job.yml": JOB,
            "ansible.cfg": "[defaults]\ninventory = hosts.ini\n",
        }.items():
            (folder / name).write_text(text.replace("FOLDER", str(folder / "host")))
        more = {**_surroundings(folder, repository), "SLACK_WEBHOOK_URL": address}
        if kind == "command":
            done = command("deploy", "web.yaml", "--approve", cwd=folder, extra=more, fresh=True)
        else:
            playbook = "site.yml" if kind == "plain" else "job.yml"
            done = command(playbook, program="ansible-playbook", cwd=folder, extra=more, fresh=True)
        assert done.code in (1, 2, 4), done.output
        assert (folder / "host" / "web2").exists(), done.output
        assert (folder / "host" / "web2").read_text() == "hello", done.output
        assert "Playbook run took 0 days" in done.output
        seen[kind] = {
            "ara": _of_ara(folder),
            "junit": _of_junit(folder),
            "log_plays": _of_log_plays(folder),
            "times": {_plain(one) for one in re.findall(r"(?m)^(\S.*?) -{3,} +[\d.]+s$", done.output)},
        }
        assert {status for (status,) in _rows(folder, "select status from tasks")} == {"completed", "failed"}, kind
        assert _rows(folder, "select status from playbooks") == [("failed",)]
        seen[kind]["hosts"] = dict(_rows(folder, "select name, failed + 10 * unreachable from hosts"))
        seen[kind]["slack"] = _totals(texts[-1])
        assert "*Failed!*" in texts[-1]

    plain, ours = seen["plain"], seen[by]
    for plugin in ("ara", "junit", "log_plays"):
        more = {one for one in ours[plugin] if one[1] != "localhost"} - plain[plugin]
        assert {one[0] for one in more} == {"listed"}, "the operation that a task file is, beside its tasks"
        assert plain[plugin] <= ours[plugin]
    assert plain["times"] <= ours["times"]
    assert "listed" in ours["times"]
    by_the_playbook = ours["hosts"].pop("localhost", None), ours["slack"].pop("localhost", None) is not None
    assert by_the_playbook == ((0, True) if by == "playbook" else (None, False)), "not the job, which failed"
    assert ours["hosts"] == plain["hosts"] == {"web1": 0, "web2": 1, "web3": 10}
    # ok and changed count that operation as well
    counts = {
        host: [row[0] - 1, row[1] - 1, *row[2:]] if host != "web3" else row for host, row in ours["slack"].items()
    }
    assert counts == plain["slack"]
