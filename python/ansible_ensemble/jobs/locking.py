"""The lock of a job: the local one of this copy, then the global one of all clones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError, Locked
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.stored_state import fetch_externals, state_copy
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.git import first_commit, remote_url, repository_of
from ansible_ensemble.projects.lfs_lock import GlobalLock, acquire_global, left_global, release_global
from ansible_ensemble.projects.process import Presence, ancestors, presence

if TYPE_CHECKING:
    from ansible_ensemble.engine.lock_watch import LockWatch
    from ansible_ensemble.projects.controller import ControllerJob
    from ansible_ensemble.state.copy import StateCopy
    from ansible_ensemble.state.journal_upload import JournalUpload


class JobLock(Struct):
    """The locks that a job holds.

    Attributes:
        local: of this copy.
        shared: of all clones; None if locking is disabled, or unavailable and optional.
        state: the copy of a remote state, which is locked there; None if the state is in the folder.
    """

    local: locks.Lock
    shared: GlobalLock | None = None
    state: StateCopy | None = None

    def lock_state(self, ensemble: Path, options: JobOptions, notice: Callable[[str], None]) -> None:
        """Lock a remote state, and fetch it and those that it selects from; release one that was locked before.

        Raises:
            Locked: another job has it.
        """
        if left := self.release_remote():
            notice(left)
        copy = state_copy(ensemble, options)
        if copy is not None:
            copy.begin(self.local, timeout=options.lock_timeout, notice=notice)
            self.state = copy
        for said in fetch_externals(ensemble, options):
            notice(said)

    def lock_global(self, ensemble: Path, environment: Environment, notice: Callable[[str], None]) -> None:
        """Take the lock of all clones, if the environment asks for it.

        Raises:
            Locked: another job has it.
        """
        self.shared = acquire_global(
            environment.lfs_lock, ensemble, uri=_uri(ensemble), environment=environment.name, notice=notice
        )

    def release_remote(self) -> str | None:
        """Push the state, and release all locks but the local one; returns a message if that failed."""
        (state, self.state), (shared, self.shared) = (self.state, None), (self.shared, None)
        left = [state.finish() if state is not None else None, release_global(shared) if shared is not None else None]
        return "; ".join(filter(None, left)) or None

    def release(self) -> str | None:
        """Push the state, and release all locks; returns a message if that failed for a remote one."""
        try:
            return self.release_remote()
        finally:
            locks.release(self.local)


def acquire(
    ensemble: Path,
    operation: str,
    options: JobOptions,
    *,
    notice: Callable[[str], None],
    pid: int | None = None,
    job: ControllerJob | None = None,
) -> JobLock:
    """Take the locks of an ensemble, and have its state here. Arguments as for `projects.lock.acquire`.

    Raises:
        Locked: another job holds one of them.
    """
    timeout = options.lock_timeout
    lock = JobLock(locks.acquire(ensemble, operation, pid=pid, timeout=timeout, notice=notice, job=job))
    try:
        lock.lock_state(ensemble, options, notice)
        lock.lock_global(ensemble, _environment(ensemble, options.environment), notice)
    except BaseException:
        lock.release()
        raise
    return lock


@contextmanager
def locked(ensemble: Path, operation: str, options: JobOptions | None = None) -> Iterator[None]:
    """Hold all locks while the block runs, which is done at once: nothing is said of them unless it is refused."""
    lock = acquire(ensemble, operation, options or JobOptions(), notice=lambda _value: None)
    try:
        yield
    except BaseException:
        lock.release()
        raise
    if left := lock.release():
        raise EnsembleError(f"the job is done, but {left}")


def free(ensemble: Path, held: locks.Lock, options: JobOptions) -> tuple[bool, str | None]:
    """Push the state and release the locks instead of the process that took them.

    Returns:
        Whether the local one was released (it may be another's by now); and what to report of the others.
    """
    if not locks.holds(held):
        return False, None
    left: str | None = None
    try:
        copy = state_copy(ensemble, options)
        shared = left_global(_environment(ensemble, options.environment).lfs_lock, ensemble)
        left = JobLock(held, shared, copy).release_remote()
    except EnsembleError as error:  # what the files say now must not keep the local lock
        left = f"the other locks could not be released: {error}"
    return locks.release(held), left


def bring_state(ensemble: Path, options: JobOptions) -> str | None:
    """Push the state of a job that is recorded; returns what to report if that failed."""
    try:
        copy = state_copy(ensemble, options)
        if copy is not None:
            copy.push()
    except EnsembleError as error:
        return f"the state was not pushed: {error}"
    return None


def journal_upload(ensemble: Path, held: locks.Lock, options: JobOptions) -> Callable[[Path], JournalUpload] | None:
    """Starts to upload a job's journal to a remote state; None if the state is in the folder, or it is a dry run.

    Its process adopts the local lock, so that nobody records the job during an upload.
    """
    copy = None if options.check else state_copy(ensemble, options)
    if copy is None:
        return None

    def start(journal: Path) -> JournalUpload:
        upload = copy.upload_journal(journal)
        locks.adopt(ensemble, held.id, pid=upload.pid)
        return upload

    return start


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
