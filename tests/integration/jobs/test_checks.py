"""What a check tells of drift, and what it takes to find it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

#: How many files there are.
FILES = 6


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Files on a host whose Python takes down each of its starts."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho start >> "{tmp_path}/starts"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    host = {"ansible_connection": "local", "ansible_python_interpreter": str(python)}
    (tmp_path / "hosts.yaml").write_text(yaml.safe_dump({"web": {"hosts": {"w1": host}}}))
    (tmp_path / "ansible.cfg").write_text("[defaults]\ninventory = hosts.yaml\n")
    copies = {
        f"file_{number}": {"dest": str(tmp_path / f"file_{number}"), "content": f"{number}\n"}
        for number in range(FILES)
    }
    resources = {name: {"module": "ansible.builtin.copy", "args": args, "host": "w1"} for name, args in copies.items()}
    (tmp_path / "service.yaml").write_text(yaml.safe_dump({"resources": resources}))
    tasks = [{"ansible.builtin.copy": args} for args in copies.values()]
    (tmp_path / "site.yml").write_text(yaml.safe_dump([{"hosts": "web", "gather_facts": False, "tasks": tasks}]))
    return tmp_path


def starts(project: Path) -> int:
    """How often the host's Python was started since it was asked last."""
    file = project / "starts"
    found = len(file.read_text().splitlines()) if file.exists() else 0
    file.unlink(missing_ok=True)
    return found


def test_a_check_runs_no_more_modules_than_ansible_playbook(project: Path, command: Callable[..., Any]) -> None:
    assert command("deploy", "service.yaml", "--approve").code == 0
    starts(project)
    done = command("site.yml", "--check", program="ansible-playbook")
    assert done.code == 0, done.output
    allowed = starts(project)
    assert allowed >= FILES, "they are counted"
    done = command("check", "--detailed-exitcode")
    assert done.code == 0, done.output
    assert starts(project) <= allowed


def test_drift_is_a_word_of_its_own(project: Path, command: Callable[..., Any]) -> None:
    assert command("deploy", "service.yaml", "--approve").code == 0
    (project / "file_0").write_text("by hand\n")
    done = command("check", "--junit", "junit.xml", "--output", "json")
    assert done.code == 0, done.output
    report = json.loads(done.stdout)
    assert [one["instance"] for one in report["drift"]] == ["file_0"]
    assert "error" not in json.dumps(report["drift"])
    cases = ElementTree.parse(project / "junit.xml").iter("testcase")
    told = [part for case in cases for part in case if part.tag in ("failure", "error")]
    assert {part.tag for part in told} == {"failure"}
    assert not any("error" in ElementTree.tostring(part, encoding="unicode") for part in told)

    done = command("check", "--detailed-exitcode")
    assert done.code == 2, done.output
    assert " drifted" in done.stdout and "error" not in done.output
    for words in (("plan",), ("status",)):
        told = command(*words)
        assert "drifted" in told.stdout and "error" not in told.output, told.output
    status = yaml.safe_load((project / "ensemble.yaml").read_text())["status"]["instances"]
    assert status["file_0"]["readyState"]["local"] == "drifted"


PLAY = """\
- ansible.builtin.command: echo {name}
  register: said
  changed_when: false
- ansible.builtin.copy: {{content: "{{{{ said.stdout }}}}", dest: "{folder}/derived"}}
  notify: restart
- ansible.builtin.copy: {{content: known, dest: "{folder}/known"}}
"""
HANDLER = "- {{name: restart, ansible.builtin.file: {{path: '{folder}/restarted', state: touch}}}}\n"


def test_what_rests_on_what_check_mode_leaves_out_is_no_drift(project: Path, command: Callable[..., Any]) -> None:
    for part, text in (("tasks", PLAY), ("handlers", HANDLER)):
        file = project / "roles" / "app" / part / "main.yml"
        file.parent.mkdir(parents=True)
        file.write_text(text.format(folder=project, name="web"))
    (project / "service.yaml").write_text("resources: {app: {role: app, host: w1}}\n")
    assert command("deploy", "service.yaml", "--approve").code == 0
    assert (project / "derived").read_text() == "web"
    done = command("check", "--detailed-exitcode", "-v")
    assert done.code == 0, done.output
    (project / "known").unlink()
    found = command("check", "--output", "json")
    [task] = json.loads(found.stdout)["tasks"]
    assert "by app : ansible.builtin.copy" in task["error"], found.stdout
    assert "known" in str(task["diff"]), "what is drift is shown"
    assert "derived" not in str(task["diff"])
    assert "restarted" not in str(task["diff"])
