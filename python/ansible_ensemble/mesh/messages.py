"""What a worker is told, as data."""

from __future__ import annotations

import hashlib
import json
from math import inf
from os.path import normpath
from pathlib import Path
from typing import Any

from msgspec import Struct, ValidationError, convert, field
from msgspec.structs import asdict, replace

from ansible_ensemble.core.orders import Command, LookedUp, ModuleCall, Outcome, Play
from ansible_ensemble.core.sensitive import SensitiveMap, reveal
from ansible_ensemble.core.sparse import as_map
from ansible_ensemble.core.texts import with_text_keys
from ansible_ensemble.mesh.control import MeshError

#: Bytes of what a worker is told; as a part of a message it may take twice as many.
LONGEST = 8_000_000

_KINDS: dict[str, type[Command | ModuleCall | Play]] = {"command": Command, "module": ModuleCall, "play": Play}


class Begin(Struct, frozen=True, tag="begin"):
    """Carry out an order, unless one of this name is known already; answer how it ended.

    Attributes:
        name: of the order.
        key: what seals how it ended.
        kind: `command`, `module` or `play`; order: its fields.
        tree: the files that it finds in the place of those in the folder `root`, by their digest.
        around: a file with what is around it (`lanes.surroundings`), by the digest of a tree that holds it alone;
            around_key: unseals it; hosts: the variables of hosts that it needs.
    """

    name: str
    key: str
    kind: str
    order: dict[str, Any]
    tree: str | None = None
    root: str = ""
    around: str | None = None
    around_key: str = ""
    hosts: str = ""

    @classmethod
    def of(cls, name: str, key: str, order: Command | ModuleCall | Play, **files: Any) -> Begin:
        """Have an order carried out."""
        kind = next(kind for kind, of in _KINDS.items() if isinstance(order, of))
        return cls(name, key, kind, reveal(as_map(order)), **files)

    @property
    def digest(self) -> str:
        """Of what is to be done, wherever its files are."""
        order = self.order if self.tree is None else moved(self.order, self.root, "")
        text = json.dumps(with_text_keys([self.kind, order, self.tree]), default=str, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def ordered(self, tree: str | None = None) -> Command | ModuleCall | Play:
        """What to carry out, with its files in a folder."""
        if self.kind not in _KINDS:
            raise MeshError(f"nobody here carries out {self.kind}")
        order = self.order if tree is None else moved(self.order, self.root, tree)
        try:
            return convert(order, _KINDS[self.kind])
        except ValueError as error:
            raise MeshError(f"this cannot be done here: {error}") from error


class _Ended(Struct, frozen=True):
    """How an order ended, as in `Outcome`."""

    ok: bool
    changed: bool | None = None
    rc: int | None = None
    stdout: str = ""
    stderr: str = ""
    cut: int = 0
    result: dict[str, Any] = field(default_factory=dict)
    hidden: dict[str, Any] = field(default_factory=dict)
    diff: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    timed_out: bool = False
    cancelled: bool = False
    unreachable: bool = False
    lane: str = "process"
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    looked_up: LookedUp = field(default_factory=LookedUp)
    told: list[str] = field(default_factory=list)


class Cancel(Struct, frozen=True, tag="cancel"):
    """End an order that runs, or keep it from beginning should it come later; answer how it ended."""

    name: str
    key: str


class Acknowledge(Struct, frozen=True, tag="acknowledge"):
    """Forget an order that has ended: how it did is known."""

    name: str


class Offer(Struct, frozen=True, tag="offer"):
    """Have the files of orders in place; answer which contents are lacking.

    Attributes:
        name: the digest of `files`.
        files: digest of the content by path, and whether it is a program.
    """

    name: str
    files: dict[str, tuple[str, bool]]


class Content(Struct, frozen=True, tag="content"):
    """Keep what a file holds, in base64; its name is the digest."""

    name: str
    data: str


Told = Begin | Cancel | Acknowledge | Offer | Content


def to_text(told: Told) -> str:
    """What a worker is told, as text in ASCII."""
    text = json.dumps({"type": told.__struct_config__.tag, **as_map(told)}, default=str)
    if len(text) > LONGEST:
        raise MeshError(f"an order of {len(text)} bytes is too long for the mesh: {LONGEST} are the most")
    return text


def from_text(text: str) -> Told:
    """What a worker is told."""
    try:
        return convert(json.loads(text), Begin | Cancel | Acknowledge | Offer | Content)
    except (ValueError, RecursionError) as error:
        raise MeshError(f"this cannot be done here: {error}") from error


def outcome_of(ended: dict[str, Any], root: Path | None) -> Outcome:
    """The outcome that a worker tells of; of what Ansible read there, what is also here: files in the folder `root`."""
    try:
        told = convert(ended, _Ended)
    except (ValidationError, RecursionError) as error:
        raise MeshError(str(error)) from error
    if not 0 <= told.seconds < inf:
        raise MeshError("it took no number of seconds")
    looked_up = replace(told.looked_up, environ=[])
    for name in ("files", "loaded"):
        paths = [path for path in getattr(looked_up, name) if root is not None and _is_below(path, root)]
        setattr(looked_up, name, paths)
    return Outcome(**{**asdict(told), "hidden": SensitiveMap(told.hidden), "looked_up": looked_up})


def _is_below(path: str, root: Path) -> bool:
    return "\0" not in path and Path(normpath(path)).is_relative_to(root)


def moved(data: Any, before: str, after: str) -> Any:
    """Plain data in which paths in a folder lead into another one."""
    match data:
        case str() if data == before or data.startswith(f"{before}/"):
            return after + data[len(before) :]
        case dict():
            return {key: moved(value, before, after) for key, value in data.items()}
        case list() | tuple():
            return [moved(value, before, after) for value in data]
    return data
