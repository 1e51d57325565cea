"""Actions that an operator declares."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.service.actions import list_actions, prepare
from ansible_ensemble.provision.service.declared_actions import declared_actions
from tests.unit.provision.service.world import World, refusal

ECHO = "import json, sys; asked = json.load(sys.stdin); print(json.dumps([asked['object']['Name'], asked['params']]))"


def _command(code: str, **fields: Any) -> dict[str, Any]:
    return {"name": "poweron", "run": [sys.executable, "-c", code], **fields}


def test_a_command_gets_object_and_params_and_answers(world: World) -> None:
    world.create("machines", Name="m1", Params={"address": "10.0.0.1", "other": 1})
    actions = declared_actions([_command(ECHO, required_params=["address"])], Path())
    invocation = world.read(prepare, actions, "machines", "Name:m1", "poweron", body=b"")
    assert asyncio.run(invocation.run()) == ["m1", {"address": "10.0.0.1"}]
    assert (actions[0].about.provider, actions[0].about.model) == ("commands", "machines")


ALONE = "$[0] is for machines alone: what is for other objects is a command"
ONE = "needs a name, and one of run, playbook and role"


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({}, "Expected `array`, got `object`"),
        ([{"run": ["a"]}], "Object missing required field `name` - at `$[0]`"),
        ([{"name": "a", "run": []}], f"$[0] {ONE}"),
        ([{"name": "", "run": ["a"]}], f"$[0] {ONE}"),
        ([{"name": "a", "run": ["b"]}, {"name": "a", "run": ["b"], "role": "c"}], f"$[1] {ONE}"),
        ([{"name": "a", "run": "b"}], "Expected `array`, got `str` - at `$[0].run`"),
        ([{"name": "a", "run": ["b"], "shell": True}], "Object contains unknown field `shell` - at `$[0]`"),
        ([{"name": "a", "run": ["b"], "model": "dragons"}], "$[0] is for dragons, which are no objects"),
        ([{"name": "a", "run": ["b"], "seconds": 0}], "$[0] has no time"),
        ([{"name": "a", "playbook": "on.yml"}], "$[0] has the playbook on.yml, which is no file in /nowhere"),
        (
            [{"name": "a", "role": "on", "model": "jobs"}],
            "$[0] is for machines alone: what is for other objects is a command",
        ),
        ([{"name": "a", "run": ["b"]}] * 2, "machines:commands:a is declared 2 times"),
    ],
)
def test_declarations_that_are_none(declared: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        declared_actions(declared, Path("/nowhere"))
    assert str(refused.value) == f"actions: {message}"


def _done(world: World, actions: Any, machine: str) -> Any:
    return asyncio.run(world.read(prepare, actions, "machines", f"Name:{machine}", "poweron", body=b"").run())


def test_a_param_of_the_machine_chooses_among_declared_providers(world: World) -> None:
    declared = [
        _command(f"print('{name}')", provider=name, provider_param="power/provider") for name in ("ipmi", "process")
    ]
    actions = declared_actions(declared, Path())
    world.create("machines", Name="m1", Params={"power/provider": "process"})
    assert _done(world, actions, "m1") == "process"
    assert [one.provider for one in world.read(list_actions, actions, "machines", "Name:m1")] == ["process"]
    world.set("machines", "Name:m1", Params={"power/provider": "../../tmp/evil.yml"})
    assert world.read(list_actions, actions, "machines", "Name:m1") == []
    message = "power/provider is '../../tmp/evil.yml'; providers of poweron are ipmi, process"
    with refusal(422, "ValidationError", message, model="machines"):
        world.read(prepare, actions, "machines", "Name:m1", "poweron", body=b"")
    world.create("params", Name="power/provider", Schema={"type": "string", "default": "ipmi"})
    world.create("machines", Name="m2")
    assert _done(world, actions, "m2") == "ipmi"
