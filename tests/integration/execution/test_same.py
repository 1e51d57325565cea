"""Task files, roles and playbooks end the same as operations of a job and under ansible-playbook.

All are run by one job, and by ansible-playbook in one process: what changed, failed and was printed is compared.
"""

from __future__ import annotations

import getpass
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.lanes.task_reports import line_of
from tests.preloaded import PROGRAMS
from tests.preloaded import run as run_command

from .driving import DATA, HERE, environment

CASES: dict[str, Any] = yaml.load((DATA / "plays.yml").read_text(), yaml.CSafeLoader)
#: Parts of a role that are a file each.
_PARTS = ("tasks", "handlers", "defaults", "vars", "meta")


@dataclass
class Told:
    """What is told of a play: whether it changed something and failed, how its tasks ended, and what was printed."""

    changed: bool = False
    failed: bool = False
    tasks: list[tuple[str, str, bool]] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)

    def take(self, task: dict[str, Any]) -> None:
        """Take in how a task ended; one that failed may have been rescued."""
        status = {"rescued": "failed"}.get(task["status"], task["status"])
        self.tasks.append((task["name"], status, bool(task["changed"])))
        self.changed |= bool(task["changed"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all of them."""
    folder = tmp_path_factory.mktemp("same")
    for name, case in CASES.items():
        for path, content in files_of(name, case):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
    return folder


def files_of(name: str, case: Any) -> Iterator[tuple[str, Any]]:
    """The files of a case, and what is in them."""
    if isinstance(case, list):
        yield f"{name}.yml", case
    elif "playbook" in case:
        yield f"{name}.yml", case["playbook"]
    else:
        yield from ((f"roles/{name}/{part}/main.yml", case[part]) for part in _PARTS if part in case)
        yield from ((f"roles/{name}/{path}", content) for path, content in case.get("files", {}).items())


def run(*arguments: str, folder: Path, given: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    program, *rest = arguments
    return run_command([PROGRAMS / program, *rest], cwd=folder, env=environment(**settings), input=given)


@pytest.fixture(scope="module")
def by_ansible(folder: Path) -> dict[str, Told]:
    """What ansible-playbook makes of them: each for a host of its own, since a host that failed is left out."""
    hosts: dict[str, Any] = {}
    for name, case in CASES.items():
        here = folder / "ansible" / name
        here.mkdir(parents=True)
        hosts[name] = {"here": str(here), "me": getpass.getuser()}
        if isinstance(case, dict) and "playbook" in case:
            plays = [{**play, "hosts": name} for play in case["playbook"]]
        else:
            body = {"tasks": [{"import_tasks": f"{name}.yml"}]} if isinstance(case, list) else {"roles": [name]}
            plays = [{"name": name, "hosts": name, "gather_facts": False, **body}]
        (folder / f"ansible-{name}.yml").write_text(yaml.safe_dump(plays, sort_keys=False))
    local = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    (folder / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": local}}))
    calls = [
        ["-i", "hosts.yml", "-e", json.dumps(given_to(case)), f"ansible-{name}.yml"] for name, case in CASES.items()
    ]
    done = run(
        *("python", str(HERE / "playbooks.py")),
        folder=folder,
        given="\n".join(map(json.dumps, calls)),
        ANSIBLE_CALLBACKS_ENABLED="test.lanes.told",
        ANSIBLE_PIPELINING="1",
    )
    codes = json.loads(done.stdout)
    return {
        name: told_by_ansible(folder / f"ansible-{name}.yml.told", failed=code != 0)
        for name, code in zip(CASES, codes, strict=True)
    }


def told_by_ansible(file: Path, *, failed: bool) -> Told:
    found = Told(failed=failed)
    for line in file.read_text().splitlines():
        task = json.loads(line)
        if "stats" in task:
            found.stats = task["stats"]
            continue
        found.take({**task, "changed": task["result"].get("changed")})
        if task["action"].endswith("debug") and task["status"] != "skipped":
            found.printed.append(line_of(task).partition(" => ")[2])
    return found


def given_to(case: Any) -> dict[str, Any]:
    """What a case is given as extra variables."""
    return dict(case.get("given", {})) if isinstance(case, dict) else {}


@pytest.fixture(scope="module")
def by_us(folder: Path) -> dict[str, Told]:
    """What a job makes of them: each is the operation of an instance."""
    templates: dict[str, Any] = {}
    for name, case in CASES.items():
        here = folder / "ours" / name
        here.mkdir(parents=True)
        inputs = {
            "here": str(here),
            "me": getpass.getuser(),
            **given_to(case),
        }
        is_role = isinstance(case, dict) and "playbook" not in case
        operation = {"implementation": name if is_role else f"{name}.yml", "inputs": inputs}
        templates[name] = {"type": "tosca.nodes.Root", "interfaces": {"Standard": {"create": operation}}}
    service = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": templates}}
    (folder / "service.yaml").write_text(yaml.safe_dump(service, sort_keys=False))
    done = run("ansible-ensemble", "deploy", "--approve", "--output", "json", "service.yaml", folder=folder)
    assert done.returncode != 3, done.stdout + done.stderr
    report = json.loads(done.stdout)
    found = {name: Told() for name in CASES}
    (journal,) = (folder / "jobs").glob("*.events.jsonl")
    for line in journal.read_text().splitlines():
        event = json.loads(line)
        if event["event"] == "progressed":
            found[event["key"].partition(":")[0]].printed.append(event["text"].partition(" => ")[2])
        elif event["event"] == "finished":
            one, returned = found[event["instance"]], event["result"]["result"]
            for task in returned.get("tasks", ()):
                one.take(task)
            one.stats = returned.get("stats", {})
    for operation in report["tasks"]:
        one = found[operation["instance"]]
        one.failed = operation["status"] == "error"
        assert operation["changed"] is one.changed, operation
    return found


@pytest.mark.parametrize("name", CASES)
def test_it_ends_the_same(name: str, by_ansible: dict[str, Told], by_us: dict[str, Told]) -> None:
    assert by_us[name] == by_ansible[name]


def test_there_are_enough() -> None:
    assert len(CASES) >= 60
