"""Settings that are kept with the objects."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.preferences import preferences, set_preferences
from tests.unit.provision.service.world import World, body, refusal, workflow

DEFAULTS = {"defaultStage": "none", "defaultBootEnv": "local", "unknownBootEnv": "ignore", "defaultWorkflow": ""}


def test_what_is_set_acts(world: World) -> None:
    assert world.read(preferences) == DEFAULTS
    workflow(world)
    changed = {**DEFAULTS, "defaultWorkflow": "wf1"}
    assert world.write(set_preferences, body({"defaultWorkflow": "wf1"})) == changed
    assert world.read(preferences) == changed
    assert world.create("machines", Name="m1").workflow == "wf1"
    with refusal(409, "StillInUseError", "wf1 is in use by machines m1", "wf1 is in use by preference defaultWorkflow"):
        world.remove("workflows", "wf1")
    assert world.write(set_preferences, body({"defaultWorkflow": "", "defaultStage": "local"})) == {
        **DEFAULTS,
        "defaultStage": "local",
    }


def test_settings_of_other_servers_are_kept(world: World) -> None:
    others = {"debugRenderer": "1", "knownTokenTimeout": "3600", "logLevel": "warn"}
    assert world.write(set_preferences, body(others)) == {**DEFAULTS, **others}
    assert world.read(preferences) == {**DEFAULTS, **others}


@pytest.mark.parametrize(
    ("wanted", "messages"),
    [
        ({"color": "red"}, ["Unknown preference color"]),
        ({"defaultStage": ""}, ["Stage  does not exist"]),
        ({"defaultStage": "s1", "defaultBootEnv": "e1"}, ["Stage s1 does not exist", "BootEnv e1 does not exist"]),
        ({"defaultStage": "local", "defaultWorkflow": "wf2"}, ["Workflow wf2 is not available"]),
    ],
)
def test_what_cannot_be_set(world: World, wanted: Any, messages: list[str]) -> None:
    world.create("workflows", Name="wf2", Stages=["missing"])
    with refusal(422, "ValidationError", *messages, model="prefs"):
        world.write(set_preferences, body(wanted))
    assert world.read(preferences) == DEFAULTS


@pytest.mark.parametrize("text", [b"", b"[]", b'{"defaultStage": 1}'])
def test_bodies_that_are_no_settings(world: World, text: bytes) -> None:
    with pytest.raises(Refused) as refused:
        world.write(set_preferences, text)
    assert (refused.value.error.code, refused.value.error.type, refused.value.error.model) == (400, "POST", "prefs")
