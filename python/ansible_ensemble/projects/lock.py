"""The local lock: one job at a time on one copy of an ensemble (docs/rules.md, "Locking").

The lock is the file `<ensemble>.lock`. It says who holds it, since when and for what; when the holder's process and all
that adopted the lock from it are gone from this host, the next job takes it over. A process on another host, or in
another container, cannot be seen: its lock is respected and has to be released by `ansible-ensemble unlock ID`.
`lock_file` says what holds on which file system. For clones of a repository on several hosts there is the global lock.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble import __version__
from ansible_ensemble.core.clock import iso_time, job_time, now
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked, Place, UsageError
from ansible_ensemble.documents.shape import Shape, parse_json
from ansible_ensemble.projects import lock_file
from ansible_ensemble.projects.controller import ControllerJob
from ansible_ensemble.projects.process import Presence, Process, describe_process, presence
from ansible_ensemble.projects.project import in_repository

_LOG = logging.getLogger(__name__)

_LONGEST_PAUSE = 1.0
_UNREADABLE = "unreadable"
_LOCK: Shape = {"Path": str, "ID": str, "Operation": str, "Who": str, "Pid": int, "Adopters?": [{"Pid": int}]}


class NotLocked(UsageError):
    """There is no lock to release."""


class Lock(Struct, frozen=True):
    """Who holds an ensemble.

    Attributes:
        path: the ensemble's file, absolute.
        id: random; processes that know it belong to the holder.
        operation: what is being done, e.g. `deploy`.
        who: `user@host`.
        process: the process that holds it.
        version: of this tool; empty for another tool's lock.
        created: ISO time in UTC; empty where unknown.
        adopters: processes that work for the holder; the lock lives as long as any of these lives.
        job: the job of AWX that holds it; None outside of AWX.
        lease: seconds after which others may take it over unless it is renewed; 0 if it lasts until it is released.
        renewed: when its lease was renewed last, for comparison alone: it is another host's clock.
    """

    path: str
    id: str
    operation: str
    who: str
    process: Process
    version: str
    created: str
    adopters: tuple[Process, ...] = ()
    job: ControllerJob | None = None
    lease: float = 0.0
    renewed: str = ""

    def to_json(self) -> dict[str, Any]:
        """The lock as plain data, as it is in the file."""
        return {
            "ID": self.id,
            "Operation": self.operation,
            "Who": self.who,
            **self.process.to_json(),
            "Version": self.version,
            "Created": self.created,
            "Path": self.path,
            "Adopters": [adopter.to_json() for adopter in self.adopters],
            **({"ControllerJob": self.job.to_json()} if self.job else {}),
            **({"Lease": self.lease, "Renewed": self.renewed} if self.lease else {}),
        }


def lock_path(ensemble: str | Path) -> Path:
    """The lock file of an ensemble's file; the same for all symbolic links to it."""
    resolved = Path(ensemble).resolve()
    return resolved.with_name(resolved.name + ".lock")


def acquire(
    path: str | Path,
    operation: str,
    *,
    pid: int | None = None,
    timeout: float | None = 0,
    notice: Callable[[str], None] | None = None,
    job: ControllerJob | None = None,
) -> Lock:
    """Take the lock of an ensemble.

    Args:
        path: the ensemble's file.
        operation: what is going to be done.
        pid: the process that holds the lock, and whose end releases it; None is this one.
        timeout: seconds to wait for a lock that is held; None waits without end.
        notice: called with a line of text when a stale lock is taken over, and when the waiting begins.
        job: the job of AWX that takes it.

    Raises:
        Locked: another process holds it (still, at the end of the timeout).
    """
    file = lock_path(path)
    if not file.parent.is_dir():
        raise InvalidInput("there is no such folder", Place(str(file.parent)))
    process = describe_process(pid if pid is not None else os.getpid())
    lock = Lock(
        path=str(Path(path).resolve()),
        id=os.urandom(8).hex(),
        operation=operation,
        who=f"{_user()}@{process.host}",
        process=process,
        version=__version__,
        created=iso_time(now()),
        job=job,
    )
    deadline = None if timeout is None else time.monotonic() + timeout
    pause = 0.02
    waiting = False
    with lock_file.errors(file):
        while not lock_file.create(file, lock_text(lock)):
            holder, taken = _take_over_if_stale(file, lock)
            if holder is None:
                continue
            if taken:
                _tell(notice, f"the process that held the lock is gone; taken over from: {describe(holder)}")
                break
            if deadline is not None and time.monotonic() >= deadline:
                raise _locked(holder)
            if not waiting:
                _tell(notice, f"waiting for: {describe(holder)}")
                waiting = True
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        lock_file.sweep(file)
    _LOG.info("took lock %s of %s for %s", lock.id, lock.path, operation)
    return lock


