"""Jobs as AWX runs them: by ansible-runner, in folders that are thrown away, of clones that have no origin."""

from __future__ import annotations

import json
import shutil
import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ansible_runner
import pytest

from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import Files, Store
from tests.integration.jobs.conftest import PROGRAMS, environment
from tests.integration.jobs.processes import wait_for
from tests.integration.jobs.records.repositories import git, make_project
from tests.unit.state.servers import PASSWORD, USER, git_server, state_server

#: A home that nothing can be written to, as in an execution environment.
NO_HOME = "/proc/no-home"

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Noted:
    derived_from: tosca.nodes.Root
    properties:
      size: {type: integer}
    interfaces:
      Standard:
        operations:
          configure:
            implementation: >-
              echo begin $name >> {world}/log; n=0;
              while test -e {world}/hold-$name -a $n -lt 6000; do sleep 0.1; n=$((n + 1)); done;
              echo $size >> {world}/$name; echo end $name >> {world}/log
            inputs: {name: {get_attribute: [SELF, tosca_name]}, size: {get_property: [SELF, size]}}
topology_template:
  inputs:
    size: {type: integer, default: 1}
  node_templates:
    page: {module: copy, args: {dest: {world}/page, content: hello}}
    n0: {type: Noted, properties: {size: {get_input: size}}, requirements: [{dependency: page}]}
    n1: {type: Noted, properties: {size: {get_input: size}}, requirements: [{dependency: n0}]}
"""


@dataclass
class Ended:
    """A job of the controller: how it ended, what it showed, and the artifacts that it left for the next."""

    status: str = ""
    output: str = ""
    artifacts: dict[str, Any] = field(default_factory=dict)

    @property
    def stats(self) -> dict[str, Any]:
        found: dict[str, Any] = self.artifacts["ensemble_stats"]
        return found


@dataclass
class Controller:
    """Makes the folder of each job, runs it there, and throws the folder away."""

    root: Path
    origin: Path
    variables: dict[str, str]
    store: Callable[[], Store]

    @property
    def world(self) -> Path:
        """What the jobs work on."""
        return self.root / "world"

    def noted(self) -> list[str]:
        log = self.world / "log"
        return log.read_text().splitlines() if log.exists() else []

    def run(self, playbook: str, *, folder: str = "runner", **extra: Any) -> Ended:
        """Run one of the collection's playbooks to its end."""
        return self.start(playbook, folder=folder, **extra)()

    def start(
        self, playbook: str, *, folder: str = "runner", cancel: threading.Event | None = None, **extra: Any
    ) -> Callable[[], Ended]:
        """Begin to run one; returns what waits for its end. The folder is like `/runner` of a container."""
        place, ended = self.root / folder, Ended()
        self._make(place, extra)

        def hear(event: dict[str, Any]) -> bool:
            ended.output += event.get("stdout", "") + "\n"
            ended.artifacts |= event.get("event_data", {}).get("artifact_data", {})
            return False

        thread, runner = ansible_runner.run_async(
            private_data_dir=str(place),
            playbook=f"tosca.ensemble.{playbook}",
            quiet=True,
            event_handler=hear,
            cancel_callback=(cancel or threading.Event()).is_set,
        )

        def wait() -> Ended:
            thread.join()
            ended.status = runner.status
            if cancel is None:  # else something may still be at work there
                shutil.rmtree(place)
            assert PASSWORD not in ended.output
            return ended

        return wait

    def _make(self, place: Path, extra: dict[str, Any]) -> None:
        (place / "env").mkdir(parents=True)
        (place / "inventory").mkdir()
        git(self.root, "clone", "--quiet", "--depth=1", f"file://{self.origin}", str(place / "project"))
        git(place / "project", "remote", "set-url", "origin", str(self.root / "nowhere"))
        (place / "inventory" / "hosts").write_text("localhost ansible_connection=local\n")
        (place / "env" / "extravars").write_text(json.dumps({"ensemble": "ensemble.yaml", "awx_job_id": 42, **extra}))
        (place / "env" / "envvars").write_text(json.dumps(self.variables))

    def files(self) -> Files:
        """The state, as another machine finds it."""
        return self.store().read() or {}

    def is_free(self) -> bool:
        """Whether nobody works on the state, which is whole: no journal of a job is left."""
        return not any(name.endswith(".journal") for name in self.files())


