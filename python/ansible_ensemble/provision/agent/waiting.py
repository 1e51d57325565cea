"""When an agent that waits for its machine goes on, and to what; without I/O."""

from __future__ import annotations

from collections.abc import Callable

from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.objects.machine import Machine

#: What ends a wait; None while it lasts.
After = Callable[[Machine, Machine, str], Happened | None]

#: What wakes an agent whose machine has nothing to run.
_WATCHED = ("current_task", "tasks", "runnable", "boot_env", "stage", "context")


def after_runnable(held: Machine, fresh: Machine, context: str) -> Happened | None:
    """What ends the wait for a runnable machine; None while it lasts.

    Args:
        held: the machine as the agent knew it; its bootenv is the one that runs.
        fresh: the machine as it is.
        context: the agent's.
    """
    return _after(held, fresh, context) if fresh.runnable else None


def after_change(held: Machine, fresh: Machine, context: str) -> Happened | None:
    """What ends the wait for another stage, or anything else to do; None while it lasts. Arguments as above."""
    changed = any(getattr(held, name) != getattr(fresh, name) for name in _WATCHED)
    return _after(held, fresh, context) if changed else None


def _after(held: Machine, fresh: Machine, context: str) -> Happened | None:
    elsewhere = fresh.boot_env != held.boot_env
    if not fresh.available or not (fresh.context == context or elsewhere):
        return None
    if elsewhere and not context:
        return Happened.BOOTENV_CHANGED
    if fresh.context == context and fresh.runnable:
        return Happened.RUNNABLE
    return Happened.NOT_RUNNABLE
