"""The lock's file: how it comes into being, and how it is replaced and removed without a race.

- It comes into being complete: its text is written to a file of its own, which is then linked to the lock's name. A
  link fails if the name is taken.
- Who replaces or removes an existing lock file does so while it holds an OS lock (`flock`) on that very file and has
  seen that the name still refers to it. So of several processes that find the same stale lock only one takes it over.

What holds where: on a local file system both rules hold. On NFS the link is atomic between hosts, so only one host gets
the lock. Where a network file system has no OS locks, stale locks are not taken over at all. Where it has no hard links
(some SMB and FUSE mounts), the file is created exclusively instead, which is as good as the server's promise of that.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError, Place

_SWEEP_AGE = 60.0


def create(file: Path, text: str) -> bool:
    """Make the lock file if there is none."""
    complete = _write_aside(file, text)
    try:
        os.link(complete, file)
        return True
    except FileExistsError:
        # over NFS the answer to a link that was made can get lost, and the second try then finds it there
        return complete.stat().st_nlink == 2
    except OSError:
        return _create_exclusively(file, text)
    finally:
        complete.unlink()


def _create_exclusively(file: Path, text: str) -> bool:
    """Make the lock file where the file system has no hard links."""
    try:
        stream = file.open("x", encoding="utf-8")
    except FileExistsError:
        return False
    try:
        with stream:
            stream.write(text)
    except OSError:
        file.unlink()
        raise
    return True


def replace(file: Path, text: str) -> None:
    """Replace the lock file; the caller guards it."""
    _write_aside(file, text).replace(file)


def _write_aside(file: Path, text: str) -> Path:
    aside = file.with_name(f"{file.name}.{os.urandom(8).hex()}.tmp")
    try:
        with aside.open("x", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
    return aside


def sweep(file: Path) -> None:
    """Remove temporary files of processes that were killed while they made their lock."""
    import glob

    for aside in file.parent.glob(f"{glob.escape(file.name)}.*.tmp"):
        with suppress(OSError):
            if time.time() - aside.stat().st_mtime > _SWEEP_AGE:
                aside.unlink()


@contextmanager
def guarded(file: Path) -> Iterator[tuple[str | None, bool]]:
    """Keep others from replacing or removing the lock file.

    Yields:
        Its text, None if there is none; and whether the guard holds (not on a file system without OS locks).
    """
    while True:
        try:
            descriptor = _open(file)
        except FileNotFoundError:
            yield None, True
            return
        try:
            safe = _lock_descriptor(descriptor)
            if _same_file(descriptor, file):
                yield os.pread(descriptor, 1 << 20, 0).decode(errors="replace"), safe
                return
        finally:
            # not by the close alone: a child forked meanwhile has a copy of the descriptor
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def _open(file: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except PermissionError:
        return os.open(file, os.O_RDONLY | os.O_CLOEXEC)


def _lock_descriptor(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True
    except OSError:
        return False


def _same_file(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


@contextmanager
def errors(file: Path) -> Iterator[None]:
    """Turn the errors of the file system into errors for the user."""
    try:
        yield
    except OSError as error:
        raise EnsembleError(f"the lock cannot be used: {error.strerror or error}", Place(str(file))) from error
