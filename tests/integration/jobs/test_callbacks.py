"""Callback plugins of Ansible see operations as tasks, whether the command runs them or a playbook."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

RESOURCES = """\
resources:
  file:
    module: ansible.builtin.copy
    args: {dest: FOLDER/made, content: hello}
    host: web1
  listed: {tasks: tasks.yaml, host: web2}
  hidden:
    module: ansible.builtin.command
    args: {cmd: echo sesame}
    keywords: {no_log: true}
    host: web1
  broken:
    module: ansible.builtin.command
    args: {cmd: ls /no/such/folder}
    host: web2
"""
LISTED = """\
- name: Say it
  ansible.builtin.command: echo {{ item }}
  loop: [a, b]
- name: Fail and go on
  ansible.builtin.command: "false"
  ignore_errors: true
- block:
    - name: Fail and mend
      ansible.builtin.command: "false"
  rescue:
    - name: Mend
      ansible.builtin.debug: {msg: mended}
"""
NESTED = ("Say it", "Fail and go on", "Fail and mend", "Mend")
TASKS = [f"{name}: configure" for name in ("broken", "file", "hidden", "listed")]


def _project(tmp_path: Path, repository: Path) -> Path:
    """A folder with an inventory, a callback plugin of its own and an ensemble."""
    folder = tmp_path / "project"
    folder.mkdir()
    local = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    (folder / "hosts.ini").write_text(f"web1 {local}\nweb2 {local}\n")
    (folder / "ansible.cfg").write_text("[defaults]\ninventory = hosts.ini\n")
    shutil.copytree(repository / "tests" / "integration" / "jobs" / "callback_plugins", folder / "callback_plugins")
    (folder / "web.yaml").write_text(RESOURCES.replace("FOLDER", str(folder)))
    (folder / "tasks.yaml").write_text(LISTED)
    return folder


def _told(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_callbacks_are_told_of_operations_of_the_command(command, tmp_path: Path, repository: Path):
    folder = _project(tmp_path, repository)
    more = {
        "TOLD": str(folder / "told"),
        "ANSIBLE_CALLBACKS_ENABLED": "ansible.builtin.junit",
        "JUNIT_OUTPUT_DIR": str(folder / "junit"),
    }
    done = command("deploy", "web.yaml", "--approve", "--diff", cwd=folder, extra=more)
    assert (done.code, (folder / "made").read_text()) == (1, "hello"), done.output

    told = _told(folder / "told")
    operations = [one for one in told if one["task"] in TASKS]
    assert {one["task"] for one in operations if one["what"] == "task"} == {*TASKS}
    assert {(one["host"], one["task"]) for one in operations if one["what"] == "start"} == {
        ("web1", "file: configure"),
        ("web2", "listed: configure"),
        ("web1", "hidden: configure"),
        ("web2", "broken: configure"),
    }
    ended = {one["task"]: one for one in operations if one["what"] in ("ok", "failed", "skipped")}
    assert {name: one["what"] for name, one in ended.items()} == {
        name: "failed" if name.startswith("broken") else "ok" for name in TASKS
    }
    result = ended["file: configure"]["result"]
    assert (result["changed"], result["dest"]) == (True, str(folder / "made"))
    assert (result["ensemble"]["instance"], result["ensemble"]["operation"]) == ("file", "Standard.configure")
    assert [one["diff"][0]["after"] for one in operations if one["what"] == "diff"] == ["hello"]
    nested = {one["task"]: one for one in told if one["host"] == "web2" and one["what"] not in ("start", "item ok")}
    assert [one["result"]["item"] for one in told if one["what"] == "item ok"] == ["a", "b"]
    assert (nested["Say it"]["what"], nested["Say it"]["result"]["changed"]) == ("ok", True)
    assert (nested["Fail and go on"]["what"], nested["Fail and go on"]["ignored"]) == ("failed", True)
    assert [nested[name]["what"] for name in ("Fail and mend", "Mend")] == ["failed", "ok"]
    assert "no_log" in ended["hidden: configure"]["result"]["censored"]
    assert "sesame" not in (folder / "told").read_text()
    assert "No such file" in ended["broken: configure"]["result"]["msg"]
    assert "localhost" not in told[-1]["hosts"]  # the job's own task
    begun = next(one for one in operations if one["what"] == "task" and one["task"] == "file: configure")
    assert (begun["action"], begun["path"]) == ("ansible.builtin.copy", f"{folder}/web.yaml:3")
    hosts = told[-1]["hosts"]
    assert [hosts["web1"][name] for name in ("ok", "changed", "failures")] == [2, 2, 0]
    # the tasks of its play and the operation itself; one that is mended is no failure
    assert [hosts["web2"][name] for name in ("ok", "changed", "failures", "ignored")] == [4, 3, 1, 1]

    cases = ElementTree.parse(next((folder / "junit").iterdir())).iter("testcase")
    names = {str(case.get("name")): [part.tag for part in case] for case in cases}
    assert {name.partition(": ")[2] for name in names} == {*TASKS, *NESTED}
    assert names["[web1] Carry out a plan: file: configure"] == ["system-out"]
    assert names["[web2] Carry out a plan: broken: configure"] in (["failure"], ["error"])  # the latter from 2.21 on


def test_callbacks_are_told_by_a_playbook_and_by_the_runner(command, tmp_path: Path, repository: Path):
    folder = _project(tmp_path, repository)
    run = tmp_path / "run"
    options = [
        "--ident",
        "it",
        "--project-dir",
        str(folder),
        "--cmdline",
        f"-e ensemble={folder}/web.yaml -i hosts.ini",
    ]
    more = {"TOLD": str(folder / "told"), "ANSIBLE_CALLBACK_PLUGINS": str(folder / "callback_plugins")}
    done = command(
        "run", str(run), "-p", "tosca.ensemble.deploy", *options, program="ansible-runner", cwd=folder, extra=more
    )
    assert done.code == 2, done.output
    own = {one["task"] for one in _told(folder / "told") if one["what"] in ("ok", "failed")}
    assert own.issuperset(TASKS)

    events = [json.loads(path.read_text()) for path in (run / "artifacts" / "it" / "job_events").glob("*.json")]
    ended = {
        event["event_data"]["task"]: (event["event"], event["event_data"]["host"])
        for event in events
        if event["event"] in ("runner_on_ok", "runner_on_failed") and event["event_data"]["task"] in TASKS
    }
    assert ended == {
        "file: configure": ("runner_on_ok", "web1"),
        "hidden: configure": ("runner_on_ok", "web1"),
        "listed: configure": ("runner_on_ok", "web2"),
        "broken: configure": ("runner_on_failed", "web2"),
    }
    (statistics,) = [event["event_data"] for event in events if event["event"] == "playbook_on_stats"]
    assert (statistics["changed"]["web1"], statistics["failures"]["web2"]) == (2, 1)
    assert "sesame" not in json.dumps(events)
    assert "TASK [file: configure]" in done.stdout
    assert "file: configure ..." not in done.stdout  # said once
    banner = ""
    for event in sorted(events, key=lambda event: event["counter"]):
        banner = (re.findall(r"TASK \[(.*)\] \*{3}", event["stdout"]) or [banner])[-1]
        if event["event"] in ("runner_on_ok", "runner_on_failed") and event["stdout"]:
            assert banner.endswith(event["event_data"]["task"]), "a result is below the name of its own task"


def test_a_job_that_fails_before_its_operations_is_told_as_a_task(command, tmp_path: Path, repository: Path):
    folder = _project(tmp_path, repository)
    arguments = {"ensemble": "web.yaml", "workflow": "deploy", "plan_file": "none"}
    tasks = [{"name": "Execute the plan", "tosca.ensemble.execute": arguments}]
    (folder / "site.yml").write_text(json.dumps([{"hosts": "web1", "gather_facts": False, "tasks": tasks}]))
    done = command("site.yml", program="ansible-playbook", cwd=folder, extra={"TOLD": str(folder / "told")})
    assert done.code == 2, done.output
    told = [(one["what"], one["task"]) for one in _told(folder / "told") if one["task"]]
    assert told == [(what, "Execute the plan") for what in ("task", "start", "failed")]


@pytest.mark.parametrize("plugin", ["ansible.posix.profile_tasks", "community.general.log_plays"])
def test_callbacks_of_collections(command, tmp_path: Path, repository: Path, plugin: str):
    community = repository / ".build" / "community"
    if not community.is_dir():
        pytest.skip("the collections of the package ansible are not here: make community")
    folder = _project(tmp_path, repository)
    ours = os.environ.get("ANSIBLE_COLLECTIONS_PATH", str(repository / ".build"))
    (folder / "callback_plugins").rename(tmp_path / "own")
    with (folder / "ansible.cfg").open("a") as file:
        file.write(f"callback_plugins = {tmp_path}/own\n")
    more = {
        "TOLD": str(folder / "told"),
        "ANSIBLE_COLLECTIONS_PATH": f"{ours}:{community}",
        "ANSIBLE_CALLBACKS_ENABLED": plugin,
        "ANSIBLE_LOG_FOLDER": str(folder / "log"),
    }
    done = command("deploy", "web.yaml", "--approve", cwd=folder, extra=more)
    assert done.code == 1, done.output
    assert (folder / "told").exists()  # ansible.cfg counts
    if plugin.endswith("profile_tasks"):
        assert all(f"\n{task} ---" in done.output for task in TASKS), done.output
        assert "\nExecute the plan ---" not in done.output
    else:
        assert "sesame" not in (folder / "log" / "web1").read_text()
        assert "/made" in (folder / "log" / "web1").read_text()
        assert "FAILED" in (folder / "log" / "web2").read_text()