@pytest.fixture(params=["git", "http"])
def controller(request: pytest.FixtureRequest, tmp_path: Path, collections: Path, monkeypatch) -> Iterator[Controller]:
    for name in environment(tmp_path):
        if name.startswith("ANSIBLE_"):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", environment(tmp_path)["PATH"])
    (tmp_path / "world").mkdir()
    variables = {
        "HOME": NO_HOME,
        "XDG_STATE_HOME": NO_HOME,
        "ANSIBLE_HOME": str(tmp_path / "ansible"),
        "ANSIBLE_COLLECTIONS_PATH": str(collections),
        "STATE_SECRET": PASSWORD,
        "JOB_ID": "42",
        "AWX_HOST": "https://awx.example",
        "PATH": f"{PROGRAMS}:/usr/bin:/bin",
    }
    if request.param == "git":
        git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "store.git"))
        git(tmp_path / "store.git", "config", "http.receivepack", "true")
        with git_server(tmp_path) as url:
            written = f"{{git: '{url}/store.git', username: {USER}, token: {{get_env: STATE_SECRET}}}}"
            values = {"git": f"{url}/store.git", "path": "", "username": USER, "token": PASSWORD}
            yield make(tmp_path, written, variables, "git", values)
    else:
        with state_server() as server:
            written = f"{{http: '{server.url}', username: {USER}, password: {{get_env: STATE_SECRET}}}}"
            values = {"http": server.url, "lock": server.url, "username": USER, "password": PASSWORD}
            yield make(tmp_path, written, variables, "http", values)


def make(root: Path, written: str, variables: dict[str, str], kind: str, values: dict[str, str]) -> Controller:
    origin = make_project(root / "origin", SERVICE.replace("{world}", str(root / "world")))
    (origin / "ensemble-project.yaml").write_text(f"environments:\n  defaults:\n    state: {written}\n")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "state")
    (root / "looks").mkdir()
    return Controller(root, origin, variables, lambda: open_store(kind, {**values, "folder": str(root / "looks")}))


@pytest.mark.matrix
def test_plan_approval_deploy_check_cancel_and_two_at_once(controller: Controller) -> None:
    planned = controller.run("plan", ensemble_plan_handed=True)
    assert planned.status == "successful", planned.output
    assert (controller.noted(), controller.is_free()) == ([], True)
    assert f"{controller.root}/runner" not in json.dumps(planned.stats)
    assert f"{controller.root}/runner" not in b64decode(planned.stats["plan_document"]).decode()
    approved = {
        "ensemble_plan_document": planned.stats["plan_document"],
        "ensemble_plan_digest": planned.stats["plan_digest"],
    }

    deployed = controller.run("deploy", **approved, folder="elsewhere")
    assert deployed.status == "successful", deployed.output
    assert "Deploy complete! 3 added" in deployed.output
    assert f"{controller.root}/elsewhere" not in json.dumps(deployed.stats)
    assert deployed.stats["job"]["ensemble"] == "ensemble.yaml"
    assert deployed.stats["job"]["record"] in controller.files()
    assert controller.noted() == ["begin n0", "end n0", "begin n1", "end n1"]
    assert controller.is_free()
    stale = controller.run("deploy", **approved)
    assert stale.status == "failed"
    assert "the plan is stale: the status has changed since it was made" in stale.output
    assert len(controller.noted()) == 4

    (controller.world / "page").write_text("changed by hand")
    checked = controller.run("check")
    assert checked.status == "successful", checked.output
    assert [one["instance"] for one in checked.stats["drift"]] == ["page"]

    (controller.world / "hold-n0").touch()
    cancel = threading.Event()
    wait = controller.start("deploy", cancel=cancel, input_size=2)
    wait_for(lambda: controller.noted()[4:] == ["begin n0"], "the operation")
    second = controller.run("deploy", folder="second", input_size=3)
    assert second.status == "failed"
    assert "the state is locked: ensemble.yaml is locked by " in second.output
    assert " for deploy since 20" in second.output
    cancel.set()
    assert wait().status == "canceled"
    (controller.world / "hold-n0").unlink()
    wait_for(controller.is_free, "the record of the job that was cancelled")
    assert controller.noted()[4:] == ["begin n0", "end n0"], "what runs ends, and nothing else begins"

    after = controller.run("deploy", folder="third", input_size=2, ensemble_lock_timeout=60)
    assert after.status == "successful", after.output
    assert controller.noted()[6:] == ["begin n1", "end n1"], "what is done is not done again"
    assert controller.is_free()
    assert (controller.world / "n1").read_text() == "1\n2\n"
    jobs = [line for line in controller.files()["jobs.tsv"].content.decode().splitlines() if "\tworkflow=" in line]
    assert len(jobs) == 4
