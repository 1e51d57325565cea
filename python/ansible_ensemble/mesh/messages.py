"""What a worker is told, and what it answers, as data."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import asdict

from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.mesh.control import MeshError

#: Bytes of what a worker is told; as a part of a message it may take twice as many.
LONGEST = 8_000_000


class Begin(Struct, frozen=True, tag="begin"):
    """Carry out a command, unless an order of this name is known already; answer how it ended."""

    name: str
    command: Command


class Cancel(Struct, frozen=True, tag="cancel"):
    """End an order that runs, or keep it from beginning should it come later; answer how it ended."""

    name: str


class Acknowledge(Struct, frozen=True, tag="acknowledge"):
    """Forget an order that has ended: how it did is known."""

    name: str


class Ended(Struct, frozen=True, omit_defaults=True):
    """How a command ended, as in `Outcome`."""

    ok: bool
    changed: bool | None = None
    rc: int | None = None
    stdout: str = ""
    stderr: str = ""
    cut: int = 0
    error: str | None = None
    timed_out: bool = False
    cancelled: bool = False
    seconds: float = 0.0

    @classmethod
    def of(cls, outcome: Outcome) -> Ended:
        """How it ended that had this outcome."""
        return cls(**{name: getattr(outcome, name) for name in cls.__struct_fields__})

    @property
    def outcome(self) -> Outcome:
        """Its outcome."""
        return Outcome(**asdict(self))


def to_text(told: Begin | Cancel | Acknowledge) -> str:
    """What a worker is told, as text in ASCII."""
    command = {"command": reveal(as_map(told.command))} if isinstance(told, Begin) else {}
    text = json.dumps({"type": told.__struct_config__.tag, "name": told.name, **command})
    if len(text) > LONGEST:
        raise MeshError(f"an order of {len(text)} bytes is too long for the mesh: {LONGEST} are the most")
    return text


def from_text(text: str) -> Begin | Cancel | Acknowledge:
    """What a worker is told."""
    try:
        return convert(json.loads(text), Begin | Cancel | Acknowledge)
    except (ValueError, RecursionError) as error:
        raise MeshError(f"this cannot be done here: {error}") from error


def ended_of(message: Any) -> Ended:
    """How a worker says that a command ended."""
    try:
        return convert(message, Ended)
    except ValidationError as error:
        raise MeshError(str(error)) from error


def as_message(ended: Ended) -> dict[str, Any]:
    """How a command ended, as plain data."""
    return dict(to_builtins(ended))
