"""The type `terraform.Module`, with the real Terraform: backends, workspaces, imports, and what a crash leaves."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import REPOSITORY
from tests.integration.jobs.terraform_jobs import Job, edit, finished, instance, jobs_in, status

pytestmark = pytest.mark.skipif(shutil.which("terraform") is None, reason="the program terraform is not installed")

MODULE = """\
variable "name" { default = "web" }
resource "terraform_data" "server" { input = "${var.name}-${terraform.workspace}" }
output "address" { value = terraform_data.server.output }
output "id" { value = terraform_data.server.id }
"""


class States(ThreadingHTTPServer):
    """A stand-in for a server of states: one for each path, with its lock, which may refuse to save."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.states: dict[str, bytes] = {}
        self.locks: dict[str, bytes] = {}
        self.is_broken = False

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def backend(self, name: str) -> dict[str, Any]:
        """The settings of the backend http."""
        keys = ("address", "lock_address", "unlock_address")
        return {**dict.fromkeys(keys, self.url(name)), "retry_max": 0}


class _Handler(BaseHTTPRequestHandler):
    server: States

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        name = self.path.partition("?")[0].strip("/")
        code, answer = self._do(name, body)
        self.send_response(code)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _do(self, name: str, body: bytes) -> tuple[int, bytes]:
        states, locks = self.server.states, self.server.locks
        if self.command == "GET":
            return (200, states[name]) if name in states else (404, b"")
        if self.command == "POST":
            if self.server.is_broken:
                return 500, b""
            states[name] = body
        elif self.command == "LOCK":
            if name in locks:
                return 423, locks[name]
            locks[name] = body
        else:
            locks.pop(name, None)
        return 200, b""

    do_GET = do_POST = do_LOCK = do_UNLOCK = _answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def states() -> Iterator[States]:
    server = States()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.setenv("TF_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TF_CLI_CONFIG_FILE", "/dev/null")
    write(tmp_path, stack={})
    (tmp_path / "stack").mkdir()
    (tmp_path / "stack" / "main.tf").write_text(MODULE)
    (tmp_path / "password").write_text("vault password\n")
    return jobs_in(tmp_path)


def write(folder: Path, **properties: dict[str, Any]) -> None:
    """A service template with a module for each name."""
    templates = {
        name: {"type": "terraform.Module", "properties": {"source": "stack", **given}}
        for name, given in properties.items()
    }
    service = {
        "tosca_definitions_version": "tosca_simple_yaml_1_3",
        "topology_template": {"node_templates": templates},
    }
    (folder / "service.yaml").write_text(yaml.safe_dump(service, sort_keys=False))


def outputs(folder: Path, name: str = "stack") -> dict[str, Any]:
    return dict(instance(folder, name)["attributes"]["outputs"])


def test_a_module_needs_its_source_alone(job: Job, tmp_path: Path) -> None:
    shown = finished(job(check=True))["diff"][0]["prepared"]
    assert shown.startswith("# terraform_data.server will be created")
    job()
    assert (status(tmp_path), outputs(tmp_path)["address"]) == ("ok", "web-default")
    assert [one for one in job()["events"] if one["event"] == "finished"] == []

    write(tmp_path, stack={"variables": {"name": "app"}})
    job()
    assert outputs(tmp_path)["address"] == "app-default"
    edit(tmp_path / "stack" / "main.tf", "${var.name}-", "${var.name}.")
    job("check")
    assert status(tmp_path) == "degraded"
    job(repair="degraded")
    assert outputs(tmp_path)["address"] == "app.default"
    job("undeploy")
    assert status(tmp_path) == "absent"
    assert not (tmp_path / "active" / "secrets" / "stack").exists()


