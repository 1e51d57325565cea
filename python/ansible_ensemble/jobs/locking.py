"""The lock of a job: the local one of this copy, then the global one of all clones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.git import first_commit, remote_url, repository_of
from ansible_ensemble.projects.lfs_lock import GlobalLock, acquire_global, left_global, release_global
from ansible_ensemble.projects.process import Presence, ancestors, presence

if TYPE_CHECKING:
    from ansible_ensemble.engine.lock_watch import LockWatch


@dataclass(slots=True)
class JobLock:
    """The locks that a job holds.

    Attributes:
        local: of this copy.
        shared: of all clones; None where none is wanted, or none can be had and that is allowed.
    """

    local: locks.Lock
    shared: GlobalLock | None = None

    def share(self, ensemble: Path, environment: Environment, notice: Callable[[str], None]) -> None:
        """Take the global lock too, if the environment wants one.

        Raises:
            Locked: another job has it.
            EnsembleError: it is required and cannot be had.
        """
        self.shared = acquire_global(
            environment.lfs_lock, ensemble, uri=_uri(ensemble), environment=environment.name, notice=notice
        )

    def unshare(self) -> str | None:
        """Release the global lock; returns a message if that failed."""
        shared, self.shared = self.shared, None
        return release_global(shared) if shared is not None else None

    def release(self) -> str | None:
        """Release both; returns a message if the global one could not be released."""
        try:
            return self.unshare()
        finally:
            locks.release(self.local)


def acquire(
    ensemble: Path,
    operation: str,
    *,
    environment: str | None,
    notice: Callable[[str], None],
    pid: int | None = None,
    timeout: float = 0.0,
) -> JobLock:
    """Take both locks of an ensemble. Arguments as for `projects.lock.acquire`; `environment` is its name.

    Raises:
        Locked: another job holds one of them.
        EnsembleError: the global one is required and cannot be had, or the files that say so cannot be read.
    """
    lock = JobLock(locks.acquire(ensemble, operation, pid=pid, timeout=timeout, notice=notice))
    try:
        lock.share(ensemble, _environment(ensemble, environment), notice)
    except BaseException:
        lock.release()
        raise
    return lock


@contextmanager
def locked(ensemble: Path, operation: str) -> Iterator[None]:
    """Hold both locks while the block runs, which is done at once: nothing is said of them unless it is refused.

    Raises:
        EnsembleError: as `acquire`; or the global one could not be released.
    """
    lock = acquire(ensemble, operation, environment=None, notice=lambda _: None)
    try:
        yield
    except BaseException:
        lock.release()
        raise
    if left := lock.release():
        raise EnsembleError(f"the job is done, but {left}")


def free(ensemble: Path, held: locks.Lock, environment: str | None) -> tuple[bool, str | None]:
    """Release both locks instead of the process that took them.

    Returns:
        Whether the local one was released (it may be another's by now); and what to report if the global one was not.
    """
    if not locks.holds(held):
        return False, None
    left: str | None = None
    try:
        shared = left_global(_environment(ensemble, environment).lfs_lock, ensemble)
        left = release_global(shared) if shared is not None else None
    except EnsembleError as error:  # what the files say now must not keep the local lock
        left = f"the global lock could not be queried: {error}"
    return locks.release(held), left


def watch(ensemble: Path, held: locks.Lock, environment: Environment) -> LockWatch:
    """The watch over both locks, for the job that holds them."""
    from ansible_ensemble.engine.lock_watch import LockWatch  # brings asyncio, which only the process of the job needs

    return LockWatch(held, left_global(environment.lfs_lock, ensemble) if environment.lfs_lock.lock != "no" else None)


@contextmanager
def recording(ensemble: Path, held: Callable[[locks.Lock], bool]) -> Iterator[None]:
    """Hold the local lock while a job is recorded: it is held already, or free, and then taken.

    Args:
        ensemble: the ensemble's file.
        held: whether a lock is the job's.

    Raises:
        Locked: it was lost to another job, which must not find the records changing.
    """
    current = locks.read_lock(ensemble)
    if current is not None and not held(current):
        raise Locked(
            f"the lock was lost while the job ran: {locks.describe(current)}",
            hint="what the job did is in its journal; the next job records it, or `ansible-ensemble recover`",
        )
    with nullcontext() if current is not None else locks.locked(ensemble, "record"):
        yield


def _environment(ensemble: Path, name: str | None) -> Environment:
    return load_environment(ensemble, expanded(read_merged(ensemble) if ensemble.exists() else None, name), name)


def _uri(ensemble: Path) -> str:
    """A name of the ensemble that is the same in all clones: its repository and its path there."""
    root = repository_of(ensemble.parent)
    if root is None:
        return ""
    return f"{remote_url(root) or first_commit(root)}/{os.path.relpath(ensemble.resolve(), root)}"


def adopt_held(path: Path) -> locks.Lock:
    """Have the lock live as long as this process, should its holder be killed.

    Raises:
        EnsembleError: the ensemble is not locked.
        Locked: the lock is not held by a process that this one comes from.
    """
    held = holder(path)
    if held is None:
        other = locks.read_lock(path)
        if other is not None:
            raise Locked(locks.describe(other))
        raise EnsembleError(f"{path} is not locked", hint="run tosca.ensemble.lock before tosca.ensemble.execute")
    locks.adopt(path, held.id, pid=os.getpid())
    return held


def holder(path: Path) -> locks.Lock | None:
    """The lock of an ensemble if a process that this one comes from holds it, or works for its holder."""
    held = locks.read_lock(path)
    return held if held is not None and is_ours(held) else None


def is_ours(held: locks.Lock) -> bool:
    """Whether a lock is held by a process that this one comes from, or that works for its holder."""
    ours = ancestors(os.getpid())
    return any(one.pid in ours and presence(one) is Presence.ALIVE for one in (held.process, *held.adopters))
