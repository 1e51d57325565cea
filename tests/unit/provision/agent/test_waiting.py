"""What ends the waits of an agent."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.agent.agent import after_change, after_runnable
from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.objects.machine import Machine

HELD = Machine(uuid="m", available=True, runnable=False, boot_env="local", stage="s", tasks=["t"], current_task=0)

#: What the machine becomes, the agent's context, what ends the wait for a runnable one, and for any change.
CASES: list[tuple[dict[str, Any], str, Happened | None, Happened | None]] = [
    ({}, "", None, None),
    ({"runnable": True}, "", Happened.RUNNABLE, Happened.RUNNABLE),
    ({"runnable": True, "available": False}, "", None, None),
    ({"runnable": True, "context": "box"}, "", None, None),
    ({"runnable": True, "context": "box"}, "box", Happened.RUNNABLE, Happened.RUNNABLE),
    ({"runnable": True}, "box", None, None),
    ({"boot_env": "other"}, "", None, Happened.BOOTENV_CHANGED),
    ({"boot_env": "other", "runnable": True}, "", Happened.BOOTENV_CHANGED, Happened.BOOTENV_CHANGED),
    ({"boot_env": "other", "context": "box"}, "", None, Happened.BOOTENV_CHANGED),
    ({"boot_env": "other", "runnable": True}, "box", Happened.NOT_RUNNABLE, Happened.NOT_RUNNABLE),
    ({"boot_env": "other", "runnable": True, "context": "box"}, "box", Happened.RUNNABLE, Happened.RUNNABLE),
    ({"stage": "other"}, "", None, Happened.NOT_RUNNABLE),
    ({"tasks": ["t", "u"]}, "", None, Happened.NOT_RUNNABLE),
    ({"current_task": 1}, "", None, Happened.NOT_RUNNABLE),
    ({"description": "other"}, "", None, None),
]


@pytest.mark.parametrize(("changes", "context", "runnable", "change"), CASES)
def test_the_end_of_a_wait(
    changes: dict[str, Any], context: str, runnable: Happened | None, change: Happened | None
) -> None:
    fresh = HELD.replaced(**changes)
    assert after_runnable(HELD, fresh, context) is runnable
    assert after_change(HELD, fresh, context) is change


def test_a_context_that_comes_back_is_a_change() -> None:
    held = HELD.replaced(context="box", runnable=True)
    assert after_change(held, held.replaced(context=""), "") is Happened.RUNNABLE
