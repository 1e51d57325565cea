"""Deploys over real nodes in which something is killed at random: nothing is lost, nothing finished runs again.

TORTURE_ROUNDS says how many rounds; each round's number seeds its random choices.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.integration.jobs.processes import tree, wait_for
from tests.integration.mesh.site import Site, needs_mesh, report_of, site_of

COUNT = 24
SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Thing:  # without attributes: for one that a check does not tell, what was cut off runs again
    derived_from: tosca.nodes.Root
    interfaces:
      Install:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          check: |
            if grep -qx $name FOLDER/ended; then echo '{"status": "ok"}'; else echo '{"status": "absent"}'; fi
      Standard:
        inputs: {name: {get_attribute: [SELF, tosca_name]}}
        operations:
          create: |
            echo $name >> FOLDER/begun; sleep 0.2
            echo $name >> FOLDER/ended
topology_template:
  node_templates:
"""
SERVICE += "".join(f"    thing{number:02}: {{type: Thing}}\n" for number in range(COUNT))
#: Who is killed; the link is that of the nodes, which their Receptor takes with it.
VICTIMS = ("job", "worker", "link", "receptor here")
ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "4"))
pytestmark = [*needs_mesh, pytest.mark.matrix]


@pytest.fixture
def site() -> Iterator[Site]:
    with site_of(SERVICE) as made:
        yield made


def strike(site: Site, victim: str, job: subprocess.Popen[str], chance: random.Random) -> None:
    node = chance.choice(("b1", "b2"))
    if victim == "job":
        for process in reversed(tree(job.pid)):
            process.kill()
    elif victim == "worker":
        site.kill_worker(node)
        site.begin_worker(node)
    else:
        site.mesh.restart("a" if victim == "receptor here" else node)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_something_is_killed(site: Site, number: int) -> None:
    chance, victim = random.Random(number), VICTIMS[number % len(VICTIMS)]
    moment = chance.randrange(COUNT)
    job = site.deploy()
    wait_for(lambda: len(site.names("begun")) > moment or job.poll() is not None, "the moment to strike")
    strike(site, victim, job, chance)
    lost = set[str]()
    if victim == "job":
        job.communicate()
    else:
        lost = {task["instance"] for task in report_of(job)["tasks"] if task["status"] != "ok"}
    wait_for(site.has_rest, "what nodes do to end")
    before = Counter(site.names("ended"))
    assert max(before.values(), default=1) == 1, "nothing runs twice within a job"
    again = site.deployed()
    assert again["job"]["success"], again
    ended = Counter(site.names("ended"))
    assert ended == Counter(f"thing{one:02}" for one in range(COUNT)), f"{victim}: what was finished ran again"
    if victim == "job":
        repeated = {task["instance"] for task in again["tasks"] if task["operation"].endswith("create")}
        assert repeated.isdisjoint(before), "what nodes had finished was collected"
    else:
        assert victim == "worker" or not lost, f"{victim}: nothing is lost by that"
    assert site.deployed()["tasks"] == []
