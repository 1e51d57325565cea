"""What the exit codes of a job's scripts come to, and what the job and its machine become by them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace


class Outcome(Struct, frozen=True):
    """How a script, or the job, ended.

    Attributes:
        failed: it did not do what it was for.
        incomplete: it did not fail, and has to be run again.
        reboot, poweroff, stop: what the agent is to do then.
    """

    failed: bool = False
    incomplete: bool = False
    reboot: bool = False
    poweroff: bool = False
    stop: bool = False

    @property
    def is_smooth(self) -> bool:
        """Whether the next job may follow at once."""
        return self == SMOOTH

    @property
    def asks(self) -> bool:
        """Whether the agent is to do something."""
        return self.reboot or self.poweroff or self.stop

    @property
    def state(self) -> str:
        """The state of the job."""
        return "failed" if self.failed else "incomplete" if self.incomplete else "finished"

    @property
    def exit_state(self) -> str:
        """The exit state of the job."""
        if self.failed:
            return "failed"
        wanted = (("reboot", self.reboot), ("poweroff", self.poweroff), ("stop", self.stop))
        return next((name for name, holds in wanted if holds), "complete")


SMOOTH = Outcome()
FAILED = Outcome(failed=True)

#: The codes of tasks that have the feature flag `sane-exit-codes`; all others are failures.
SANE: Mapping[int, Outcome] = MappingProxyType(
    {
        0: SMOOTH,
        16: Outcome(stop=True),
        32: Outcome(poweroff=True),
        64: Outcome(reboot=True),
        128: Outcome(incomplete=True),
        144: Outcome(incomplete=True, stop=True),
        160: Outcome(incomplete=True, poweroff=True),
        192: Outcome(incomplete=True, reboot=True),
    }
)
#: The codes of other tasks.
ORIGINAL: Mapping[int, Outcome] = MappingProxyType(
    {
        0: SMOOTH,
        1: Outcome(reboot=True),
        2: Outcome(incomplete=True),
        3: Outcome(incomplete=True, reboot=True),
    }
)


def outcome_of(status: int, sane: bool) -> Outcome:
    """What an exit status of a script means."""
    return (SANE if sane else ORIGINAL).get(status, FAILED)


def job_outcome(outcome: Outcome, final: bool) -> Outcome | None:
    """What the outcome of an action makes of its job; None where the next action follows.

    A script that wants the agent to do something before the last one ran leaves its job incomplete. One that is
    incomplete by itself, before the last one, ends the job early, and finished.
    """
    if outcome.failed:
        return outcome
    if outcome.asks:
        return replace(outcome, incomplete=outcome.incomplete or not final)
    if final:
        return outcome
    return SMOOTH if outcome.incomplete else None
