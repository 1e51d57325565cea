"""A deploy over real nodes: what runs where, and what becomes of it when a part of the mesh is killed."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.integration.jobs.processes import tree, wait_for
from tests.integration.mesh.site import Site, needs_mesh, report_of, site_of

pytestmark = needs_mesh
COUNT = 12
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string}}
    interfaces:
      Standard:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          create: |
            echo $name >> FOLDER/begun; while [ -e FOLDER/hold ]; do sleep 0.05; done
            echo $name >> FOLDER/ended; echo '{"made": "'$name'"}'
topology_template:
  node_templates:
"""
SERVICE += "".join(f"    thing{number:02}: {{type: Thing}}\n" for number in range(COUNT))


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        yield made


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


def test_what_nodes_finished_for_a_job_that_was_killed_is_not_done_again(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    for process in reversed(tree(job.pid)):
        process.kill()
    job.communicate()
    (site.folder / "hold").unlink()
    wait_for(lambda: len(site.names("ended")) == 6, "what nodes had begun")
    done = set(site.names("ended"))
    report = site.deployed()
    assert report["job"]["success"]
    assert {task["instance"] for task in report["tasks"]}.isdisjoint(done)
    assert sorted(site.names("begun")) == sorted(site.names("ended")) == sorted(set(site.names("begun")))
    shown = site.shown()
    assert {name: shown[name] for name in done} == {name: {"made": name} for name in done}
    assert site.deployed()["tasks"] == []
    wait_for(lambda: not [*site.folder.glob("*.kept/orders/*/*")], "the orders to be forgotten")


def test_what_still_runs_for_a_job_that_was_killed_is_ended(site: Site) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    for process in reversed(tree(job.pid)):
        process.kill()
    job.communicate()
    cut_off = set(site.names("begun"))
    again = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 12, "six operations of the next job")
    assert not [*site.folder.glob("*.kept/work/*")][6:]
    (site.folder / "hold").unlink()
    report = report_of(again)
    assert report["job"]["success"]
    assert cut_off <= {task["instance"] for task in report["tasks"]}
    assert sorted(site.names("ended")) == sorted({*site.names("begun")})


@pytest.mark.parametrize("change", ["operation", "nothing"])
def test_what_is_another_order_now_is_not_taken_for_done(site: Site, change: str) -> None:
    (site.folder / "hold").touch()
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) == 6, "six operations")
    for process in reversed(tree(job.pid)):
        process.kill()
    job.communicate()
    (site.folder / "hold").unlink()
    wait_for(lambda: len(site.names("ended")) == 6, "what nodes had begun")
    done = set(site.names("ended"))
    service = site.project / "service.yaml"
    if change == "operation":
        service.write_text(service.read_text().replace("sleep 0.05", "sleep 0.06"))
    report = site.deployed()
    assert report["job"]["success"]
    repeated = {task["instance"] for task in report["tasks"]} & done
    assert repeated == (done if change == "operation" else set())


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
