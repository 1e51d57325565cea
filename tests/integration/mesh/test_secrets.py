"""A node gets the variables of the hosts that its orders need, and nothing of others: not in memory, nor in files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.jobs.processes import tree
from tests.integration.mesh.site import Site, needs_mesh, report_of, site_of

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Seen:
    derived_from: tosca.nodes.Root
    attributes: {seen: {type: string}}
topology_template:
  node_templates:
    web:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: own.yaml, operation_host: web1}}}}}
    db:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: own.yaml, operation_host: db1}}}}}
    named:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: named.yaml, operation_host: web1}}}}}
    found:
      type: Seen
      interfaces: {Standard: {operations: {create: {implementation: {primary: found.yaml, operation_host: web1}}}}}
"""
SET = '- ansible.builtin.set_stats: {data: {seen: "%s"}}\n'
FILES = {
    "service.yaml": SERVICE,
    "own.yaml": SET % "{{ word | hash('md5') }}",
    "named.yaml": SET % "{{ hostvars['other1'].word }}",
    "found.yaml": SET % "{{ hostvars['d' ~ 'b1'].word | default('none') }}",
    "host_vars/db1.yaml": "word: canary-in-a-file\n",
}


pytestmark = needs_mesh


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        yield made


def holds(site: Site, node: str, text: str) -> bool:
    """Whether what a node's worker keeps, or the memory of one of its processes, has a text in it."""
    kept = (file.read_bytes() for file in (site.folder / f"{node}.kept").glob("**/*") if file.is_file())
    return any(text.encode() in one for one in kept) or any(
        text.encode() in memory for process in tree(site.workers[node].pid) for memory in memories(process.pid)
    )


def memories(pid: int) -> Iterator[bytes]:
    process = Path("/proc", str(pid))
    with (process / "mem").open("rb") as memory:
        for line in (process / "maps").read_text().splitlines():
            (start, end), mode = (int(one, 16) for one in line.split()[0].split("-")), line.split()[1]
            if mode.startswith("rw"):
                memory.seek(start)
                try:
                    yield memory.read(end - start)
                except OSError:  # what a device maps
                    continue


@pytest.mark.skipif(os.geteuid() != 0, reason="the memory of other processes is root's to read")
def test_a_node_has_no_variables_of_hosts_that_its_orders_do_not_need(site: Site) -> None:
    for name, content in FILES.items():
        (site.project / name).parent.mkdir(exist_ok=True)
        (site.project / name).write_text(content)
    variables = {"web1": {"word": "canary-of-web1"}, "db1": {"more": "canary-of-db1"}, "other1": {"word": "of-other1"}}
    hosts = {name: {"ansible_connection": "local", **more} for name, more in variables.items()}
    (site.project / "hosts.yaml").write_text(json.dumps({"all": {"hosts": hosts}}))
    file = site.project / "ensemble-project.yaml"
    settings = json.loads(file.read_text())
    place = [{"match": {"host": "web1"}, "node": "b1"}, {"match": {"host": "db1"}, "node": "b2"}]
    settings["environments"]["defaults"]["mesh"]["place"] = place
    file.write_text(json.dumps(settings))
    report = report_of(site.deploy("-i", "hosts.yaml"))
    tasks = {task["instance"]: task for task in report["tasks"]}
    assert {name for name, task in tasks.items() if task["node"] == "b2"} == {"db"}
    assert {name for name, task in tasks.items() if task["node"] == "b1"} == {"web", "named", "found"}
    assert {name for name, task in tasks.items() if task["status"] == "ok"} == {"web", "db", "named"}, tasks
    assert "the variables of db1 are not on this node" in json.dumps(tasks["found"])
    assert tasks["named"]["attributes"]["named"]["seen"] == "of-other1"
    assert [holds(site, "b1", text) for text in ("canary-of-web1", "of-other1")] == [True, True]
    assert [holds(site, "b2", text) for text in ("canary-of-db1", "canary-in-a-file")] == [True, True]
    assert [holds(site, "b1", text) for text in ("canary-of-db1", "canary-in-a-file")] == [False, False]
    assert [holds(site, "b2", text) for text in ("canary-of-web1", "of-other1")] == [False, False]
