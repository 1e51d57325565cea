"""The role that makes hosts nodes of a mesh, over SSH; what its units say is started here, for there is no systemd."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.receptors import RECEPTOR, needs_receptor
from tests.integration.sshd import SSHD, Servers, free_port, serving

pytestmark = [
    pytest.mark.slow,
    needs_receptor,
    pytest.mark.skipif(SSHD is None, reason="sshd is not installed"),
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen"),
]
CONTROL, NODE = "control", "node1"
#: What a host has below its folder.
FOLDERS = {name: f"mesh_worker_{name}" for name in ("folder", "data", "sockets", "units")}


class Hosts:
    """Two hosts, and the role in a play for them."""

    def __init__(self, folder: Path, servers: Servers, collections: Path) -> None:
        self.folder, self.servers, self.port = folder, servers, free_port()
        self.key = folder / "mesh_key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)], check=True)
        hosts = {name: {"ansible_host": "127.0.0.1", "ansible_port": port} for name, port in servers.ports.items()}
        shared = servers.variables(folder / "known")
        (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
        self.environment = os.environ | {"ANSIBLE_COLLECTIONS_PATH": str(collections)}
        self.variables: dict[str, Any] = {
            **{variable: f"{servers.work}/{{{{ inventory_hostname }}}}/{name}" for name, variable in FOLDERS.items()},
            "mesh_worker_package": "",
            "mesh_worker_venv": sys.prefix,
            "mesh_worker_user": "",
            "mesh_worker_receptor": RECEPTOR,
            "mesh_worker_ca": str(folder / "ca"),
            "mesh_worker_ca_receptor": RECEPTOR,
            "mesh_worker_keys": [self.key.with_suffix(".pub").read_text()],
            "mesh_worker_enabled": "{{ inventory_hostname != 'control' }}",
            "mesh_worker_listen": f"{{{{ '127.0.0.1:{self.port}' if inventory_hostname == 'control' else '' }}}}",
            "mesh_worker_peers": f"{{{{ [] if inventory_hostname == 'control' else ['127.0.0.1:{self.port}'] }}}}",
            "mesh_worker_service": False,
        }

    def root(self, name: str) -> Path:
        return self.servers.work / name

    def role(self, *words: str, **variables: Any) -> list[str]:
        """The tasks that changed something, by host."""
        play = {"hosts": "all", "gather_facts": False, "roles": [{"role": "tosca.ensemble.mesh_worker"}]}
        (self.folder / "play.yml").write_text(yaml.safe_dump([{**play, "vars": {**self.variables, **variables}}]))
        for name in self.servers.ports:
            (self.root(name) / "units").mkdir(exist_ok=True)
        command = ["ansible-playbook", "-i", "hosts.json", "play.yml", *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, text=True, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        changed, task = [], ""
        for line in done.stdout.splitlines():
            if line.startswith(("TASK [", "RUNNING HANDLER [")):
                task = line.partition(" : ")[2].partition("]")[0]
            elif line.startswith("changed: ["):
                changed.append(f"{line.partition('[')[2].partition(']')[0].partition(' ')[0]}: {task}")
        return list(dict.fromkeys(changed))

    def files(self) -> set[str]:
        return {
            str(path.relative_to(self.servers.work))
            for path in self.servers.work.rglob("*")
            if path.is_file() or path.is_socket()
        }

    def start(self, name: str, unit: str) -> subprocess.Popen[bytes]:
        """Start what a unit starts."""
        lines = (self.root(name) / "units" / unit).read_text().splitlines()
        commands = {line.partition("=")[0]: line.partition("=")[2] for line in lines if line.startswith("ExecStart")}
        subprocess.run(shlex.split(commands["ExecStartPre"].removeprefix("+")), check=True)
        with (self.root(name) / f"{unit}.log").open("ab") as log:
            return subprocess.Popen(shlex.split(commands["ExecStart"]), stdout=log, stderr=log)

    def mesh(self, *words: str) -> dict[str, Any]:
        command = ["ansible-ensemble", "mesh", *words, "--mesh", str(self.root(CONTROL) / "sockets/control.sock")]
        done = subprocess.run([*command, "--output", "json"], text=True, capture_output=True, check=False)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
def hosts(tmp_path: Path, collections: Path) -> Iterator[Hosts]:
    with serving(tmp_path / "servers", [CONTROL, NODE]) as servers:
        yield Hosts(tmp_path, servers, collections)


def _ended(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()
        process.wait()


def test_hosts_become_a_mesh_whose_nodes_know_each_other(hosts: Hosts) -> None:
    predicted = hosts.role("--check")
    assert hosts.files() == set()
    assert not (hosts.folder / "ca").exists()
    done = hosts.role()
    assert set(predicted) <= set(done)
    assert f"{NODE}: Bring the certificates to the host" in done
    assert hosts.role() == []
    assert hosts.role("--check") == []
    for name in (CONTROL, NODE):
        assert (hosts.root(name) / "folder/mesh_node.key").stat().st_mode & 0o777 == 0o600
    assert not (hosts.root(CONTROL) / "units/mesh-worker.service").exists()
    started = [hosts.start(CONTROL, "mesh-receptor.service"), hosts.start(NODE, "mesh-receptor.service")]
    with ExitStack() as stack:
        stack.callback(_ended, started)
        started.append(hosts.start(NODE, "mesh-worker.service"))
        socket = hosts.root(CONTROL) / "sockets/control.sock"
        wait_for(socket.exists, "the control node")
        words = ["check", NODE, "--key", str(hosts.key)]
        wait_for(lambda: hosts.mesh(*words).get("nodes", [{}])[0].get("executes") is True, "the worker")
        # somebody whose certificate another authority made does not get in
        stranger = hosts.folder / "stranger"
        hosts.role(
            "-l", NODE, mesh_worker_ca=str(stranger), mesh_worker_node="stranger", mesh_worker_renew_certificate=True
        )
        _ended(started[1:])
        del started[1:]
        started.append(hosts.start(NODE, "mesh-receptor.service"))
        log = hosts.root(NODE) / "mesh-receptor.service.log"
        wait_for(lambda: "unknown authority" in log.read_text(errors="replace"), "the refusal")
        assert "stranger" not in [node["name"] for node in hosts.mesh("status")["nodes"] if node["is_reachable"]]


def test_what_the_role_made_it_takes_away(hosts: Hosts) -> None:
    hosts.role("-l", NODE, mesh_worker_ca="")
    assert "tls" not in (hosts.root(NODE) / "folder/receptor.yml").read_text()
    # a worker that is not wanted any more goes; the node stays
    assert f"{NODE}: Remove their units" in hosts.role("-l", NODE, mesh_worker_ca="", mesh_worker_enabled=False)
    assert [unit.name for unit in (hosts.root(NODE) / "units").iterdir()] == ["mesh-receptor.service"]
    hosts.role("-l", NODE)
    predicted = hosts.role("-l", NODE, "--check", mesh_worker_state="absent")
    assert hosts.role("-l", NODE, mesh_worker_state="absent") == predicted
    assert hosts.files() == set()
    assert hosts.role("-l", NODE, mesh_worker_state="absent") == []
