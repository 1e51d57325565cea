"""The map of stages."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.agent.stage_map import NextStage, after_stage, next_stage
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.objects.content import Stage
from ansible_ensemble.provision.objects.machine import Machine


@pytest.mark.parametrize(
    ("stages", "boot_env", "found"),
    [
        (None, "local", None),
        ({}, "local", None),
        ([], "local", None),
        ({"here": 1}, "local", None),
        ({"here": ""}, "local", None),
        ({"elsewhere": "there"}, "local", None),
        ({"here": "there"}, "local", NextStage("there", "")),
        ({"here": "there:Reboot"}, "local", NextStage("there", "Reboot")),
        ({"here": "there:Stop:now"}, "local", NextStage("there", "Stop:now")),
        ({"here": "here"}, "local", None),
        ({"here": "here:Stop"}, "local", NextStage("here", "Stop")),
        ({}, "debian-install", NextStage("local", "")),
        ({"here": "there:Stop"}, "debian-install", NextStage("there", "Stop")),
    ],
)
def test_what_follows_a_stage(stages: Any, boot_env: str, found: NextStage | None) -> None:
    assert next_stage(stages, Machine(stage="here", boot_env=boot_env)) == found


def test_an_installer_that_is_done_has_nothing_to_follow() -> None:
    assert next_stage({}, Machine(stage="local", boot_env="debian-install")) is None


@pytest.mark.parametrize(
    ("target", "stage", "happened"),
    [
        ("", {}, Happened.STAGE_CHANGED),
        ("Success", {}, Happened.STAGE_CHANGED),
        ("", {"boot_env": "local"}, Happened.STAGE_CHANGED),
        ("", {"boot_env": "other"}, Happened.BOOTENV_CHANGED),
        ("", {"reboot": True}, Happened.BOOTENV_CHANGED),
        ("Reboot", {}, Happened.BOOTENV_CHANGED),
        ("Stop", {}, Happened.STOP),
        ("Stop", {"reboot": True}, Happened.STOP),
        ("Shutdown", {"boot_env": "other"}, Happened.POWEROFF),
    ],
)
def test_what_is_done_in_a_stage(target: str, stage: dict[str, Any], happened: Happened) -> None:
    found, machine = NextStage("there", target), Machine(stage="here", boot_env="local")
    assert after_stage(found, Stage(name="there", **stage), machine) is happened
