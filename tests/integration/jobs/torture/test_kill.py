"""Jobs of fifty nodes whose processes are killed at random: nothing is lost, nothing runs twice, nothing is left.

Each job commits, so that git may be at work as well when the kill comes.
TORTURE_ROUNDS says how many rounds; each round's number seeds its random choices.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_ensemble.jobs.commands import status
from tests.integration.jobs.conftest import PROGRAMS, environment
from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.processes import Process, roles, tree, wait_for, working_in
from tests.integration.jobs.records.repositories import git, is_sound, make_project
from tests.integration.jobs.torture.beside import plans_beside
from tests.integration.jobs.torture.folding import recorded, told

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
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git, with nothing deployed."""
    return make_project(tmp_path_factory.mktemp("torture") / "project", through_ansible(service(NODES, seconds=0.05)))


@pytest.fixture(scope="module")
def deployed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with all deployed, without what is known of the job that did it."""
    home = tmp_path_factory.mktemp("deployed")
    folder = shutil.copytree(project, home / "project")
    deploy = [PROGRAMS / "ansible-ensemble", "deploy", "--approve", "--commit"]
    subprocess.run(deploy, cwd=folder, env=environment(home), stdin=subprocess.DEVNULL, check=True)
    shutil.rmtree(folder / "jobs")
    (folder / "log").unlink()
    return folder


@pytest.fixture
def copied(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Copies the project of a name."""
    return lambda name: shutil.copytree(request.getfixturevalue(name), tmp_path / "ensemble")


def strike(victim: str, root: int, chance: random.Random) -> list[Process]:
    """Kill; return all processes that the job had."""
    family = tree(root)
    if victim == "all":
        for process in family:
            process.kill()
    elif family:
        candidates = roles(root).get(victim) or family[:1]
        chance.choice(candidates).kill()
    return family


def await_moment(folder: Path, job: subprocess.Popen[str], chance: random.Random) -> None:
    """Wait for a random moment: most often among the operations, else before the first or after the last of them."""
    when = chance.random()
    if when < 0.1:
        wait_for(lambda: (folder / "ensemble.yaml.lock").exists() or job.poll() is not None, "the beginning")
        time.sleep(chance.random())
    elif when < 0.3:
        wait_for(lambda: len(noted(folder)) == NODES or job.poll() is not None, "the last operation's end")
        time.sleep(chance.random() * 0.8)
    else:
        goal = chance.randrange(NODES - JOBS)
        wait_for(lambda: len(noted(folder, "begin")) > goal or job.poll() is not None, "the moment to strike")
        time.sleep(chance.random() * 0.1)


def check_ended(folder: Path, family: list[Process]) -> None:
    wait_for(lambda: not any(process.lives for process in family), "the end of the job's processes")
    wait_for(lambda: not working_in(folder), "the end of all that work in the folder")


@pytest.mark.parametrize("number", range(ROUNDS))
def test_a_killed_job(command: Callable, start: Callable, copied: Callable[[str], Path], number: int):
    chance = random.Random(number)
    workflow, operation = (("deploy", "create"), ("undeploy", "delete"))[number % 2]
    victim = VICTIMS[number // 2 % len(VICTIMS)]
    folder = copied("project" if workflow == "deploy" else "deployed")
    before = recorded(folder)

    job = start(workflow, "--approve", "--commit", "--jobs", str(JOBS), cwd=folder)
    with plans_beside(folder) as wrong:
        await_moment(folder, job, chance)
        family = strike(victim, job.pid, chance)
        check_ended(folder, family)
        output, _ = job.communicate()
    assert not wrong

    said = told(folder)
    recorded(folder)  # it parses
    assert is_sound(folder)
    statuses = {one["name"]: one["status"] for one in status(str(folder), {})["instances"]}
    assert {name: status for name, status in statuses.items() if name in said.status} == said.status, output
    assert {name: status for name, status in statuses.items() if name not in said.status} == {
        name: status for name, status in before.items() if name not in said.status
    }

    again = command(workflow, "--approve", "--commit", cwd=folder)
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
    assert git(folder, "status", "--porcelain") == "", again.output
    assert is_sound(folder)
