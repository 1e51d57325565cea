"""Jobs of fifty nodes whose processes are killed at random: nothing is lost, nothing runs twice, nothing is left.

TORTURE_ROUNDS says how many rounds; each round's number seeds its random choices.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.torture.folding import recorded, told
from tests.integration.jobs.torture.processes import Process, roles, tree, wait_for, working_in

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "20"))
NODES = 50
JOBS = 4
#: Who is killed. Of all, each process goes, the youngest last: they all may still do what they can.
VICTIMS = ("all", "all", "command line", "playbook", "worker", "operation", "executor", "zygote")


def through_ansible(text: str) -> str:
    """The service with the operations of every fifth node run by Ansible's shell module."""
    lines = text.splitlines()
    called = [
        "  Called:",
        "    derived_from: tosca.nodes.Root",
        "    interfaces:",
        "      Standard:",
        "        operations:",
    ]
    for operation in ("create", "delete"):
        command = next(line for line in lines if f'"echo begin {operation}' in line).split('"')[1]
        called += [
            f"          {operation}:",
            "            implementation: ansible.builtin.shell",
            f"            inputs: {{_raw_params: {{concat: ["
            f'"name=", {{get_attribute: [SELF, tosca_name]}}, "; {command}"]}}}}',
        ]
    for number in range(0, NODES, 5):
        lines[lines.index(f"    n{number}:") + 1] = "      type: Called"
    place = lines.index("topology_template:")
    return "\n".join([*lines[:place], *called, *lines[place:]]) + "\n"


@pytest.fixture(scope="module")
def service_text() -> str:
    return through_ansible(service(NODES, seconds=0.05))


@pytest.fixture
def folder(tmp_path: Path, service_text: str) -> Path:
    folder = tmp_path / "ensemble"
    folder.mkdir()
    (folder / "service.yaml").write_text(service_text)
    return folder


def strike(victim: str, root: int, chance: random.Random) -> list[Process]:
    """Kill; return all processes that the job had."""
    family = tree(root)
    if victim == "all":
        for process in family:
            process.kill()
    else:
        candidates = roles(root).get(victim) or [process for process in family if process.pid == root]
        chance.choice(candidates).kill()
    return family


def check_ended(folder: Path, family: list[Process]) -> None:
    wait_for(lambda: not any(process.lives for process in family), "the end of the job's processes")
    wait_for(lambda: not working_in(folder), "the end of all that work in the folder")


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_killed_job(command: Callable, start: Callable, folder: Path, tmp_path: Path, number: int):
    chance = random.Random(number)
    victim = VICTIMS[number % len(VICTIMS)]
    workflow, operation = (("deploy", "create"), ("undeploy", "delete"))[number // len(VICTIMS) % 2]
    if workflow == "undeploy":
        assert command("deploy", "--approve", "service.yaml", cwd=folder).code == 0
        shutil.rmtree(folder / "jobs")
        (folder / "log").unlink()
    before = recorded(folder)

    job = start(workflow, "--approve", "--jobs", str(JOBS), "service.yaml", cwd=folder)
    goal = chance.randrange(NODES - JOBS)
    wait_for(lambda: len(noted(folder, "begin")) > goal or job.poll() is not None, "the moment to strike")
    time.sleep(chance.random() * 0.1)
    family = strike(victim, job.pid, chance)
    check_ended(folder, family)
    output, _ = job.communicate(timeout=60)

    said = told(folder)
    recorded(folder)  # it parses
    shown = command("status", "--output", "json", "service.yaml", cwd=folder)
    assert shown.code == 0, shown.output

    statuses = {one["name"]: one["status"] for one in json.loads(shown.stdout)["instances"]}
    assert {name: status for name, status in statuses.items() if name in said.status} == said.status, output
    assert {name: status for name, status in statuses.items() if name not in said.status} == {
        name: status for name, status in before.items() if name not in said.status
    }

    again = command(workflow, "--approve", "service.yaml", cwd=folder)
    assert again.code == 0, f"{victim}: {output}\n{again.output}"
    assert not (folder / "ensemble.yaml.lock").exists()
    assert not list((folder / "jobs").glob("*.journal"))
    assert set(recorded(folder).values()) == {"ok" if workflow == "deploy" else "absent"}
    ends = Counter(noted(folder))
    assert set(ends) == {f"{operation} n{index}" for index in range(NODES)}
    twice = {name for name, count in ends.items() if count > 1}
    assert twice <= said.interrupted, f"{victim}: ran twice, though not interrupted"
    assert max(ends.values()) <= 2
    assert len(said.interrupted) <= JOBS
    if said.interrupted and "had been killed" in again.output:
        assert all(f"{name.split()[1]}:Standard.{operation}" in again.output for name in said.interrupted)
    assert set(said.finished).isdisjoint(said.interrupted)
