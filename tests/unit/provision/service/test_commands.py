"""Commands that are offered as actions."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.service.actions import ActionFailed, prepare
from ansible_ensemble.provision.service.commands import declared_actions
from tests.unit.provision.service.world import World

ECHO = "import json, sys; asked = json.load(sys.stdin); print(json.dumps([asked['object']['Name'], asked['params']]))"


def _command(code: str, **fields: Any) -> dict[str, Any]:
    return {"name": "poweron", "run": [sys.executable, "-c", code], **fields}


def _run(code: str, **fields: Any) -> Any:
    [action] = declared_actions([_command(code, **fields)])
    return action.run({"Name": "m1"}, {})


def test_a_command_gets_object_and_params_and_answers(world: World) -> None:
    world.create("machines", Name="m1", Params={"address": "10.0.0.1", "other": 1})
    actions = declared_actions([_command(ECHO, required_params=["address"])])
    invocation = world.read(prepare, actions, "machines", "Name:m1", "poweron", body=b"")
    assert invocation.run() == ["m1", {"address": "10.0.0.1"}]
    assert (actions[0].about.provider, actions[0].about.model) == ("commands", "machines")


@pytest.mark.parametrize(
    ("code", "result"), [("", ""), ("print('it is on')", "it is on"), ("print('{\"a\": [1]}')", {"a": [1]})]
)
def test_results(code: str, result: Any) -> None:
    assert _run(code) == result


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; print('no answer', file=sys.stderr); sys.exit(3)", "exited with status 3\nno answer"),
        ("import os; os.kill(os.getpid(), 9)", "exited with status -9"),
    ],
)
def test_failures(code: str, message: str) -> None:
    with pytest.raises(ActionFailed) as failed:
        _run(code)
    assert str(failed.value) == f"{sys.executable} {message}"


def test_a_command_that_does_not_end_or_begin() -> None:
    with pytest.raises(ActionFailed, match=r"took longer than 0\.1 seconds"):
        _run("import time; time.sleep(60)", seconds=0.1)
    [action] = declared_actions([{"name": "poweron", "run": ["/nowhere/poweron"]}])
    with pytest.raises(ActionFailed, match="/nowhere/poweron: No such file or directory"):
        action.run({}, {})


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({}, "actions: Expected `array`, got `object`"),
        ([{"run": ["a"]}], r"actions: Object missing required field `name` - at `\$\[0\]`"),
        ([{"name": "a", "run": []}], r"actions: \$\[0\] needs a name and what to run"),
        ([{"name": "a", "run": "b"}], "actions: Expected `array`, got `str`"),
        ([{"name": "a", "run": ["b"], "shell": True}], "actions: Object contains unknown field `shell`"),
    ],
)
def test_declarations_that_are_none(declared: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        declared_actions(declared)
