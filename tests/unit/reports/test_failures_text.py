from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.reports.failures_text import next_steps, why
from ansible_ensemble.reports.style import Style

TASK = {"task": "web : Install", "path": "/p/roles/web/tasks/main.yml:3", "host": "web1"}


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ({"error": "it broke"}, ["it broke"]),
        (
            {"error": "3: no room", "stderr": "no room", "stdout": "a\nb"},
            ["3: no room", "stdout: a", "stdout: b"],
        ),
        (
            {
                "error": "TASK [web : Install] (roles/web/tasks/main.yml:3): (item=b) non-zero return code: no room",
                "failures": [
                    {**TASK, "item": "b", "msg": "non-zero return code", "cmd": ["test", "a b"], "rc": 1}
                    | {"stdout": "out", "stderr": "no room"}
                ],
            },
            [
                "TASK [web : Install] (roles/web/tasks/main.yml:3): (item=b) non-zero return code: no room",
                "cmd: test 'a b'",
                "rc: 1",
                "stdout: out",
            ],
        ),
        (
            {"error": "first", "failures": [{"item": 1, "msg": "first"}, {**TASK, "msg": "second", "stderr": "e"}]},
            ["first", "(item=1) first", "TASK [web : Install] second", "stderr: e"],
        ),
        (
            {
                "error": "TASK [web : Install] (main.yml:1): (item=a) non-zero: no room",
                "failures": [
                    {**TASK, "item": item, "msg": "non-zero", "cmd": f"cp {item}", "rc": 1, "stderr": "no room"}
                    for item in "ab"
                ],
            },
            [
                "TASK [web : Install] (main.yml:1): (item=a) non-zero: no room",
                *("cmd: cp a", "rc: 1"),
                "TASK [web : Install] (item=b) non-zero",
                *("cmd: cp b", "rc: 1", "stderr: no room"),
            ],
        ),
        ({"error": "x", "stdout": "\x1b[31mred"}, ["x", r"stdout: \x1b[31mred"]),
        ({"error": "x", "stdout": "\n".join("0123456789")}, ["x", *(f"stdout: {number}" for number in range(2, 10))]),
    ],
)
def test_why(told: dict[str, Any], lines: list[str]) -> None:
    assert why(told) == lines


@pytest.mark.parametrize(
    ("job", "options", "commands"),
    [
        ({}, [], ["show A1", "deploy"]),
        ({}, ["-i", "my hosts"], ["show A1", "deploy -i 'my hosts'"]),
        ({}, None, ["show A1"]),
        ({"ensemble": "my dir/ensemble.yaml"}, [], ["show A1 --ensemble 'my dir/ensemble.yaml'"]),
        ({"workflow": "release"}, [], ["show A1"]),
        ({"check": True}, [], []),
        ({"success": True}, [], []),
    ],
)
def test_what_to_type_next(job: dict[str, Any], options: list[str] | None, commands: list[str]) -> None:
    told = {"id": "A1", "ensemble": "ensemble.yaml", "workflow": "deploy", "success": False, **job}
    lines = list(next_steps({"job": told, "tasks": [{"status": "error"}]}, Style(), options))
    shown = [line.removeprefix("  ansible-ensemble ") for line in lines if line.startswith("  ")]
    assert shown[: len(commands)] == commands
    assert bool(shown) is bool(commands)
    assert any("is recorded" in line for line in lines) is bool(commands)


def test_a_command_names_an_ensemble_that_is_elsewhere() -> None:
    job = {"id": "A1", "ensemble": "/there/ensemble.yaml", "workflow": "undeploy", "success": False}
    *_, last = next_steps({"job": job, "tasks": [{"status": "blocked"}]}, Style(), [])
    assert last == "  ansible-ensemble undeploy /there/ensemble.yaml"


def test_in_awx_the_next_step_is_a_template_and_no_file_of_the_container_is_named() -> None:
    told = {"id": "A1", "ensemble": "/runner/project/ensemble.yaml", "record": "/runner/project/changes/A1.yaml"}
    report = {"job": {**told, "workflow": "deploy", "success": False}, "tasks": [{"status": "error"}]}
    [line] = next_steps(report, Style(), None, "web deploy")
    assert "Fix the cause, then launch web deploy again: only what is left will run." in line
    report["job"] |= {"stopped": True}
    [line] = next_steps(report, Style(), None, "web deploy")
    assert line == "What succeeded is recorded. Launch web deploy again: it continues from there."
    report["problems"] = ["the state was not pushed: the lock of the state was lost"]
    [line] = next_steps(report, Style(), None, "web deploy")
    assert line == "Launch web deploy again: it continues from there."