def test_workspaces_of_one_module_are_apart(job: Job, tmp_path: Path) -> None:
    with (tmp_path / "stack" / "main.tf").open("a") as file:
        file.write('terraform {\n  backend "local" {}\n}\n')
    backend = {"path": str(tmp_path / "kept" / "default.tfstate"), "workspace_dir": str(tmp_path / "kept")}
    given = {name: {"workspace": name, "backend": backend} for name in ("blue", "green")}
    write(tmp_path, **given)
    job()
    assert [outputs(tmp_path, name)["address"] for name in given] == ["web-blue", "web-green"]
    assert {file.parent.name for file in (tmp_path / "kept").rglob("*.tfstate")} == {"blue", "green"}
    assert [one for one in job()["events"] if one["event"] == "finished"] == []
    job("undeploy", instances=["blue"])
    assert [status(tmp_path, name) for name in given] == ["absent", "ok"]
    assert {file.parent.name for file in (tmp_path / "kept").rglob("*.tfstate")} == {"green"}


def test_what_exists_is_imported(job: Job, tmp_path: Path) -> None:
    (tmp_path / "stack" / "main.tf").write_text(
        'resource "terraform_data" "server" {}\noutput "id" { value = terraform_data.server.id }\n'
    )
    write(tmp_path, stack={"import": {"terraform_data.server": "made-by-hand"}})
    predicted = finished(job(check=True))
    assert predicted["diff"][0]["prepared"].splitlines()[0] == "# terraform_data.server will be imported (made-by-hand)"
    assert "will be created" not in predicted["diff"][0]["prepared"]
    report = finished(job())
    assert (report["changed"], outputs(tmp_path)["id"]) == (True, "made-by-hand")
    job("check")
    assert status(tmp_path) == "ok"


def test_what_exists_is_adopted(job: Job, tmp_path: Path) -> None:
    (tmp_path / "stack" / "main.tf").write_text(
        'resource "terraform_data" "server" {}\noutput "id" { value = terraform_data.server.id }\n'
    )
    write(tmp_path, stack={"import": {"terraform_data.server": "made-by-hand"}})
    job("adopt", instances=["stack"])
    assert (status(tmp_path), outputs(tmp_path)["id"]) == ("ok", "made-by-hand")
    assert "created" not in instance(tmp_path)


def with_http(folder: Path, states: States, **given: Any) -> None:
    """Let the module's state be kept by the server."""
    with (folder / "stack" / "main.tf").open("a") as file:
        file.write('terraform {\n  backend "http" {}\n}\n')
    write(folder, stack={"backend": states.backend("stack"), **given})


def test_a_backend_that_is_not_the_modules_is_refused(job: Job, tmp_path: Path, states: States) -> None:
    write(tmp_path, stack={"backend": states.backend("stack")})
    assert finished(job())["error"].startswith("the module names no backend that keeps its state")
    assert states.states == {}


def test_a_lock_left_behind_is_told_with_the_way_on(job: Job, tmp_path: Path, states: States) -> None:
    with_http(tmp_path, states, lock_timeout=0)
    job()
    first = outputs(tmp_path)
    assert json.loads(states.states["stack"])["outputs"]["address"]["value"] == "web-default"
    states.locks["stack"] = json.dumps({"ID": "left-1", "Who": "another", "Operation": "apply"}).encode()
    given = {"backend": states.backend("stack"), "lock_timeout": 0, "variables": {"name": "app"}}
    write(tmp_path, stack={**given, "unlock": "other-1"})
    told = finished(job())["error"]
    assert told == "Error acquiring the state lock; if what holds the lock has died, deploy with unlock: left-1"
    assert states.locks
    write(tmp_path, stack={**given, "unlock": "left-1"})
    job()
    assert states.locks == {}
    assert outputs(tmp_path) == {"address": "app-default", "id": first["id"]}


def test_a_state_that_could_not_be_saved_is_saved_by_the_next_job(job: Job, tmp_path: Path, states: States) -> None:
    with_http(tmp_path, states)
    states.is_broken = True
    told = finished(job())["error"]
    assert told.endswith("the state is kept with the ensemble, and the next job saves it")
    assert not (tmp_path / "stack" / "errored.tfstate").exists()
    (kept,) = (tmp_path / "active" / "secrets" / "stack").iterdir()
    assert kept.read_bytes().startswith(b"$ANSIBLE_VAULT")
    assert "not saved yet" in finished(job("check", check=True))["error"]
    assert finished(job("check"))["error"].startswith("the state of the last job cannot be saved: ")
    assert kept.exists()
    states.is_broken = False
    job()
    assert (status(tmp_path), kept.exists()) == ("ok", False)
    assert len(json.loads(states.states["stack"])["resources"]) == 1
    assert json.loads(states.states["stack"])["serial"] > 0