def adopt(path: str | Path, lock_id: str, *, pid: int | None = None) -> Lock:
    """Work under a lock that another process holds, which handed down its id.

    The adopting process is written into the lock: should the holder be killed, the lock lives on until this process
    has ended too.

    Raises:
        Locked: the lock is another's now.
    """
    file = lock_path(path)
    process = describe_process(pid if pid is not None else os.getpid())
    with lock_file.errors(file), lock_file.guarded(file) as (text, _other):
        lock = _owned(text, path, lock_id)
        if process == lock.process or process in lock.adopters:
            return lock
        living = [adopter for adopter in lock.adopters if presence(adopter) is not Presence.GONE]
        lock = replace(lock, adopters=(*living, process))
        lock_file.replace(file, lock_text(lock))
        _LOG.info("process %d works under lock %s of %s", process.pid, lock.id, lock.path)
        return lock


def release(lock: Lock) -> bool:
    """Release the lock; False if it was no longer this one's (then nothing is changed)."""
    file = lock_path(lock.path)
    with lock_file.errors(file), lock_file.guarded(file) as (text, _other):
        if text is None or parse_lock(text, lock.path).id != lock.id:
            return False
        file.unlink()
        _LOG.info("released lock %s of %s", lock.id, lock.path)
        return True


def holds(lock: Lock) -> bool:
    """Whether the lock is still this one's."""
    return lost(lock) is None


def lost(lock: Lock) -> str | None:
    """How the lock was lost, in words; None if it is still this one's."""
    current = read_lock(lock.path)
    if current is not None and current.id == lock.id:
        return None
    whose = describe(current) if current is not None else "it was removed"
    return f"the lock was lost while the job ran: {whose}"


def read_lock(path: str | Path) -> Lock | None:
    """The lock that is held; None if there is none."""
    file = lock_path(path)
    with lock_file.errors(file):
        try:
            return parse_lock(file.read_text(encoding="utf-8", errors="replace"), path)
        except FileNotFoundError:
            return None


def unlock(path: str | Path, lock_id: str) -> Lock:
    """Free an ensemble by force and return the lock it had; asking for the id keeps one from freeing a newer lock.

    Raises:
        NotLocked: the ensemble is not locked.
    """
    file = lock_path(path)
    with lock_file.errors(file), lock_file.guarded(file) as (text, _other):
        if text is None:
            raise NotLocked(f"{path} is not locked")
        lock = parse_lock(text, path)
        if lock.id != lock_id:
            raise UsageError(f"that is not the lock's id: {describe(lock)}", hint=f"its id is {lock.id}")
        file.unlink()
        return lock


@contextmanager
def locked(path: str | Path, operation: str) -> Iterator[Lock]:
    """Hold the lock while the block runs, and release it also on exceptions. Arguments as for `acquire`."""
    lock = acquire(path, operation)
    try:
        yield lock
    finally:
        release(lock)


def is_left(lock: Lock) -> bool:
    """Whether all processes of a remote lock ran on this host and have ended."""
    here = read_lock(lock.path) if Path(lock.path).parent.is_dir() else None
    working = here if here is not None and here.id == lock.id else lock
    return working.process.pid > 0 and _gone(working)


