"""State on a branch of a git repository: a commit for each job, a branch of its own for the lock.

The lock's branch is there as long as the lock is held. Its one commit says who holds it, and holds the journal of the
running job, so that the branch of the state has a commit for each job and no others. Each push names what it replaces
(`--force-with-lease`), so that of two who push at once one is refused.
"""

from __future__ import annotations

import io
import re
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.projects.lock import Lock, lock_text, parse_lock, renewal
from ansible_ensemble.state.files import PLACES, is_of_state
from ansible_ensemble.state.git_remote import GitRemote, Refused
from ansible_ensemble.state.store import File, Files, check_held, check_id

_LOCK_FILE = "lock.json"
_IDENTITY = "ansible-ensemble <ansible-ensemble@localhost>"
#: How often a push is tried because others changed the branch meanwhile, as it seems.
_TRIES = 10


class GitStore:
    """The store of one ensemble on a branch; the branch may hold those of others in other folders."""

    exclusive = leases = True

    def __init__(self, remote: GitRemote, branch: str, path: str) -> None:
        self.where = f"{without_credentials(remote.url)}, branch {branch}" + (f", folder {path}" if path else "")
        self._remote = remote
        self._path = path
        self._branch = f"refs/heads/{branch}"
        slug = re.sub(r"[^A-Za-z0-9_-]+", "-", path).strip("-") or "ensemble"
        self._lock = f"refs/heads/{branch}-lock/{slug}"
        self._held = self._found = ""

    def read(self) -> Files | None:
        """See `Store`."""
        branch, lock = self._remote.fetch(self._branch, self._lock)
        self._found = lock
        return {**self._files(branch, self._path), **self._journals(lock)} or None

    def holder(self) -> Lock | None:
        """See `Store`."""
        return self._holder(self._found) if self._found else None

    def write(self, files: Files, note: str, lock_id: str) -> None:
        """See `Store`."""
        for attempt in range(_TRIES):
            branch, lock = self._remote.fetch(self._branch, self._lock)
            self._check_held(lock, lock_id)
            if branch and self._files(branch, self._path) == files:
                return
            commit = self._remote.imported(_commit(note, branch, self._path, files))
            try:
                self._remote.push(commit, self._branch, replacing=branch)
                return
            except Refused:
                if attempt == _TRIES - 1:
                    raise

    def write_journal(self, name: str, journal: bytes, lock_id: str) -> None:
        """See `Store`."""
        self._amend(lock_id, lambda files: {_LOCK_FILE: files[_LOCK_FILE], name: File(journal)})

    def renew(self, lock_id: str) -> None:
        """See `Store`."""
        self._amend(lock_id, lambda files: {**files, _LOCK_FILE: _lock_file(renewal(self._lock_of(files)))})

    def _amend(self, lock_id: str, change: Callable[[Files], Files]) -> None:
        """Change what the lock's branch holds; another process of the holder may do so as well."""
        for attempt in range(_TRIES):
            if not self._held:
                (held,) = self._remote.fetch(self._lock)
                self._check_held(held, lock_id)
                self._held = held
            commit = self._remote.imported(_commit("Lock", "", "", change(self._files(self._held))))
            try:
                self._remote.push(commit, self._lock, replacing=self._held)
            except Refused:
                self._held = ""
                if attempt == _TRIES - 1:
                    raise
                continue
            self._held = commit
            return

    def take(self, lock: Lock) -> Lock | None:
        """See `Store`."""
        files = {_LOCK_FILE: _lock_file(lock)}
        commit = self._remote.imported(_commit(f"Lock for {lock.operation}", "", "", files))
        for attempt in range(_TRIES):
            try:
                self._remote.push(commit, self._lock, replacing="")
                break
            except Refused:
                (found,) = self._remote.fetch(self._lock)
                if found:
                    return self._holder(found)
                if attempt == _TRIES - 1:  # it was not that somebody else had it
                    raise
        return None

    def release(self, lock_id: str, *, forced: bool = False) -> None:
        """See `Store`."""
        for _attempt in range(_TRIES):
            branch, lock = self._remote.fetch(self._branch, self._lock)
            check_id(self._holder(lock) if lock else None, lock_id)
            left = self._journals(lock)
            if forced and left:
                files = {**self._files(branch, self._path), **left}
                self.write(files, f"Left by the job that held the lock {lock_id}", lock_id)
            with suppress(Refused):  # it was renewed just now, or another holds it
                self._remote.push("", self._lock, replacing=lock)
                break
        self._held = ""

    def _files(self, commit: str, path: str = "") -> dict[str, File]:
        """The files of a state in a folder, which may hold the folders of other ensembles."""
        found = _unpacked(self._remote.archive(commit, path)) if commit else ()
        return {name: file for name, file in found if is_of_state(name) or name == _LOCK_FILE}

    def _journals(self, lock: str) -> dict[str, File]:
        return {name: file for name, file in self._files(lock).items() if name != _LOCK_FILE}

    def _holder(self, commit: str) -> Lock:
        return self._lock_of(self._files(commit))

    def _lock_of(self, files: Files) -> Lock:
        found = files.get(_LOCK_FILE, File(b""))
        return parse_lock(found.content.decode(errors="replace"), self.where)

    def _check_held(self, lock: str, lock_id: str) -> None:
        check_held(self._holder(lock) if lock else None, lock_id)


def _lock_file(lock: Lock) -> File:
    return File(lock_text(lock).encode())


def _commit(note: str, parent: str, path: str, files: Files) -> bytes:
    """A commit upon a parent with these files in the place of a folder, in the words of `git fast-import`."""
    who = f"{_IDENTITY} {int(time.time())} +0000"
    message = note.encode()
    begin = f"commit refs/ensemble/new\ncommitter {who}\ndata {len(message)}\n".encode() + message + b"\n"
    begin += f"from {parent}\n".encode() if parent else b""
    begin += b"".join(f"D {_quoted(_below(path, place))}\n".encode() for place in PLACES)
    return begin + b"".join(_entry(_below(path, name), files[name]) for name in sorted(files)) + b"\n"


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _entry(name: str, file: File) -> bytes:
    mode = "100755" if file.executable else "100644"
    return f"M {mode} inline {_quoted(name)}\ndata {len(file.content)}\n".encode() + file.content + b"\n"


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _unpacked(archive: bytes) -> Iterator[tuple[str, File]]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            stream = tar.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name, File(stream.read(), bool(member.mode & 0o100))
