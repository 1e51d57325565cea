"""Actions on objects."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ansible_ensemble.provision.objects.plugin import AvailableAction
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.actions import (
    Action,
    ActionFailed,
    Invocation,
    list_actions,
    prepare,
    refused_action,
    show_action,
)
from tests.unit.provision.service.world import World, refusal

UUID = "3e7031fe-3062-45f1-835c-92541bc9cbd3"


async def _echo(asked: Invocation) -> Any:
    return {"name": asked.target["Name"], **asked.params}


ACTIONS = (
    Action(AvailableAction(provider="ipmi", command="poweron", model="machines", required_params=["address"]), _echo),
    Action(AvailableAction(provider="redfish", command="poweroff", model="machines", optional_params=["how"]), _echo),
    Action(AvailableAction(provider="ipmi", command="burn", model="jobs"), _echo),
)


@pytest.fixture
def machine(world: World) -> World:
    world.create("params", Name="address", Secure=True)
    world.create("machines", Name="m1", Uuid=UUID)
    return world


def test_actions_of_an_object(machine: World) -> None:
    assert machine.read(list_actions, (), "machines", UUID) == []
    listed = machine.read(list_actions, ACTIONS, "machines", "Name:m1")
    assert [one.command for one in listed] == ["poweron", "poweroff"]
    assert [one.command for one in machine.read(list_actions, ACTIONS, "machines", UUID, "redfish")] == ["poweroff"]
    assert machine.read(show_action, ACTIONS, "machines", UUID, "poweron") == ACTIONS[0].about


@pytest.mark.parametrize("command", ["nextbootpxe", "burn"])
def test_actions_that_are_not_there(machine: World, command: str) -> None:
    key = f"{UUID}/actions/{command}"
    with refusal(404, "GET", "Not Found", model="machines", key=key):
        machine.read(show_action, ACTIONS, "machines", UUID, command)
    with refusal(404, "POST", "Not Found", model="machines", key=key):
        machine.read(prepare, ACTIONS, "machines", UUID, command, body=b"{}")


def test_an_object_that_is_not_there(machine: World) -> None:
    with refusal(404, "GET", "Not Found", model="machines", key="x"):
        machine.read(list_actions, ACTIONS, "machines", "x")
    with refusal(404, "POST", "Not Found", model="machines", key="x"):
        machine.read(prepare, ACTIONS, "machines", "x", "poweron", body=b"{}")


def test_an_action_gets_the_params_it_names_and_those_of_the_request(machine: World) -> None:
    machine.set("machines", UUID, Params={"address": "10.0.0.1", "how": "soft", "other": 1})
    on = machine.read(prepare, ACTIONS, "machines", UUID, "poweron", body=b'{"more": 2}')
    assert asyncio.run(on.run()) == {"name": "m1", "address": "10.0.0.1", "more": 2}
    off = machine.read(prepare, ACTIONS, "machines", UUID, "poweroff", body=b'{"how": "hard"}')
    assert asyncio.run(off.run()) == {"name": "m1", "how": "hard"}
    soft = machine.read(prepare, ACTIONS, "machines", UUID, "poweroff", body=b"")
    assert asyncio.run(soft.run()) == {"name": "m1", "how": "soft"}
    assert (on.secure, soft.secure) == ({"address"}, set())


def test_requests_that_are_refused(machine: World) -> None:
    message = "Missing required parameter address for action poweron"
    with refusal(422, "ValidationError", message, model="machines", key=UUID):
        machine.read(prepare, ACTIONS, "machines", UUID, "poweron", body=b"{}")
    with pytest.raises(Refused) as refused:
        machine.read(prepare, ACTIONS, "machines", UUID, "poweron", body=b"[]")
    assert refused.value.error.code == 400
    error = refused_action(ActionFailed("no answer"), "machines", UUID).error
    assert (error.code, error.type, error.messages) == (422, "INVOKE", ["no answer"])
