"""Jobs whose processes are killed at random: nothing is lost, nothing runs twice, nothing is left.

Each job commits, so that git may be at work as well when the kill comes; plans, looks and checks go on beside it.
TORTURE_ROUNDS says how many rounds; each round's number seeds its random choices.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from ansible_ensemble.jobs.inspection import status
from tests.integration.jobs.conftest import PROGRAMS, environment
from tests.integration.jobs.processes import Process, roles, tree, wait_for, working_in
from tests.integration.jobs.records.repositories import git, is_sound, make_project
from tests.integration.jobs.torture.beside import check_beside, plans_beside, playbook_beside
from tests.integration.jobs.torture.folding import attributes, recorded, told
from tests.integration.jobs.torture.words import NODES, OPERATIONS, last_words, noted, words_service

ROUNDS = int(os.environ.get("TORTURE_ROUNDS", "20"))
#: Rounds that are in `make test`, too: all processes of a deploy go, its playbook, and an operation of an undeploy.
QUICK = {2, 6, 11}
NUMBERS = [pytest.param(number, marks=[] if number in QUICK else [pytest.mark.matrix]) for number in range(ROUNDS)]
#: How often a plan by ansible-playbook goes on beside: it takes as long as the job.
PLAYBOOK_EVERY = 5
JOBS = 4
#: Who is killed. Of all, each process goes, the youngest last: they all may still do what they can.
VICTIMS = ("all", "all", "command line", "playbook", "worker", "operation", "executor", "zygote")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in git, with nothing deployed."""
    return make_project(tmp_path_factory.mktemp("torture") / "project", words_service(0.02))


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
        wait_for(lambda: len(noted(folder)) == 2 * NODES or job.poll() is not None, "the last operation's end")
        time.sleep(chance.random() * 0.8)
    else:
        goal = chance.randrange(2 * NODES - JOBS)
        wait_for(lambda: len(noted(folder, "begin")) > goal or job.poll() is not None, "the moment to strike")
        time.sleep(chance.random() * 0.1)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_killed_job(command: Callable, start: Callable, copied: Callable[[str], Path], number: int):
    chance = random.Random(number)
    workflow, operations = (("deploy", ("create", "start")), ("undeploy", ("stop", "delete")))[number % 2]
    victim = VICTIMS[number // 2 % len(VICTIMS)]
    folder = copied("project" if workflow == "deploy" else "deployed")
    before = recorded(folder)

    job = start(workflow, "--approve", "--commit", "--jobs", str(JOBS), cwd=folder)
    with ExitStack() as beside:
        wrong = beside.enter_context(plans_beside(folder))
        if number % PLAYBOOK_EVERY == 0:
            beside.enter_context(playbook_beside(start, folder))
        if number % 4 < 2:
            wait_for(lambda: (folder / "ensemble.yaml.lock").exists() or job.poll() is not None, "the job's lock")
            beside.enter_context(check_beside(start, folder, waits=chance.random() < 0.8))
        await_moment(folder, job, chance)
        family = strike(victim, job.pid, chance)
        wait_for(lambda: not any(process.lives for process in family), "the end of the job's processes")
        output, _ = job.communicate()
    wait_for(lambda: not working_in(folder), "the end of all that work in the folder")
    assert not wrong

    said, words = told(folder), last_words(folder)
    assert is_sound(folder)
    shown = {one["name"]: one for one in status(str(folder), {})["instances"]}
    assert {name: one["status"] for name, one in shown.items()} == before | said.status, output
    for name in said.finished:
        operation, instance = name.split()
        if said.status.get(instance) != "absent" and name not in said.interrupted:
            attribute = OPERATIONS[operation][1]
            assert shown[instance]["attributes"].get(attribute) == words[name], f"{victim}: {name}\n{output}"

    again = command(workflow, "--approve", "--commit", cwd=folder)
    assert again.code == 0, f"{victim}: {output}\n{again.output}"
    assert not (folder / "ensemble.yaml.lock").exists()
    assert not list((folder / "jobs").glob("*.journal"))
    assert set(recorded(folder).values()) == {"ok" if workflow == "deploy" else "absent"}
    _check_world(folder, workflow)
    ends = Counter(noted(folder))
    assert {name.split()[0] for name in ends} <= set(operations)
    twice = {name for name, count in ends.items() if count > 1}
    assert twice <= said.interrupted, f"{victim}: ran twice, though not interrupted\n{output}\n{again.output}"
    assert max(ends.values()) <= 2
    assert len(said.interrupted) <= JOBS
    assert set(said.finished).isdisjoint(said.interrupted)
    left = {line.split()[-1].partition("/")[0] for line in git(folder, "status", "--porcelain").splitlines()}
    assert not left, again.output
    assert is_sound(folder)


def _check_world(folder: Path, workflow: str) -> None:
    """What is there is what the workflow is for, with each word that was printed last among the attributes."""
    made = {path.name for path in folder.glob("*.txt")}
    expected = {f"n{index}.{kind}.txt" for index in range(NODES) for kind in ("made", "up")}
    assert made == (expected if workflow == "deploy" else set())
    if workflow == "deploy":
        words = last_words(folder)
        found: Mapping[str, Mapping[str, str]] = attributes(folder)
        assert found == {
            f"n{index}": {OPERATIONS[name][1]: words[f"{name} n{index}"] for name in ("create", "start")}
            for index in range(NODES)
        }
