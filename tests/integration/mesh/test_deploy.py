"""A deploy over real nodes: what runs where, and what becomes of it when a part of the mesh is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.jobs.processes import tree, wait_for
from tests.integration.mesh.receptors import Receptors, needs_receptor, receptors

pytestmark = [
    needs_receptor,
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen"),
]
COUNT = 12
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    attributes: {{made: {{type: string}}}}
    interfaces:
      Standard:
        inputs: {{name: {{get_attribute: [SELF, tosca_name]}}}}
        operations:
          create: |
            echo $name >> {folder}/begun; while [ -e {folder}/hold ]; do sleep 0.05; done
            echo $name >> {folder}/ended; echo '{{"made": "'$name'"}}'
topology_template:
  node_templates:
"""


class Site:
    """A mesh of a and two nodes with workers, and a project that deploys over it."""

    def __init__(self, mesh: Receptors) -> None:
        self.mesh = mesh
        self.folder = mesh.folder
        self.workers: dict[str, subprocess.Popen[str]] = {}
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "key"], check=True)
        mesh.begin("a")
        for name in ("b1", "b2"):
            worker = {"service": "ensemble", "filename": str(mesh.worker(name))}
            mesh.begin(name, [{"unix-socket-client": worker}])
            self.begin_worker(name)
        self.project = self.folder / "project"
        self.project.mkdir()
        things = "".join(f"    thing{number:02}: {{type: Thing}}\n" for number in range(COUNT))
        (self.project / "service.yaml").write_text(SERVICE.format(folder=self.folder) + things)
        settings = {"socket": str(mesh.socket("a")), "key": "../key", "place": [{"node": "b*"}]}
        (self.project / "ensemble-project.yaml").write_text(
            json.dumps({"environments": {"defaults": {"mesh": settings}}})
        )
        words = ["ansible-ensemble", "mesh", "check", "b1", "b2", "--mesh", str(mesh.socket("a"))]
        wait_for(lambda: subprocess.run(words, capture_output=True, check=False).returncode == 0, "the workers")

    def begin_worker(self, name: str) -> None:
        words = ["ansible-ensemble", "mesh", "worker", str(self.mesh.worker(name)), "--node", name]
        words += ["--keys", str(self.folder / "key.pub"), "--folder", str(self.folder / f"{name}.kept")]
        process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=self.folder)
        assert process.stdout is not None
        assert "listens" in process.stdout.readline()
        self.workers[name] = process

    def kill_worker(self, name: str) -> None:
        self.workers[name].kill()
        self.workers.pop(name).wait()

    def deploy(self, *words: str) -> subprocess.Popen[str]:
        command = ["ansible-ensemble", "deploy", "service.yaml", "--approve", "--jobs", "6", "--output", "json", *words]
        return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.project)

    def deployed(self, *words: str) -> dict[str, Any]:
        """The report of a deploy."""
        return report_of(self.deploy(*words))

    def names(self, what: str) -> list[str]:
        file = self.folder / what
        return file.read_text().split() if file.exists() else []

    def end(self) -> None:
        for name in list(self.workers):
            self.kill_worker(name)


def report_of(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    report: dict[str, Any] = json.loads(out)
    assert "tasks" in report, err
    return report


@pytest.fixture
def site() -> Iterator[Site]:
    with receptors() as mesh:
        made = Site(mesh)
        try:
            yield made
        finally:
            made.end()


def test_operations_run_on_nodes_once_each(site: Site) -> None:
    report = site.deployed("--mesh", str(site.mesh.socket("a")))
    assert report["job"]["ok"] == COUNT
    assert {task["node"] for task in report["tasks"]} == {"b1", "b2"}
    assert sorted(site.names("ended")) == sorted({task["instance"] for task in report["tasks"]})
    assert all(task["attributes"] == {task["instance"]: {"made": task["instance"]}} for task in report["tasks"])
    wait_for(lambda: not [*site.folder.glob("*.kept/orders/*/*")], "the orders to be forgotten")
    assert site.deployed()["tasks"] == []


def test_a_worker_that_is_killed_loses_what_it_did_and_no_more(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    site.kill_worker("b1")
    site.begin_worker("b1")
    (site.folder / "hold").unlink()
    report = report_of(job)
    lost = [task for task in report["tasks"] if task["status"] != "ok"]
    assert {(task["node"], task["target_status"]) for task in lost} == {("b1", "unknown")}
    assert report["job"]["ok"] == COUNT - len(lost)
    assert Counter(site.names("begun")).most_common(1)[0][1] == 1
    again = site.deployed()
    assert {task["instance"] for task in again["tasks"]} == {task["instance"] for task in lost}
    assert again["job"]["success"]


def test_a_node_whose_receptor_is_begun_again_loses_nothing(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    site.mesh.restart("b2")
    (site.folder / "hold").unlink()
    report = report_of(job)
    assert report["job"]["ok"] == COUNT
    assert sorted(site.names("begun")) == sorted(site.names("ended")) == sorted(set(site.names("begun")))


def test_a_job_that_is_killed_is_interrupted_and_goes_on(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    for process in reversed(tree(job.pid)):
        process.kill()
    job.communicate()
    (site.folder / "hold").unlink()
    wait_for(lambda: len(site.names("ended")) == 6, "what nodes had begun")
    report = site.deployed()
    assert report["job"]["success"]
    assert {task["instance"] for task in report["tasks"]} >= set(site.names("begun")[:6])
    assert site.deployed()["tasks"] == []


def test_a_job_that_is_stopped_ends_what_runs_on_nodes(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy("--grace", "0.1")
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    os.kill(job.pid, signal.SIGINT)
    report = report_of(job)
    assert [task["status"] for task in report["tasks"]].count("ok") == 0
    (site.folder / "hold").unlink()
    wait_for(lambda: not [*site.folder.glob("*.kept/work/*")], "the commands to end")
    assert site.names("ended") == []
