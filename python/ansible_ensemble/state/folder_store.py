"""State in another folder, of this host or of a file system that hosts share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.core.errors import Place
from ansible_ensemble.projects import lock_file
from ansible_ensemble.projects.lock import Lock, lock_path, lock_text, parse_lock, read_lock, renewal
from ansible_ensemble.state.files import mirror, tree
from ansible_ensemble.state.store import File, Files, Unreachable, check_held, check_id

_LOCKED = "ensemble.yaml"


class FolderStore:
    """The store in a folder."""

    exclusive = leases = True

    def __init__(self, folder: Path) -> None:
        self.where = str(folder)
        self._folder = folder
        self._lock = lock_path(folder / _LOCKED)

    def read(self) -> Files | None:
        """See `Store`."""
        with _reported(self._folder):
            return tree(self._folder) or None

    def holder(self) -> Lock | None:
        """See `Store`."""
        return read_lock(self._folder / _LOCKED)

    def write(self, files: Files, _note: str, lock_id: str) -> None:
        """See `Store`."""
        with _reported(self._folder), lock_file.guarded(self._lock) as (text, _safe):
            check_held(self._parsed(text), lock_id)
            mirror(files, self._folder, tree(self._folder))

    def write_journal(self, name: str, journal: bytes, lock_id: str) -> None:
        """See `Store`."""
        with _reported(self._folder), lock_file.guarded(self._lock) as (text, _safe):
            check_held(self._parsed(text), lock_id)
            mirror({name: File(journal)}, self._folder, {})

    def renew(self, lock_id: str) -> None:
        """See `Store`."""
        with _reported(self._folder), lock_file.guarded(self._lock) as (text, _safe):
            lock_file.replace(self._lock, lock_text(renewal(check_held(self._parsed(text), lock_id))))

    def take(self, lock: Lock) -> Lock | None:
        """See `Store`."""
        with _reported(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            while not lock_file.create(self._lock, lock_text(lock)):
                if (holder := self.holder()) is not None:
                    return holder
        return None

    def release(self, lock_id: str, *, forced: bool = False) -> None:  # noqa: ARG002  (the journal is in the state)
        """See `Store`."""
        with _reported(self._folder), lock_file.guarded(self._lock) as (text, _safe):
            check_id(self._parsed(text), lock_id)
            self._lock.unlink(missing_ok=True)

    def _parsed(self, text: str | None) -> Lock | None:
        return parse_lock(text, self._folder / _LOCKED) if text is not None else None


@contextmanager
def _reported(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unreachable(f"the state is unreachable: {error.strerror or error}", Place(str(folder))) from error