SLOW = """\
resource "terraform_data" "slow" {
  input = terraform_data.server.id
  provisioner "local-exec" { command = "echo $PPID > PID; read line < GATE" }
}
"""


def test_what_was_made_when_terraform_was_killed_is_not_made_again(job: Job, tmp_path: Path) -> None:
    gate, pid = tmp_path / "gate", tmp_path / "pid"
    os.mkfifo(gate)
    slow = SLOW.replace("PID;", f"{pid};").replace("GATE", str(gate))
    with (tmp_path / "stack" / "main.tf").open("a") as file:
        file.write(slow)

    def kill() -> None:
        with gate.open("w"):  # opens as soon as the shell reads
            os.kill(int(pid.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    report = finished(job())
    killer.join()
    assert not report["ok"]
    assert status(tmp_path) == "error"
    edit(tmp_path / "stack" / "main.tf", slow, "")
    job()
    state = tmp_path / "active" / "secrets" / "stack"
    assert status(tmp_path) == "ok"
    assert sorted(file.name for file in state.iterdir() if "backup" not in file.name) == ["terraform.tfstate"]


@pytest.mark.parametrize("left", ["", '{"version": 4, "ser'])
def test_a_state_that_is_half_written_is_not_taken_for_none(job: Job, tmp_path: Path, left: str) -> None:
    job()
    first = outputs(tmp_path)["id"]
    write(tmp_path, stack={"variables": {"name": "app"}})
    job()
    state = tmp_path / "active" / "secrets" / "stack" / "terraform.tfstate"
    state.write_text(left)
    write(tmp_path, stack={"variables": {"name": "db"}})
    for workflow in ("deploy", "check", "undeploy"):
        told = finished(job(workflow))["error"]
        assert told.startswith(f"Terraform died while it wrote the state {state}: take the last one (cp ")
    assert os.system(told.partition("(")[2].partition(")")[0]) == 0
    job()
    assert outputs(tmp_path) == {"address": "db-default", "id": first}


def test_a_wrong_source_is_told_before_anything_runs(job: Job, tmp_path: Path) -> None:
    write(tmp_path, stack={"source": "nowhere"})
    with pytest.raises(Exception, match="there is no Terraform module nowhere for the operation"):
        job()


def test_the_example_of_the_page(job: Job, tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "terraform.md").read_text()
    (module,) = re.findall(r"^```hcl\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    topology, *_more = re.findall(r"^```yaml\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "infra" / "cluster").mkdir(parents=True)
    (tmp_path / "infra" / "cluster" / "main.tf").write_text(module)
    (tmp_path / "service.yaml").write_text(f"tosca_definitions_version: tosca_simple_yaml_1_3\n{topology}")
    job()
    assert json.loads((tmp_path / "servers").read_text()) == ["server-0", "server-1"]
    assert outputs(tmp_path, "cluster") == {"servers": ["server-0", "server-1"]}


@pytest.mark.parametrize("main", ["stack", MODULE], ids=["folder", "text"])
def test_the_type_of_unfurl_deploys(job: Job, tmp_path: Path, main: str) -> None:
    operations = {"configure": {"inputs": {"tfvars": {"name": "app"}}, "outputs": {"address": ["SELF", "address"]}}}
    node = {
        "type": "unfurl.nodes.Installer.Terraform",
        "properties": {"main": main},
        "interfaces": {"Standard": {"operations": operations}},
    }
    service = {
        "tosca_definitions_version": "tosca_simple_unfurl_1_0_0",
        "imports": [{"repository": "unfurl", "file": "tosca_plugins/artifacts.yaml"}],
        "topology_template": {"node_templates": {"stack": node}},
    }
    (tmp_path / "service.yaml").write_text(yaml.safe_dump(service, sort_keys=False))
    job()
    assert (status(tmp_path), instance(tmp_path)["attributes"]["address"]) == ("ok", "app-default")
    job("undeploy")
    assert status(tmp_path) == "absent"