def is_visible(lock: Lock) -> bool:
    """Whether a process that holds the lock is seen at work on this host."""
    return any(process.pid > 0 and presence(process) is Presence.ALIVE for process in (lock.process, *lock.adopters))


def is_at_work(path: str | Path, lock_id: str) -> bool:
    """Whether this is still the local lock, and one of its processes is alive as far as can be seen."""
    held = read_lock(path)
    return held is not None and held.id == lock_id and not is_left(held)


def renewal(lock: Lock) -> Lock:
    """The lock with its lease renewed just now."""
    return replace(lock, renewed=job_time(now()))


def describe(lock: Lock) -> str:
    """Say in one line what is locked by whom, for what and since when."""
    since = f" since {lock.created}" if lock.created else ""
    what = f" for {lock.operation}" if lock.operation else ""
    if lock.job is not None:
        ensemble = in_repository(lock.path, Path(lock.path).parent)  # the rest of it is of the job's container
        return f"{ensemble} is locked by {lock.job}{what}{since}: {lock.job.url} (lock id {lock.id})"
    where = f" on {lock.process.host}" if lock.process.host else ""
    pid = f", process {lock.process.pid}{where}" if lock.process.pid else ""
    return f"{lock.path} is locked by {lock.who}{what}{since}{pid} (lock id {lock.id})"


def _locked(holder: Lock) -> Locked:
    return Locked(
        describe(holder),
        hint="try again later or wait with --lock-timeout; if that process no longer exists: "
        f"`ansible-ensemble unlock {holder.id} --ensemble {holder.path}`",
    )


def _owned(text: str | None, path: str | Path, lock_id: str) -> Lock:
    if text is None:
        raise EnsembleError(f"{path} is no longer locked by the lock {lock_id}")
    lock = parse_lock(text, path)
    if lock.id != lock_id:
        raise _locked(lock)
    return lock


def _take_over_if_stale(file: Path, lock: Lock) -> tuple[Lock | None, bool]:
    """Examine the existing lock; returns it (None: it went away) and whether ours replaced it."""
    with lock_file.guarded(file) as (text, safe):
        if text is None:
            return None, False
        holder = parse_lock(text, lock.path)
        stale = safe and holder.process.pid > 0 and _gone(holder)
        if stale:
            lock_file.replace(file, lock_text(lock))
        return holder, stale


def _gone(lock: Lock) -> bool:
    return all(presence(process) is Presence.GONE for process in (lock.process, *lock.adopters))


def parse_lock(text: str, path: str | Path) -> Lock:
    """Read a lock file's text: ours, Unfurl's (a pid and nothing else), or something unreadable, which is respected."""
    try:
        data = parse_json(text, (_LOCK, int), Path(path), "")
        if isinstance(data, int):
            data = {"ID": str(data), "Pid": data, "Operation": "a job of Unfurl", "Who": "Unfurl", "Path": str(path)}
        return Lock(
            path=data["Path"],
            id=data["ID"],
            operation=data["Operation"],
            who=data["Who"],
            process=Process.from_json(data),
            version=str(data.get("Version", "")),
            created=str(data.get("Created", "")),
            adopters=tuple(Process.from_json(adopter) for adopter in data.get("Adopters", ())),
            job=ControllerJob.from_json(data["ControllerJob"]) if data.get("ControllerJob") else None,
            lease=max(0.0, float(data.get("Lease", 0))),
            renewed=str(data.get("Renewed", "")),
        )
    except (InvalidInput, ValueError, TypeError, KeyError):
        return Lock(str(path), _UNREADABLE, "", "an unreadable lock file", Process(0), "", "")


def lock_text(lock: Lock) -> str:
    """The text of a lock's file."""
    return json.dumps(lock.to_json(), indent=1) + "\n"


def _user() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return str(os.getuid())


def _tell(notice: Callable[[str], None] | None, text: str) -> None:
    _LOG.info("%s", text)
    if notice is not None:
        notice(text)
