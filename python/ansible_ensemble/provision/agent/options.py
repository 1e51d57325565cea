"""How an agent is to behave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from ansible_ensemble.provision.agent.states import Instruction, When

_PAUSES = MappingProxyType({Instruction.PAUSE: 5.0, Instruction.PAUSE_LONG: 30.0, Instruction.WAIT_FOR_BOOT: 300.0})


class AgentOptions(Struct, frozen=True):
    """How an agent is to behave.

    Attributes:
        state_folder: where it keeps what it has to know after a restart.
        context: the context that it serves; empty on the machine itself.
        oneshot: leave when there is nothing to do.
        exit_on_failure: leave after a failed job, or an error.
        skip_power: leave where the machine is to be rebooted or powered off: somebody else does it.
        folder: where scripts and files of jobs are put; by default a new folder.
        variables: of scripts, on top of those that tell of the job.
        patience: seconds that it waits for a change before it looks again, or leaves; by default an hour, or a second.
        pauses: seconds of each instruction that is a pause.
    """

    state_folder: Path
    context: str = ""
    oneshot: bool = False
    exit_on_failure: bool = False
    skip_power: bool = False
    folder: str = ""
    variables: Mapping[str, str] = {}
    patience: float | None = None
    pauses: Mapping[Instruction, float] = field(default_factory=lambda: _PAUSES)

    @property
    def whens(self) -> frozenset[When]:
        """The options that the table of transitions asks for."""
        held = ((When.ONESHOT, self.oneshot), (When.EXIT_ON_FAILURE, self.exit_on_failure))
        return frozenset(when for when, holds in held if holds)

    @property
    def wait(self) -> float:
        """Seconds that it waits for a change."""
        return self.patience if self.patience is not None else 1.0 if self.oneshot else 3600.0
