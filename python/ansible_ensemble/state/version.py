"""Versions of a state: the mark in the remote files, and the record of the copy in a folder."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict, replace

from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.shape import Shape, parse_json, read_json
from ansible_ensemble.projects.lock import Lock, is_left, is_visible, lock_path, lock_text
from ansible_ensemble.state.files import MARK
from ansible_ensemble.state.store import File, Files

_RECORD: Shape = {
    **{"where": str, "serial": int, "digest": str, "lock": str, "unpushed": bool},
    **{"holder?": str, "seen?": float, "left?": bool},
}
_MARK: Shape = {"serial": int, "writer": str}


class Record(Struct, frozen=True):
    """What is known of a copy.

    Attributes:
        where: the location that it is of.
        serial: the number of its version there; 0 of none.
        digest: of its files when they were last equal.
        lock: the id of the lock there that this copy holds; empty without one.
        unpushed: whether it may have changes that are not pushed.
        holder: the text of the lock that another held there when the state was last fetched; empty without one.
        seen: when this text was fetched first, in seconds since the epoch.
        left: whether the fetch found that its job is gone.
    """

    where: str
    serial: int = 0
    digest: str = ""
    lock: str = ""
    unpushed: bool = False
    holder: str = ""
    seen: float = 0.0
    left: bool = False

    def held_by(self, holder: Lock | None, now: float) -> Record:
        """The record once a fetch found who holds the lock; a lease that is not renewed for its length has run out."""
        if holder is None or holder.id == self.lock:
            return replace(self, holder="", seen=0.0, left=False)
        text = lock_text(holder)
        seen = self.seen if text == self.holder else now
        has_run_out = 0 < holder.lease < now - seen and not is_visible(holder)
        return replace(self, holder=text, seen=seen, left=has_run_out or is_left(holder))


def record_path(ensemble: Path) -> Path:
    """The file of an ensemble's record."""
    lock = lock_path(ensemble)
    return lock.with_name(f"{lock.name}.state")


def read_record(file: Path, where: str = "") -> Record:
    """The record of a copy; an empty one if there is none of this location, or of any."""
    with suppress(FileNotFoundError):
        read = read_json(file, _RECORD, "remove it; then the state is fetched anew")
        found = Record(**read)
        if where in ("", found.where):
            return found
    return Record(where)


def write_record(file: Path, record: Record) -> None:
    """Write the record of a copy."""
    write_atomically(file, json.dumps(asdict(record)) + "\n", mode=0o600)


def mark(serial: int, writer: str) -> File:
    """The mark of a version: its number, and the id of the lock that it is written by."""
    return File((json.dumps({"serial": serial, "writer": writer}) + "\n").encode())


def marked(files: Files | None) -> tuple[int, str]:
    """The number of a state's version, and the id of the lock that it was written by; 0 and nothing of none."""
    found = (files or {}).get(MARK)
    if found is None:
        return 0, ""
    read = parse_json(found.content.decode(errors="replace"), _MARK, Path(MARK), "the state is damaged")
    return read["serial"], read["writer"]


def digest_of(files: Files) -> str:
    """A digest that differs if any file does."""
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name}\0{files[name].executable}\0{len(files[name].content)}\0".encode())
        whole.update(files[name].content)
    return whole.hexdigest()
