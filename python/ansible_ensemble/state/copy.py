"""The copy of a remote state in an ensemble's folder: fetched from its location, and pushed to it.

A file beside the local lock tells what the copy is: from where, which version, by which lock it may be pushed, and
whether it holds what its location lacks. While a job runs it counts as not pushed, so that after a crash the next job
of this folder brings what is here; a folder that is gone left its journal at the location.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ansible_ensemble.changes.job_record import OPEN
from ansible_ensemble.changes.jobs_tsv import FILE_NAME, last_job, read_jobs
from ansible_ensemble.core.errors import EnsembleError, Locked, Place, UsageError
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.controller import has_ended
from ansible_ensemble.projects.execution_settings import LEASE
from ansible_ensemble.projects.folders import ACTIVE
from ansible_ensemble.projects.vault import Vault, protect
from ansible_ensemble.state.files import MARK, SECTIONS, collected, install, is_here, job_of
from ansible_ensemble.state.lease import LeaseWatch, start_renewal
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import File, Files
from ansible_ensemble.state.version import Record, digest_of, mark, marked, read_record, record_path, write_record

if TYPE_CHECKING:
    from ansible_ensemble.state.journal_upload import JournalUpload

_PAUSE = 1.0


class StateCopy:
    """The copy of an ensemble's state in its folder, and its location."""

    def __init__(self, ensemble: Path, kind: str, values: Mapping[str, str], vault: Vault) -> None:
        """Begin with the files in the folder.

        Args:
            ensemble: the ensemble's file.
            kind: of the location.
            values: what the store is opened by.
            vault: what encrypts secrets.
        """
        self._ensemble = ensemble
        self._kind, self._values = kind, values
        self._store = open_store(kind, values)
        self._vault = vault
        self._renewal: subprocess.Popen[bytes] | None = None
        lock = locks.lock_path(ensemble)
        self._file = record_path(ensemble)
        self._guard = lock.with_name(f"{lock.name}.fetch")

    @property
    def where(self) -> str:
        """The location."""
        return self._store.where

    @property
    def record(self) -> Record:
        """What is known of the copy."""
        return read_record(self._file, self.where)

    def begin(self, lock: locks.Lock, *, timeout: float, notice: Callable[[str], None]) -> None:
        """Lock the remote state and fetch it; the caller holds the local lock.

        Raises:
            Locked: another job holds it.
        """
        before = self.record
        held, is_taken_over = self._locked(lock, before, timeout, notice)
        try:
            with self._alone():
                self._synchronise(self._fenced(before, held) if is_taken_over else before, held, notice)
            self._note(replace(self.record, unpushed=True, holder=""))
        except BaseException:
            self._stop_renewal()
            if held != before.lock:
                with suppress(EnsembleError):
                    self._store.release(held)
                self._note(replace(self.record, lock=before.lock))
            raise

    def fetch(self) -> str | None:
        """Fetch the newest state without locking it; returns a notice if it was not fetched."""
        with self._alone():
            if locks.read_lock(self._ensemble) is not None:
                return None  # a job of this folder is at work: nothing is newer
            before = self.record
            if before.unpushed:
                return f"The state here is not pushed to {self.where} yet: `{self._command('push')}`."
            files, holder = self._read_with_holder()
            self._check_newer(before, files)
            self._install(files, before)
            self._note(self.record.held_by(holder, time.time()))
        return None

    def push(self, *, forced: bool = False) -> bool:
        """Push the state; by force, over what others pushed meanwhile. Its lock must be held.

        Returns:
            Whether anything was to be pushed.

        Raises:
            Locked: another job has changed it.
        """
        before = self.record
        files = self._collected()
        digest = digest_of(files)
        if digest == before.digest and not forced:
            self._note(replace(before, unpushed=False))
            return False
        there = self._read() if forced or not self._store.exclusive else None
        if not forced and not self._store.exclusive and not self._is_base(before, there):
            raise Locked(f"another job changed the state in {self.where} meanwhile")
        serial = max(before.serial, marked(there)[0] if forced else 0) + 1
        last = last_job(self._ensemble.parent / FILE_NAME)
        note = f"State after job {last}" if last else "State"
        self._store.write({**files, MARK: mark(serial, before.lock)}, note, before.lock)
        self._note(replace(before, serial=serial, digest=digest, unpushed=False))
        return True

    def upload_journal(self, journal: Path) -> JournalUpload:
        """Start to upload a running job's journal."""
        from ansible_ensemble.state.journal_upload import JournalUpload  # brings asyncio

        name = journal.relative_to(self._ensemble.parent).as_posix()
        return JournalUpload(self._kind, self._values, name=name, journal=journal, lock_id=self.record.lock)

    def finish(self) -> str | None:
        """Push the state and release its lock, after a job; returns a message if that failed."""
        if not self.record.lock:
            return None
        try:
            self.push()
        except Locked as error:
            return f"{error}; what the job did is kept here, and was not pushed"
        except (EnsembleError, OSError) as error:
            return (
                f"the state was not pushed: {error}; it is kept in {self._ensemble.parent}: "
                f"`{self._command('push')}` pushes it, and the next job there does so first"
            )
        return self.release()

    def release(self) -> str | None:
        """Release the lock of the state; returns a message if that failed, and the next job reuses it."""
        held = self.record.lock
        self._stop_renewal()
        try:
            self._store.release(held)
        except UsageError:  # somebody did it by force
            pass
        except EnsembleError as error:
            return f"the lock of the state was not released: {error} (the next job of this folder reuses it)"
        self._note(replace(self.record, lock=""))
        return None

    def free(self, lock_id: str) -> None:
        """Release the lock of the state by force."""
        self._store.release(lock_id, forced=True)
        if self.record.lock == lock_id:
            self._note(replace(self.record, lock=""))

    def bring(self, lock: locks.Lock, *, forced: bool = False) -> bool:
        """Push under a lock of its own, or that which a job left; returns whether anything was to be pushed.

        Raises:
            Locked: another job holds it.
        """
        before = self.record
        held, is_taken_over = self._locked(lock, before, 0.0, lambda _text: None)
        try:
            before = self._fenced(before, held) if is_taken_over else before
            files = self._read()
            is_unknown = files is not None and before.serial == 0 and not before.unpushed
            if not forced and files is not None and (is_unknown or not self._is_base(before, files)):
                raise self._diverged()
            self._note(replace(self.record, serial=marked(files)[0]))
            pushed = self.push(forced=forced or files is None)
        finally:
            left = self.release()
        if left:
            raise EnsembleError(left)
        return pushed

    def replace(self, *, forced: bool = False) -> None:
        """Fetch the state; by force, over what was not pushed."""
        with self._alone():
            before, files = self.record, self._read()
            if files is None:
                raise self._missing()
            if not forced:
                self._check_newer(before, files)
            if before.unpushed and not forced:
                raise EnsembleError(f"the state here is not pushed to {self.where} yet", hint=self._command("push"))
            self._install(files, before)
        if before.lock and forced:
            self.release()

    def _locked(
        self, lock: locks.Lock, before: Record, timeout: float, notice: Callable[[str], None]
    ) -> tuple[str, bool]:
        """Take the lock and note its id: before as well, so that the next job can reuse it if the answer is lost.

        Returns:
            The id of the lock, and whether it was taken over from another job.
        """
        self._note(replace(before, lock=before.lock or lock.id))
        wanted = replace(lock, adopters=())
        if self._store.leases:
            wanted = locks.renewal(replace(wanted, lease=float(self._values.get("lease", LEASE))))
        try:
            held, is_taken_over = self._taken(wanted, before, timeout, notice)
        except Locked:
            self._note(before)
            raise
        self._note(replace(before, lock=held))
        if self._store.leases:
            self._renewal = start_renewal(self._kind, self._values, held, wanted)
        return held, is_taken_over

    def _taken(
        self, lock: locks.Lock, before: Record, timeout: float, notice: Callable[[str], None]
    ) -> tuple[str, bool]:
        """Take the lock, reuse the one that this copy holds, or take over that of a job that is gone."""
        deadline, noticed, is_taken_over = time.monotonic() + timeout, "", False
        watch = LeaseWatch()
        while (holder := self._store.take(lock)) is not None and holder.id != lock.id:  # ours, if an answer was lost
            watch.look(holder)
            if holder.id == before.lock:
                notice(f"reused the lock of the state in {self.where} that an earlier job of this folder left")
                return holder.id, False
            if why := _is_gone(holder, watch, is_new=noticed != holder.id):
                notice(f"{why}; taken over from: {locks.describe(holder)}")
                with suppress(UsageError):
                    self._store.release(holder.id, forced=True)
                is_taken_over = True
                continue
            if time.monotonic() >= deadline and not watch.is_undecided(holder):
                raise Locked(f"the state is locked: {locks.describe(holder)}", hint=self._way_out(holder))
            if noticed != holder.id:
                notice(f"waiting for: {locks.describe(holder)}")
                noticed = holder.id
            time.sleep(min(_PAUSE, holder.lease / 4 or _PAUSE))
        return lock.id, is_taken_over

    def _stop_renewal(self) -> None:
        if self._renewal is not None:
            self._renewal.terminate()
            self._renewal.wait()
            self._renewal = None

    def _way_out(self, holder: locks.Lock) -> str:
        way = "try again later or wait with --lock-timeout"
        if holder.lease:
            return f"{way}; it is free {holder.lease:g} s after its job was killed"
        if holder.job is not None:
            return f"{way}; if that job has ended, launch the template of `unlock` with the lock id {holder.id}"
        unlock = f"`ansible-ensemble unlock {holder.id} --ensemble {self._ensemble}`"
        return f"{way}; if nothing runs there any more: {unlock}"

    def _fenced(self, before: Record, held: str) -> Record:
        """Write the state unchanged as a new version, so that the former holder of the lock cannot overwrite it."""
        files = self._read() or {}
        serial = marked(files)[0]
        self._store.write({**files, MARK: mark(serial + 1, held)}, "Taken over", held)
        if before.serial != serial:
            return before
        self._note(replace(self.record, serial=serial + 1))
        return replace(before, serial=serial + 1)

    def _synchronise(self, before: Record, held: str, notice: Callable[[str], None]) -> None:
        files = self._read()
        if not before.unpushed:
            self._check_newer(before, files)
            self._install(files, before)
        elif self._is_base(before, files):
            self._note(replace(self.record, serial=marked(files)[0], lock=held))
            if self.push():
                notice(f"pushed the state that an earlier job left here to {self.where}")
        else:
            raise self._diverged()

    def _is_base(self, before: Record, files: Files | None) -> bool:
        """Whether the remote state is still the version that was fetched, or written under our lock."""
        serial, writer = marked(files)
        is_ours = bool(writer) and writer == before.lock
        return (serial == before.serial or is_ours) and not self._has_news(files or {})

    def _has_news(self, files: Files) -> bool:
        """Whether the remote state has the journal of a job that is unknown here."""
        folder = self._ensemble.parent
        left = {job_of(name) for name in files if name.endswith(OPEN) and not is_here(name, folder)}
        return bool(left) and not left <= read_jobs(folder / FILE_NAME, left).keys()

    def _check_newer(self, before: Record, files: Files | None) -> None:
        """Refuse to replace the state by one that is older, or lacks its last job."""
        if files is None:
            if before.serial:
                raise self._missing()
            return
        last, serial = last_job(self._ensemble.parent / FILE_NAME), marked(files)[0]
        if serial < before.serial:
            raise EnsembleError(
                f"the state in {self.where} is older than the one here: version {serial}, here {before.serial}",
                hint=self._choice(),
            )
        # a newer version was pushed in its place by somebody who knew of it, or by force
        is_known = 0 < before.serial < serial
        if not is_known and last is not None and last.encode() not in files.get(FILE_NAME, File(b"")).content:
            raise self._diverged()

    def _missing(self) -> EnsembleError:
        return EnsembleError(
            f"there is no state in {self.where}", hint=f"`{self._command('push')}` brings there what is here"
        )

    def _diverged(self) -> EnsembleError:
        return EnsembleError(f"the state here and that in {self.where} have diverged", hint=self._choice())

    def _choice(self) -> str:
        return f"`{self._command('pull --force')}` takes that one, `{self._command('push --force')}` this one"

    def _read(self) -> Files | None:
        """The files of the remote state; refuse a project's own files, which a push would replace."""
        files = self._store.read()
        if files is not None and SECTIONS in files and MARK not in files:
            raise EnsembleError(
                f"{self.where} has an {SECTIONS} that is no state, and would be replaced",
                hint="name a branch or a folder in `state` that holds nothing else",
            )
        return files

    def _read_with_holder(self) -> tuple[Files | None, locks.Lock | None]:
        """The files of the remote state, and who holds its lock if the journal of a job is there."""
        files = self._read()
        if not any(name.endswith(OPEN) for name in files or ()):
            return files, None
        holder = self._store.holder()
        return (files if holder else self._read()), holder  # without one, the job may have ended meanwhile

    def _install(self, files: Files | None, before: Record) -> None:
        if files is not None:
            install(files, self._ensemble)
            held = self.record.lock
            serial = marked(files)[0]
            digest = digest_of(self._collected(changing=False))
            self._note(replace(before, serial=serial, digest=digest, lock=held, unpushed=False))

    def _collected(self, *, changing: bool = True) -> dict[str, File]:
        """The files of the state here; secrets are encrypted first, or left out without a vault password."""
        folder = self._ensemble.parent / ACTIVE / "secrets"
        if changing and folder.is_dir():
            protect(folder, self._vault)
        return collected(self._ensemble)

    def _note(self, record: Record) -> None:
        write_record(self._file, record)

    def _command(self, verb: str) -> str:
        return f"ansible-ensemble state {verb} {self._ensemble}"

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the copy against other processes; a job does so under the local lock as well."""
        try:
            handle = os.open(self._guard, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                with suppress(OSError):
                    fcntl.flock(handle, fcntl.LOCK_EX)
                yield
            finally:
                os.close(handle)
        except OSError as error:
            place = Place(str(self._ensemble.parent))
            raise EnsembleError(f"the state cannot be copied here: {error.strerror or error}", place) from error


def _is_gone(holder: locks.Lock, watch: LeaseWatch, *, is_new: bool) -> str | None:
    """Why the holder of a lock is known to be gone; None if it may be alive."""
    if locks.is_left(holder):
        return "the process that held the lock is gone"
    if watch.has_run_out(holder):
        return f"the lock was not renewed for {holder.lease:g} s"
    if is_new and holder.job is not None and has_ended(holder.job, os.environ):
        return f"{holder.job} has ended"
    return None
