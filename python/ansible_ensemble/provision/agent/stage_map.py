"""The map of stages, `change-stage/map`: what follows a stage where a machine has no workflow; without I/O."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.agent.states import Happened
from ansible_ensemble.provision.objects.content import Stage
from ansible_ensemble.provision.objects.machine import Machine

#: The param of a machine that has it.
STAGE_MAP = "change-stage/map"
#: How the names of bootenvs end whose systems install another one, and boot it themselves.
INSTALLER = "-install"
_TARGETS = {"Reboot": Happened.BOOTENV_CHANGED, "Stop": Happened.STOP, "Shutdown": Happened.POWEROFF}


class NextStage(Struct, frozen=True):
    """An entry of the map.

    Attributes:
        name: of the stage.
        target: what the agent does there: `Reboot`, `Stop`, `Shutdown` or nothing of these.
    """

    name: str
    target: str


def next_stage(stages: Any, machine: Machine) -> NextStage | None:
    """What the map says of the machine's stage; after an installer, the stage `local` without an entry.

    A stage that follows itself, and with nothing to be done there, is none: an agent would never come to rest.
    """
    entry = stages.get(machine.stage) if isinstance(stages, dict) else None
    if not isinstance(entry, str) or not entry:
        entry = "local" if machine.boot_env.endswith(INSTALLER) else ""
    name, _separator, target = entry.partition(":")
    return NextStage(name, target) if name and (name != machine.stage or target in _TARGETS) else None


def after_stage(found: NextStage, stage: Stage, machine: Machine) -> Happened:
    """What the agent does when the machine, as it was before, has come into a stage of the map."""
    if found.target in _TARGETS:
        return _TARGETS[found.target]
    if stage.reboot or stage.boot_env not in ("", machine.boot_env):
        return Happened.BOOTENV_CHANGED
    return Happened.STAGE_CHANGED
