"""The roles and playbooks, in a folder of the test: no service of this machine is asked for anything."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.provision.controller import Agents, Controller, Ended
from tests.integration.provision.lasting import Lasting, free_port

LOCAL = "{name} ansible_connection=local ansible_host=127.0.0.1 ansible_python_interpreter={python}\n"


class _Unstarted:
    """A server that a role installs: its address is known before it runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.endpoint = f"https://127.0.0.1:{self.port}"


class Host:
    """A host that is a folder: what roles would put into the system is there."""

    def __init__(self, folder: Path, collections: Path, name: str = "house") -> None:
        self.root = folder / "root"
        self.server: Any = _Unstarted(folder)
        self.controller = Controller(self.server, folder, collections)
        (folder / "inventory").write_text(f"[provision]\n{LOCAL.format(name=name, python=sys.executable)}")
        (self.root / "units").mkdir(parents=True)
        self.variables: dict[str, Any] = {
            "provision_become": False,
            "provision_server_package": "",
            "provision_server_venv": sys.prefix,
            "provision_server_user": "",
            "provision_server_folder": str(self.root / "etc"),
            "provision_server_data": str(self.root / "data"),
            "provision_server_units": str(self.root / "units"),
            "provision_server_backup_folder": str(self.root / "backups"),
            "provision_server_backup": "daily",
            "provision_server_backup_keep": 2,
            "provision_server_service": False,
            "provision_server_settings": {"host": "127.0.0.1", "port": self.server.port, "job_age": 30},
            "provision_agent_endpoint": self.server.endpoint,
            "provision_agent_package": "",
            "provision_agent_venv": sys.prefix,
            "provision_agent_folder": str(self.root / "etc"),
            "provision_agent_state": str(self.root / "state"),
            "provision_agent_units": str(self.root / "units"),
            "provision_agent_service": False,
        }

    def playbook(self, name: str, *words: str, **variables: Any) -> Ended:
        file = self.controller.folder / "variables.yml"
        file.write_text(yaml.safe_dump({**self.variables, **variables}))
        return self.controller.command("ansible-playbook", "-i", "inventory", "-e", f"@{file}", name, *words)

    def role(self, name: str, *words: str, **variables: Any) -> Ended:
        play = {"hosts": "all", "gather_facts": False, "roles": [{"role": f"tosca.ensemble.{name}"}]}
        defaults = {"module_defaults": self.controller.defaults} if name == "provision_agent" else {}
        (self.controller.folder / "role.yml").write_text(yaml.safe_dump([{**play, **defaults}]))
        return self.playbook("role.yml", *words, **variables)

    def command_of(self, unit: str) -> list[str]:
        text = (self.root / "units" / unit).read_text()
        return shlex.split(
            next(line for line in text.splitlines() if line.startswith("ExecStart="))[len("ExecStart=") :]
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """The server, as its unit starts it."""
        words = self.command_of("provision-server.service")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout
            try:
                said = [process.stdout.readline()]
                assert said[0].startswith("Ready at"), said
                yield
            finally:
                process.send_signal(signal.SIGTERM)
                assert process.wait(90) == 0


@pytest.fixture
def host(tmp_path: Path, collections: Path) -> Host:
    return Host(tmp_path, collections)


def changed(ended: Ended) -> list[str]:
    assert ended.code == 0, ended.output
    return [one["task"] for one in ended.results if one["result"].get("changed")]


def verify(folder: Path) -> None:
    """Have systemd say whether it would take the units."""
    program = shutil.which("systemd-analyze")
    if program is None:
        return
    units = [str(unit) for unit in sorted(folder.iterdir())]
    said = subprocess.run([program, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
    complaints = [line for line in said.stderr.splitlines() if str(folder) in line or "provision-" in line]
    assert complaints == []


@pytest.mark.matrix
def test_the_server_is_installed_once_and_a_dry_run_does_nothing(host: Host) -> None:
    predicted = changed(host.role("provision_server", "--check"))
    assert not (host.root / "etc").exists()
    assert changed(host.role("provision_server")) == predicted
    assert changed(host.role("provision_server")) == []
    assert changed(host.role("provision_server", "--check")) == []
    settings = host.root / "etc" / "provision.yml"
    assert settings.stat().st_mode & 0o777 == 0o600
    assert yaml.safe_load(settings.read_text()) == {
        "data": str(host.root / "data"),
        "host": "127.0.0.1",
        "job_age": 30,
        "password_file": str(host.root / "data" / "first-password"),
        "port": host.server.port,
    }
    assert f"ListenStream=127.0.0.1:{host.server.port}" in (host.root / "units/provision-server.socket").read_text()
    verify(host.root / "units")
    less = {"provision_server_socket": False, "provision_server_backup": ""}
    assert "Write the units" in "".join(changed(host.role("provision_server", **less)))
    assert [unit.name for unit in (host.root / "units").iterdir()] == ["provision-server.service"]
    verify(host.root / "units")


@pytest.mark.matrix
def test_a_first_start_and_an_agent(host: Host) -> None:
    pack = host.controller.folder / "pack"
    for name, text in PACK.items():
        (pack / name).parent.mkdir(parents=True, exist_ok=True)
        (pack / name).write_text(text.replace("MARK", str(host.root / "was-here")))
    wanted = {"provision_content": [str(pack)], "provision_users": [{"name": "ann", "password": "hush-hush"}]}
    wanted["provision_ca_file"] = str(host.controller.folder / "server.crt")
    assert changed(host.playbook("tosca.ensemble.provision_start", "--tags", "server"))
    with host.running():
        first = host.playbook("tosca.ensemble.provision_start", **wanted)
        assert {"Load content", "Create users"} <= {name.rpartition(" : ")[2] for name in changed(first)}
        assert "hush-hush" not in first.output
        assert changed(host.playbook("tosca.ensemble.provision_start", **wanted)) == []
        _agent(host, wanted["provision_ca_file"])
        _backups(host)


def _agent(host: Host, ca_file: str) -> None:
    """Install an agent, and have it run a workflow."""
    controller = host.controller
    connection = {"endpoint": host.server.endpoint, "key": "ann:hush-hush", "ca_file": ca_file}
    controller.defaults = {"group/tosca.ensemble.provision": connection}
    said = {"provision_connection": connection, "provision_group": "all"}
    assert changed(host.playbook("tosca.ensemble.provision_machines", **said)) == [CREATE]
    assert changed(host.playbook("tosca.ensemble.provision_machines", **said)) == []
    variables = {"provision_agent_certificate": Path(ca_file).read_text(), "provision_agent_options": ["--skip-power"]}
    first = host.role("provision_agent", **variables)
    assert changed(first)
    assert changed(host.role("provision_agent", **variables)) == []
    token = host.root / "etc" / "agent.token"
    assert token.stat().st_mode & 0o777 == 0o600
    secret = token.read_text().split("RS_TOKEN=")[1].strip()
    assert secret not in first.output
    verify(host.root / "units")
    environment = dict(line.split("=", 1) for line in token.read_text().splitlines())
    words = [*host.command_of("provision-agent.service"), "--exit-on-failure"]
    agent = subprocess.Popen(
        words,
        env={**os.environ, **environment, "RS_ENDPOINT": host.server.endpoint},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        ended = host.playbook("tosca.ensemble.provision_machines", **said, provision_workflow="first")
        assert changed(ended) == [CREATE]
        assert "house: complete" in ended.output
        assert (host.root / "was-here").exists()
    finally:
        agent.terminate()
        agent.wait(90)


def _backups(host: Host) -> None:
    for _ in range(3):
        subprocess.run(host.command_of("provision-server-backup.service"), check=True, capture_output=True)
    kept = sorted((host.root / "backups").iterdir())
    assert len(kept) == 2
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in kept)


CREATE = "Create the machines, at the beginning of the workflow"
PACK = {
    "meta.yaml": "Name: starting\n",
    "tasks/hello.yaml": "Name: hello\nTemplates:\n  - Name: say\n    Contents: |\n      #!/bin/sh\n      touch MARK\n",
    "stages/greet.yaml": "Name: greet\nTasks: [hello]\n",
    "workflows/first.yaml": "Name: first\nStages: [greet]\n",
}


@pytest.fixture
def machines(tmp_path: Path, collections: Path) -> Iterator[Controller]:
    server = Lasting(tmp_path / "server")
    yield Controller(server, tmp_path, collections)
    assert server.stop() == 0


def test_machines_of_a_group_are_added_and_run_their_workflow(machines: Controller) -> None:
    tasks = [
        {"tosca.ensemble.provision_object": {"kind": kind, "name": name, "object": fields}}
        for kind, name, fields in (
            ("tasks", "install-it", {}),
            ("stages", "prepare", {"Tasks": ["install-it"]}),
            ("workflows", "install", {"Stages": ["prepare"]}),
        )
    ]
    assert machines.play(tasks).code == 0
    (machines.folder / "hosts").write_text("[web]\nweb1 ansible_host=192.0.2.1\nweb2\n")
    defaults = machines.defaults["group/tosca.ensemble.provision"]
    said = {"provision_connection": defaults, "provision_group": "web", "provision_workflow": "install"}
    (machines.folder / "said.yml").write_text(yaml.safe_dump({**said, "provision_timeout": 600}))
    words = ("-i", "hosts", "-e", "@said.yml", "tosca.ensemble.provision_machines")
    with Agents(machines.settings):
        predicted = machines.command("ansible-playbook", *words, "--check")
        first = machines.command("ansible-playbook", *words)
        assert changed(predicted) == changed(first) == [CREATE] * 2
        assert {one["machine"]["Address"] for one in first.of(CREATE)} == {"192.0.2.1", ""}
        assert [one["complete"] for one in first["Wait until they are through"]["machines"]] == [True, True]
        assert changed(machines.command("ansible-playbook", *words)) == []
        assert changed(machines.command("ansible-playbook", *words, "--check")) == []
