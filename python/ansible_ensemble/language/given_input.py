"""Inputs that jobs were given, which last."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import REDACTED


class GivenInput(Struct, frozen=True):
    """A value that a job was given for an input of the topology; it lasts until another one is given.

    Attributes:
        value: as it was given, marked if it is sensitive; `REDACTED` in the place of what was not kept.
        workflow: what the job did.
        job: its change id.
        time: when it began, in ISO 8601; empty if that is not known.
        place: where it is recorded.
    """

    value: Any
    workflow: str = ""
    job: str = ""
    time: str = ""
    place: Place | None = None

    @property
    def origin(self) -> str:
        """Where it is from, in words."""
        return " ".join(filter(None, ("given to", self.workflow or "a job", self.time and f"on {self.time[:10]}")))

    @property
    def is_lost(self) -> bool:
        """Whether it, or a part of it, was not kept, for it is sensitive."""
        return is_lost(self.value)


def is_lost(value: Any) -> bool:
    """Whether a recorded value, or a part of it, was redacted."""
    if isinstance(value, dict):
        return any(map(is_lost, value.values()))
    return any(map(is_lost, value)) if isinstance(value, list) else bool(value == REDACTED)


def lost_input(name: str, given: GivenInput) -> InvalidInput:
    """The error that the value of an input was not kept."""
    hint = (
        f"give it again (--inputs FILE, -e @FILE, a survey); --reset-input {name} goes back to the specification's; "
        "with a vault password it would have been kept, encrypted"
    )
    return InvalidInput(f"the sensitive input '{name}', {given.origin}, was not kept", given.place, hint)
