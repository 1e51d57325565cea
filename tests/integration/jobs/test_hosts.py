"""Operations on hosts that are reached by SSH: three servers on the loopback interface, started by the test."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.sshd import SSHD, Servers, serving

HERE = Path(__file__).parent / "hosts"
NAMES = ("one", "two", "machine")
SECRET = "open sesame, said the vault"

pytestmark = [
    pytest.mark.skipif(SSHD is None, reason="there is no sshd"),
    pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user without a password needs root"),
]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    with serving(tmp_path / "ssh", NAMES) as found:
        yield found


@pytest.fixture
def folder(tmp_path: Path, servers: Servers) -> Path:
    folder = tmp_path / "ensemble"
    shutil.copytree(HERE, folder)
    template = folder / "service.yaml"
    text = (
        template.read_text().replace("@FOLDER@", str(servers.work)).replace("@PORT_2@", str(servers.ports["machine"]))
    )
    template.write_text(text)
    hosts = {**servers.ports, "elsewhere": servers.ports["two"]}
    del hosts["machine"]
    lines = [f"{name} ansible_host=127.0.0.1 ansible_port={port}" for name, port in hosts.items()]
    (folder / "hosts.ini").write_text("\n".join(lines) + "\n")
    (folder / "password").write_text("vault password\n")
    return folder


def test_operations_on_three_hosts(command, folder: Path, tmp_path: Path, servers: Servers):
    encrypt = ["encrypt_string", "--vault-password-file", "password", "--name", "secret", SECRET]
    vaulted = command(*encrypt, cwd=folder, program="ansible-vault")
    assert vaulted.code == 0, vaulted.output
    (folder / "group_vars").mkdir()
    variables = {
        **servers.variables(tmp_path / "known"),
        "ansible_remote_tmp": str(tmp_path / "remote"),
        "ansible_become_method": "ansible.builtin.su",
        "ansible_become_flags": "-s /bin/sh",
    }
    lines = [vaulted.stdout, *(f"{name}: {json.dumps(value)}" for name, value in variables.items())]
    (folder / "group_vars" / "all.yml").write_text("\n".join(lines) + "\n")
    arguments = ["-i", "hosts.ini", "--vault-password-file", "password", "--output", "json", "service.yaml"]
    done = command("deploy", "--approve", *arguments, cwd=folder)
    assert done.code == 0, done.output

    work = servers.work
    for name in NAMES:
        assert (work / name / "notes").read_text() == f"Linux of {name}\n"
        assert (work / name / "secret").read_text() == SECRET
        assert (work / name / "handled").read_text() == "handled\n"
    tasks = {task["instance"]: task for task in json.loads(done.stdout)["tasks"]}
    assert {name: task["lane"] for name, task in tasks.items()} == dict.fromkeys(tasks, "remote")
    assert json.loads(done.stdout)["hosts"].keys() == {"elsewhere", *NAMES}
    records = [path.read_text() for path in folder.rglob("*") if path.is_file() and path.name != "service.yaml"]
    assert not [text for text in [done.output, *records] if SECRET in text]
    journal = next((folder / "jobs").glob("*.events.jsonl"))
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    last = next(event for event in events if event["event"] == "finished" and event["instance"] == "after")
    assert last["result"]["stdout"].split() == ["nobody", "handled", "handled"]
    order = [(event["event"], event["instance"]) for event in events if event["event"] in ("started", "finished")]
    assert order.index(("started", "after")) > max(
        order.index(("finished", "on_one")), order.index(("finished", "on_two"))
    )
    assert order.index(("started", "on_two")) < order.index(("finished", "on_one"))

    told = ["--approve", *arguments]
    shell = command("run", *told, "--host", "machine", "--", "echo to $SSH_CONNECTION", cwd=folder)
    module = command("run", *told, "--host", "one", "--module", "ansible.builtin.command", "--", "hostname", cwd=folder)
    assert (shell.code, module.code) == (0, 0), shell.output + module.output
    (task,) = json.loads(shell.stdout)["tasks"]
    assert task["stdout"].split()[-1] == str(servers.ports["machine"]), "it ran there"
    (task,) = json.loads(module.stdout)["tasks"]
    assert (task["lane"], task["stdout"]) == ("remote", socket.gethostname())
