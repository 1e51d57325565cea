"""Real nodes whose workers are not what they say, or hostile: a job goes on with the others."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.processes import wait_for
from tests.integration.mesh.site import Site, needs_mesh, report_of, site_of

pytestmark = needs_mesh
HOSTILE = Path(__file__).with_name("hostile_worker.py")
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations: {create: echo $name >> FOLDER/ran}
topology_template:
  node_templates:
"""
COUNT = 8
SERVICE += "".join(f"    thing{number}: {{type: Thing}}\n" for number in range(COUNT))


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        yield made


def check(site: Site, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and how each node did beside the file of known nodes."""
    command = ["ansible-ensemble", "mesh", "check", "b1", "b2", "--mesh", str(site.mesh.socket("a"))]
    command += ["--known-nodes", str(site.project / "known"), "--output", "json", *words]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    return done.returncode, {node["node"]: node for node in json.loads(done.stdout).get("nodes", [])}


def know(site: Site, **settings: Any) -> None:
    """Have the project's jobs trust the nodes that are known."""
    file = site.project / "ensemble-project.yaml"
    project = json.loads(file.read_text())
    project["environments"]["defaults"]["mesh"] |= {"known_nodes": "known", **settings}
    file.write_text(json.dumps(project))


def test_a_worker_with_another_key_is_told_nothing(site: Site) -> None:
    assert check(site, "--accept-new")[0] == 0
    know(site)
    site.kill_worker("b2")
    (site.folder / "b2.kept" / "node_key").unlink()
    site.begin_worker("b2")

    def tried() -> tuple[int, dict[str, dict[str, Any]]] | None:
        code, nodes = check(site, "--accept-new")
        return (code, nodes) if "is known by" in str(nodes.get("b2", {}).get("problem")) else None

    code, nodes = wait_for(tried, "the worker")
    assert (code, nodes["b1"]["problem"]) == (1, None)
    known = site.project / "known"
    [line] = [number for number, line in enumerate(known.read_text().splitlines(), 1) if line.startswith("b2 ")]
    assert f"{known}:{line}: the worker of b2 shows the key SHA256:" in nodes["b2"]["problem"]
    report = site.deployed()
    by_node = {node: {task["instance"] for task in report["tasks"] if task["node"] == node} for node in ("b1", "b2")}
    assert by_node["b2"]
    assert set(site.names("ran")) == by_node["b1"]
    for task in report["tasks"]:
        assert (task["status"] == "ok") is (task["node"] == "b1")
        assert ("is known by SHA256:" in json.dumps(task)) is (task["node"] == "b2")


def test_a_node_that_is_not_known_gets_no_operations(site: Site) -> None:
    assert check(site, "--accept-new")[0] == 0
    know(site)
    known = site.project / "known"
    known.write_text("".join(line for line in known.read_text().splitlines(keepends=True) if line.startswith("b1 ")))
    code, nodes = check(site)
    assert (code, nodes["b1"]["problem"]) == (1, None)
    assert "known has no key of b2" in nodes["b2"]["problem"]
    report = site.deployed()
    assert report["job"]["ok"] == COUNT
    assert {task["node"] for task in report["tasks"]} == {"b1"}


def test_a_hostile_worker_spoils_its_own_operations_alone(site: Site) -> None:
    assert check(site, "--accept-new")[0] == 0
    know(site, place=[{"match": {"instance": "thing[0-3]"}, "node": "b2"}, {"node": "b1"}])
    site.kill_worker("b2")
    heard = site.folder / "heard"
    site.mesh.worker("b2").unlink()
    words = [sys.executable, HOSTILE, site.mesh.worker("b2"), "b2", site.folder / "b2.kept" / "node_key", heard]
    process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, cwd=site.folder)
    site.workers["b2"] = process
    assert process.stdout is not None
    assert "listens" in process.stdout.readline()
    before = {path for path in site.folder.rglob("*") if ".kept" not in str(path)}
    report = report_of(site.deploy())
    by_node = {node: {task["instance"] for task in report["tasks"] if task["node"] == node} for node in ("b1", "b2")}
    assert by_node["b2"] == {f"thing{number}" for number in range(4)}
    assert set(site.names("ran")) == by_node["b1"] == {f"thing{number}" for number in range(4, COUNT)}
    assert all(task["status"] == "ok" for task in report["tasks"] if task["node"] == "b1")
    assert "Traceback" not in json.dumps(report)
    told = heard.read_text()
    assert [name in told for name in sorted(by_node["b1"])] == [False] * len(by_node["b1"])
    made = {path.relative_to(site.folder).parts[0] for path in site.folder.rglob("*") if path not in before}
    assert made <= {"b1.kept", "b2.kept", "heard", "project", "ran", "data", "a.log", "b1.log", "b2.log"}
